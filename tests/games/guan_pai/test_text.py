"""M12: which texts are actions, and what is said of the others."""

import pytest

from referee.games.base import TABLE, Event
from referee.games.guan_pai.forms import KINDS
from tests.games.guan_pai.positions import GAME, of_ranks, position, put
from tests.games.texts import assert_bad_byte, shown

parse = GAME.text.parse_action


@pytest.mark.parametrize(
    "text",
    [
        "pass",
        "play 3D",
        "play AC AH AS as bomb",
        "play 3D 3C 3H 4S 7D",
        "play TS JD QC KH AS 2S",
        *[f"play 3D 4D as {kind}" for kind in KINDS],
    ],
)
def test_m12_canonical_text_is_accepted(text: str) -> None:
    """Each canonical text reads as the action that it is the text of."""
    assert GAME.text.action(parse(text)) == text


def test_m12_cards_may_stand_in_any_order() -> None:
    """The order of the cards is not part of the action; the type is."""
    assert parse("play 7D 3H 4S 3D 3C") == parse("play 3D 3C 3H 4S 7D")
    assert GAME.text.action(parse("play AS AC AH as triple")) == "play AC AH AS as triple"


REFUSED = [
    # text, offset of the first bad byte, what is found there
    ("play 3D\r", 7, r"'\r'"),
    ("play 3D\n", 7, r"'\n'"),
    ("play 3D ", 8, "the text ends too early"),
    ("play 3D\x00", 7, r"'\x00'"),
    ("play 3D 3D", 9, "'D'"),
    ("play 3D 3C 3H 3S 3", 17, "'3'"),
    ("play 2S 2S", 8, "'2'"),
    ("play 2D", 6, "'D'"),
    ("play AD", 6, "'D'"),
    ("play 1D", 5, "'1'"),
    ("play 10D", 5, "'1'"),
    ("play 3d", 6, "'d'"),
    ("play td", 5, "'t'"),
    ("play D3", 5, "'D'"),
    ("play 3", 6, "the text ends too early"),
    ("play 3D,3C", 7, "','"),
    ("play 3D  3C", 8, "' '"),
    ("play  3D", 5, "' '"),
    ("play 3D3C", 7, "'3'"),
    ("play 3D as", 10, "the text ends too early"),
    ("play 3D as ", 11, "the text ends too early"),
    ("play 3D as bom", 14, "the text ends too early"),
    ("play 3D as bombs", 15, "'s'"),
    ("play 3D as Bomb", 11, "'B'"),
    ("play 3D as triple_with_three", 24, "'h'"),
    ("play 3D as bomb 3C", 15, "' '"),
    ("play 3D bomb", 8, "'b'"),
    ("play as bomb", 5, "'a'"),
    ("play", 4, "the text ends too early"),
    ("play ", 5, "the text ends too early"),
    ("pass ", 4, "' '"),
    ("passed", 4, "'e'"),
    ("pas", 3, "the text ends too early"),
    ("PASS", 0, "'P'"),
    ("Play 3D", 0, "'P'"),
    (" play 3D", 0, "' '"),
    ("\ufeffplay 3D", 0, r"'\ufeff'"),
    ("play\u00a03D", 4, r"'\xa0'"),
    ("play \uff13D", 5, r"'\uff13'"),
    ("play 3\u2666", 6, r"'\u2666'"),
    ("play 3\ud800", 6, r"'\ud800'"),
    ("3D", 0, "'3'"),
    ("", 0, "the text ends too early"),
    ("x" * 1_000_000, 0, "'x'"),
    ("play 3D 3C 4D" * 10_000, 13, "'p'"),
    ("play " + "3D " * 80_000, 9, "'D'"),
]


@pytest.mark.parametrize(("text", "offset", "found"), REFUSED, ids=shown)
def test_m12_the_first_bad_byte_is_named(text: str, offset: int, found: str) -> None:
    """A refusal says where the text goes wrong and what stands there, shortly and escaped."""
    assert_bad_byte(GAME, text, offset, found)


def test_events_have_the_seat_first() -> None:
    """Events read as in the rules; those about the table begin with their kind."""
    assert GAME.text.event(Event("play", 2, parse("play 3C 3D"))) == "2 play 3D 3C"
    assert GAME.text.event(Event("pass", 1, 0)) == "1 pass"
    assert GAME.text.event(Event("trick", TABLE, 2)) == "trick to 2"
    assert GAME.text.event(Event("leader", TABLE, 0)) == "leader 0"
    assert GAME.text.whole(Event("trick", TABLE, 2)) == "trick to 2"


def test_board_shows_the_trick_and_every_hand() -> None:
    """The table is printed with its trick, the seat to act marked."""
    state = position(of_ranks("34", "5566", "77"), totals=(-100, 200, -100))
    put(state, "3", "pass")
    assert GAME.text.table(state) == [
        "deal 1 leader 0",
        "trick 0 play 3D, 1 pass",
        "  seat 0 total  -100 hand 4D",
        "  seat 1 total   200 hand 5D 5C 6D 6C",
        "> seat 2 total  -100 hand 7D 7C",
    ]
    put(state, "7", "pass", "pass")
    assert GAME.text.table(state)[1] == "trick none"
    put(state, "7")
    assert GAME.text.table(state)[4] == "  seat 2 total   -90 hand none"
