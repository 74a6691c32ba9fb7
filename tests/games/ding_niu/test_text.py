"""M12: which texts are actions, and what is said of the others."""

import pytest

from referee.games.base import TABLE, Event
from referee.games.ding_niu.line import ACTIONS
from tests.games.ding_niu.positions import GAME, position
from tests.games.ding_niu.reference import EVERY_TEXT
from tests.games.texts import assert_bad_byte, shown

parse = GAME.text.parse_action


def turned(text: str) -> str:
    """Returns a text with its tile written the other way round."""
    word, _, rest = text.partition(" ")
    return f"{word} {rest[2]}-{rest[0]}{rest[3:]}" if rest else text


@pytest.mark.parametrize("text", EVERY_TEXT)
def test_m12_canonical_text_is_accepted(text: str) -> None:
    """Each canonical text reads as the action that it is the text of; so does the turned tile."""
    assert GAME.text.action(parse(text)) == text
    assert parse(turned(text)) == parse(text)


def test_m12_there_are_54_actions() -> None:
    """13 kinds of tile are led, laid at the left or at the right, or discarded; and two answers."""
    assert len(ACTIONS) == len(set(ACTIONS)) == len(set(map(GAME.text.action, ACTIONS))) == 54


def test_actions_ascend_in_canonical_order() -> None:
    """Plays, then discards, by lower, then higher number, then left before right; settle, continue."""
    assert list(ACTIONS) == sorted(ACTIONS)
    texts = [GAME.text.action(action) for action in ACTIONS]
    assert texts[:4] == ["play 1-1", "play 1-1 left", "play 1-1 right", "play 1-3"]
    assert texts[39:41] == ["discard 1-1", "discard 1-3"]
    assert texts[-3:] == ["discard 6-6", "settle", "continue"]


REFUSED = [
    # text, offset of the first bad byte, what is found there
    ("play 2-6 left\r", 13, r"'\r'"),
    ("play 2-6 left\n", 13, r"'\n'"),
    ("play 2-6 left ", 13, "' '"),
    ("play 2-6 left\x00", 13, r"'\x00'"),
    ("play 6-6 ", 9, "the text ends too early"),
    (" play 6-6", 0, "' '"),
    ("\ufeffplay 6-6", 0, r"'\ufeff'"),
    ("Play 6-6", 0, "'P'"),
    ("PLAY 6-6", 0, "'P'"),
    ("play  6-6", 5, "' '"),
    ("play 2-6 LEFT", 9, "'L'"),
    ("play 2-6,left", 8, "','"),
    ("play 2-6 up", 9, "'u'"),
    ("play 2-3 left", 7, "'3'"),
    ("play 2-5", 7, "'5'"),
    ("play 1-2", 7, "'2'"),
    ("play 3-5", 7, "'5'"),
    ("play 0-0", 5, "'0'"),
    ("play 7-7", 5, "'7'"),
    ("play 1-7", 7, "'7'"),
    ("play \uff12-6 left", 5, r"'\uff12'"),
    ("play 2-\U0001f062", 7, r"'\U0001f062'"),
    ("play 2-\ud800", 7, r"'\ud800'"),
    ("discard 2-2 left", 11, "' '"),
    ("discard 2-2\r", 11, r"'\r'"),
    ("discard 2-3", 10, "'3'"),
    ("discard", 7, "the text ends too early"),
    ("discard ", 8, "the text ends too early"),
    ("discarded", 7, "'e'"),
    ("Discard 2-2", 0, "'D'"),
    ("settle ", 6, "' '"),
    ("settle 1-1", 6, "' '"),
    ("settled", 6, "'d'"),
    ("Settle", 0, "'S'"),
    ("continue\n", 8, r"'\n'"),
    ("contin", 6, "the text ends too early"),
    ("pass", 1, "'a'"),
    ("revoke", 0, "'r'"),
    ("2-6 left", 0, "'2'"),
    ("", 0, "the text ends too early"),
    ("p", 1, "the text ends too early"),
    ("x" * 1_000_000, 0, "'x'"),
    ("discard 2-2" * 10_000, 11, "'d'"),
]


@pytest.mark.parametrize(("text", "offset", "found"), REFUSED, ids=shown)
def test_m12_the_first_bad_byte_is_named(text: str, offset: int, found: str) -> None:
    """A refusal says where the text goes wrong and what stands there, shortly and escaped."""
    assert_bad_byte(GAME, text, offset, found)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Event("leader", TABLE, 2), "leader 2"),
        (Event("leader", TABLE, 0), "leader 0"),
        (Event("play", 2, parse("play 6-2 right")), "2 play 2-6 right"),
        (Event("play", 0, parse("play 1-3")), "0 play 1-3"),
        (Event("discard", 1, parse("discard 2-2")), "1 discard 2-2"),
        (Event("discarded", 1), "1 discarded"),
        (Event("revoke", 1), "1 revoke"),
        (Event("asked", 3), "3 asked"),
        (Event("settle", 3, parse("settle")), "3 settle"),
        (Event("continue", 3, parse("continue")), "3 continue"),
        (Event("settled", 3), "3 settled"),
    ],
)
def test_events_read_as_in_the_rules(event: Event, line: str) -> None:
    """Events have their seat first, but for the one that is about nobody."""
    assert GAME.text.event(event) == GAME.text.whole(event) == line


def test_board_shows_the_line_and_every_tile() -> None:
    """The table is printed with its line, hands and what is face down, the seat to act marked."""
    state = position(["2-6 1-1", "6-6"], "5-6 6-6", down=["", "", "4-4 1-3"], totals=(1, -12, 300, 0))
    assert GAME.text.table(state) == [
        "deal 2 dealer 3 leader 0",
        "line 5-6 6-6",
        "> seat 0 total    1 hand 1-1 2-6 face down none",
        "  seat 1 total  -12 hand 6-6 face down none",
        "  seat 2 total  300 hand none face down 4-4 1-3",
        "  seat 3 total    0 hand none face down none",
    ]
