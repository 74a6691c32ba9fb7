"""M12: which texts are actions, and what is said of the others."""

import pytest

from referee.games.base import TABLE, Event
from referee.games.block_dominoes.line import ACTIONS
from tests.games.block_dominoes.positions import GAME, position
from tests.games.block_dominoes.reference import EVERY_TEXT
from tests.games.texts import assert_bad_byte, shown

parse = GAME.text.parse_action


@pytest.mark.parametrize("text", EVERY_TEXT)
def test_m12_canonical_text_is_accepted(text: str) -> None:
    """Each canonical text reads as the action that it is the text of; so does the turned tile."""
    turned = f"play {text[7]}-{text[5]}{text[8:]}"
    assert GAME.text.action(parse(text)) == text
    assert parse(turned) == parse(text)


def test_m12_there_are_84_actions() -> None:
    """28 tiles are laid as an opening, at the left or at the right."""
    assert len(ACTIONS) == len(set(ACTIONS)) == len(set(map(GAME.text.action, ACTIONS))) == 84


REFUSED = [
    # text, offset of the first bad byte, what is found there
    ("play 2-5 left\r", 13, r"'\r'"),
    ("play 2-5 left\n", 13, r"'\n'"),
    ("play 2-5 left ", 13, "' '"),
    ("play 2-5 left\x00", 13, r"'\x00'"),
    ("play 2-5 lefts", 13, "'s'"),
    ("play 6-6\r\n", 8, r"'\r'"),
    ("play 6-6 ", 9, "the text ends too early"),
    (" play 6-6", 0, "' '"),
    ("\tplay 6-6", 0, r"'\t'"),
    ("\ufeffplay 6-6", 0, r"'\ufeff'"),
    ("Play 6-6", 0, "'P'"),
    ("PLAY 6-6", 0, "'P'"),
    ("play  6-6", 5, "' '"),
    ("play\u00a06-6", 4, r"'\xa0'"),
    ("play 2-5 Left", 9, "'L'"),
    ("play 2-5 LEFT", 9, "'L'"),
    ("play 2-5  left", 9, "' '"),
    ("play 2-5,left", 8, "','"),
    ("play 2-5 up", 9, "'u'"),
    ("play 2-5 rightleft", 14, "'l'"),
    ("play 2\u20135 left", 6, r"'\u2013'"),
    ("play \uff12-5 left", 5, r"'\uff12'"),
    ("play \u0662-5 left", 5, r"'\u0662'"),
    ("play 2-5 l\u00e9ft", 10, r"'\xe9'"),
    ("play 2-\U0001f062", 7, r"'\U0001f062'"),
    ("play 2-\ud800", 7, r"'\ud800'"),
    ("play 7-1", 5, "'7'"),
    ("play 1-7", 7, "'7'"),
    ("play 12-12", 6, "'2'"),
    ("play 02-5", 6, "'2'"),
    ("play -1-5", 5, "'-'"),
    ("play 2:5", 6, "':'"),
    ("play 37", 6, "'7'"),
    ("2-5 left", 0, "'2'"),
    ("passed", 1, "'a'"),
    ("pass", 1, "'a'"),
    ("", 0, "the text ends too early"),
    ("play", 4, "the text ends too early"),
    ("play 2-", 7, "the text ends too early"),
    ("play 2-5 lef", 12, "the text ends too early"),
    ("x" * 1_000_000, 0, "'x'"),
    ("play 2-5 left" * 10_000, 13, "'p'"),
]


@pytest.mark.parametrize(("text", "offset", "found"), REFUSED, ids=shown)
def test_m12_the_first_bad_byte_is_named(text: str, offset: int, found: str) -> None:
    """A refusal says where the text goes wrong and what stands there, shortly and escaped."""
    assert_bad_byte(GAME, text, offset, found)


def test_events_have_the_seat_first() -> None:
    """Events read as in the rules."""
    assert GAME.text.event(Event("play", 2, parse("play 5-2 right"))) == "2 play 2-5 right"
    assert GAME.text.event(Event("passed", 1)) == "1 passed"
    assert GAME.text.event(Event("opener", TABLE, 3)) == "opener 3"
    assert GAME.text.whole(Event("play", 2, parse("play 5-2 right"))) == "2 play 2-5 right"


def test_board_shows_the_line_and_every_hand() -> None:
    """The table is printed with its line, the seat to act marked."""
    state = position(["2-3 0-0", "6-6"], "5-2 2-2", totals=(1, 20, 300, 0))
    assert GAME.text.table(state) == [
        "deal 2",
        "line 5-2 2-2",
        "> seat 0 total    1 hand 0-0 2-3",
        "  seat 1 total   20 hand 6-6",
        "  seat 2 total  300 hand none",
        "  seat 3 total    0 hand none",
    ]
