"""What is said of a TOML file that is not as it should be."""

from pathlib import Path

import pytest

from referee.errors import UsageError
from referee.match.config import TimeControl
from referee.organiser.file import Document


def read(text: str) -> Document:
    """Reads a file as the loaders do: some keys of every kind, and no others."""
    document = Document("t.toml", text)
    top = document.root
    one = top.section("one")
    one.text("name")
    one.flag("rated", default=True)
    one.whole("count", 3, 1, 10)
    one.number("share", 0.5, 0.0, 1.0)
    one.choice("mode", ("rotate", "same_seat"), "rotate")
    one.texts("list", ())
    one.parsed("time", TimeControl.parse, TimeControl())
    one.close()
    for bot in top.section("bots").sections().values():
        bot.text("command")
        bot.close()
    top.close()
    return document


def problems(text: str) -> list[str]:
    """Returns the lines with which a text is refused."""
    with pytest.raises(UsageError) as refused:
        read(text).check()
    return str(refused.value).split("\n")


def test_a_sound_file_is_read() -> None:
    """Values come back with their types, defaults where there are none."""
    document = Document("t.toml", '[one]\nname = "x"\nshare = 1\nlist = ["a"]')
    one = document.root.section("one")

    assert (one.text("name"), one.flag("rated", default=True), one.whole("count", 3)) == ("x", True, 3)
    assert (one.number("share", None, 0, 1), one.texts("list"), one.choice("mode", "ab", "b")) == (
        1.0,
        ("a",),
        "b",
    )
    document.root.close()
    document.check()


def test_all_problems_are_told_in_the_order_of_their_lines() -> None:
    """One line each: file, line, key, what is wrong, and what may have been meant."""
    text = """
[one]
nmae = "x"        # a typo, and so the name is missing
rated = "yes"
count = 11
share = true
mode = "rotat"
list = ["a", 2]
time = "5q"
[bots.mine]
comand = "./mine"
[other]
"""
    assert problems(text) == [
        "t.toml:2: one.name: is missing",
        "t.toml:3: one.nmae: unknown key; did you mean name?",
        "t.toml:4: one.rated: has to be true or false, not 'yes'",
        "t.toml:5: one.count: 11 is not between 1 and 10",
        "t.toml:6: one.share: has to be a number, not true",
        "t.toml:7: one.mode: 'rotat' is not one of rotate, same_seat; did you mean rotate?",
        't.toml:8: one.list: has to be a list of texts, as ["one", "two"]',
        (
            "t.toml:9: one.time: time control '5q': cannot read '5q';"
            " write it like 5s+0,bank=60s (units us ms s m h)"
        ),
        "t.toml:10: bots.mine.command: is missing",
        "t.toml:11: bots.mine.comand: unknown key; did you mean command?",
        "t.toml:12: other: unknown key; known here: one, bots",
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[one]\nname = ", "t.toml:2: Invalid value"),
        ("a = 1\na = 2\n", "t.toml:2: Cannot overwrite a value"),
        ('a = "x', "t.toml:1: Unterminated string"),
        ("one = 3\n", "t.toml:1: one: has to be a table, [one]"),
        ("[one]\nname = {}\n", "t.toml:2: one.name: has to be a text, not a table"),
        ("[one]\nname = 'a'\ncount = 1.0\n", "t.toml:3: one.count: has to be a whole number, not 1.0"),
    ],
)
def test_a_text_that_is_no_toml_or_of_other_types(text: str, line: str) -> None:
    """What the parser says comes with its line too."""
    assert line in problems(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a folder and bytes that are no text are named; a near name is offered."""
    (tmp_path / "spring.toml").write_bytes(b"# fine\nname = '\xff'\n")
    with pytest.raises(UsageError, match=r"sprong.toml: no such file; did you mean spring.toml\?"):
        Document.read(tmp_path / "sprong.toml")
    with pytest.raises(UsageError, match="Is a directory"):
        Document.read(tmp_path)
    with pytest.raises(UsageError, match=r"spring.toml:2: is not written in UTF-8"):
        Document.read(tmp_path / "spring.toml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"[one]\ncount = {'9' * 5000}\n", "t.toml:2: a whole number has 64 bits at the most"),
        (f"[one]\ncount = {'9' * 4200}\n", "t.toml:2: one.count: a whole number has 64 bits at the most"),
        (f"[one]\nlist = [1, 0x{'f' * 5000}]\n", "t.toml:2: one.list.1: a whole number has 64 bits"),
        (f"[one]\nlist = {'[' * 3000}{']' * 3000}\n", "t.toml: lists or tables lie too deep in one another"),
        (f"one.name = 'x'\nz{'.a' * 300} = 1\n", "t.toml:2: z: unknown key"),
        ("[[one]]\nrated = 3\n", "t.toml:1: one: has to be a table, [one]"),
    ],
)
def test_texts_that_no_program_can_take_are_refused_in_one_line(text: str, told: str) -> None:
    """Numbers without end and lists without bottom are told as anything else is."""
    (problem,) = problems(text)

    assert problem.startswith(told)


def test_a_file_may_begin_with_the_mark_of_its_encoding() -> None:
    """Some editors put it there; lines are counted as without it."""
    document = Document.parse("t.toml", b"\xef\xbb\xbf[one]\nname = 'x'\n")

    assert document.root.section("one").text("name") == "x"
    with pytest.raises(UsageError, match=r"t.toml:2: is not written in UTF-8"):
        Document.parse("t.toml", b"\xef\xbb\xbf[one]\nname = '\xff'\n")
