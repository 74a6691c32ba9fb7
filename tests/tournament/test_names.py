"""Names: one visible line each, and none that could be taken for a seat without a name."""

import re

import pytest

from referee.errors import UsageError
from referee.tournament import names


@pytest.mark.parametrize(
    ("name", "shown", "key"),
    [
        ("Ann", "Ann", "ann"),
        ("  Deep   Blue ", "Deep Blue", "deep blue"),
        ("Ａｎｎ", "Ａｎｎ", "ann"),
        ("a1 1", "a1 1", "a1 1"),
        ("\N{ROBOT FACE}", "\N{ROBOT FACE}", "\N{ROBOT FACE}"),
        ("x" * 64, "x" * 64, "x" * 64),
    ],
)
def test_k15_case_outer_and_repeated_spaces_do_not_count(name: str, shown: str, key: str) -> None:
    """A name keeps its case; what names have in common that only look different is one key (K15)."""
    assert (names.shown(name), names.key(name)) == (shown, key)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "x" * 65,
        "new\nline",
        "\nann",
        "ann\t",
        "a\u00a0b",
        "a\u3000b",
        "a\x1b[31mb",
        "a\u202eb",
        "\u3164",
    ],
)
def test_a_text_that_is_no_visible_line_is_no_name(name: str) -> None:
    """Nothing of it is mended in silence; the refusal itself is one line that can be printed."""
    with pytest.raises(UsageError, match="1 to 64 printable characters") as refused:
        names.shown(name)

    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("x" * 65, "this has 65"),
        (" ", "this has 0"),
        ("a\tb", "of all white space only plain spaces may stand in it"),
        ("a\u200bb", "it holds the invisible character U+200B"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(name: str, why: str) -> None:
    """Of all rules the one that it breaks."""
    with pytest.raises(UsageError, match=f"1 to 64 printable characters make a name; {re.escape(why)}$"):
        names.shown(name)


@pytest.mark.parametrize("name", ["seat 1", "SEAT 12", "seat1", "Seat-0", "seat_01", "ｓｅａｔ １", "seat.3"])
def test_no_bot_is_called_as_a_seat_without_a_name(name: str) -> None:
    """Opponents are `seat N` while they are anonymous: nobody else may seem to be one."""
    with pytest.raises(UsageError, match="while they have no names; take another"):
        names.check_new(name)


@pytest.mark.parametrize(
    "owner", ["easy", "Easy ", "EXPERT", "ｎｏｒｍａｌ", "a/b", "easy/b", "", " ", "x" * 5000, "a\x1b"]
)
def test_an_owner_is_no_house_bot_and_ends_at_no_slash(owner: str) -> None:
    """A bot plays under `OWNER/NAME`: an id that begins as that of a house bot would be taken for one."""
    with pytest.raises(UsageError, match=r"^owner ") as refused:
        names.owner(owner)

    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 250


def test_an_owner_keeps_its_case_and_loses_outer_spaces() -> None:
    """Owners are one visible line, as names are; only a bot's name cannot be that of a seat."""
    assert [names.owner(text) for text in (" Ann  B. ", "easygoing", "seat 1")] == [
        "Ann B.",
        "easygoing",
        "seat 1",
    ]


def test_no_bot_that_registers_has_a_name_like_the_id_of_one_that_is_launched() -> None:
    """`ann/mine` is the bot `mine` of `ann` in a tournament's file."""
    with pytest.raises(UsageError, match="a name holds no '/'"):
        names.check_new("ann/mine")


@pytest.mark.parametrize("name", ["seat", "seats 1", "seat one", "hotseat 1", "a1 1", "1 seat"])
def test_other_names_with_seats_and_numbers_are_fine(name: str) -> None:
    """Only what looks like the label of a seat is refused."""
    names.check_new(name)


@pytest.mark.parametrize(
    ("text", "fine"), [("", True), ("1.2 beta", True), (" 1", False), ("1  2", False), ("1\n", False)]
)
def test_versions_that_look_the_same_are_the_same(text: str, *, fine: bool) -> None:
    """What tells versions or processes apart has no outer and no repeated spaces."""
    assert names.is_tag(text) is fine
