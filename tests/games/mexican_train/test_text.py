"""M12: which texts are actions, and what is said of the others."""

import pytest

from referee.games.base import TABLE, Event
from referee.games.mexican_train.table import ACTIONS, FROM_BONEYARD, STOP
from tests.games.mexican_train.positions import GAME, position
from tests.games.mexican_train.reference import EVERY_TEXT, PIECES, TRAINS
from tests.games.texts import assert_bad_byte, shown

parse = GAME.text.parse_action


def test_m12_canonical_text_is_accepted() -> None:
    """Each canonical text reads as the action that it is the text of; so does the turned tile."""
    for text in EVERY_TEXT:
        assert GAME.text.action(parse(text)) == text
    for low, high in PIECES:
        for name in TRAINS:
            assert parse(f"play {high}-{low} on {name}") == parse(f"play {low}-{high} on {name}")


def test_m12_there_are_820_actions() -> None:
    """91 tiles are played on nine trains, and a run is stopped."""
    assert len(ACTIONS) == len(set(ACTIONS)) == len(set(map(GAME.text.action, ACTIONS))) == 820
    assert parse("stop") == STOP == max(ACTIONS)
    assert parse("play 8-12 on 0") == 16 * 0x8C
    assert parse("play 9-6 on public") == 16 * 0x69 + 8


REFUSED = [
    # text, offset of the first bad byte, what is found there
    ("play 8-12 on 0\r", 14, r"'\r'"),
    ("play 8-12 on 0\n", 14, r"'\n'"),
    ("play 8-12 on 0 ", 14, "' '"),
    ("play 8-12 on 01", 14, "'1'"),
    ("play 8-12 on 8", 13, "'8'"),
    ("play 8-12 on -1", 13, "'-'"),
    ("play 8-12 on own", 13, "'o'"),
    ("play 8-12 on Public", 13, "'P'"),
    ("play 8-12 on publics", 19, "'s'"),
    ("play 8-12 on public\x00", 19, r"'\x00'"),
    ("play 8-12 on pub", 16, "the text ends too early"),
    ("play 8-12 on ", 13, "the text ends too early"),
    ("play 8-12 on", 12, "the text ends too early"),
    ("play 8-12", 9, "the text ends too early"),
    ("play 8-12  on 0", 10, "' '"),
    ("play 8-12 to 0", 10, "'t'"),
    ("play 8-12 left", 10, "'l'"),
    ("play 8-13 on 0", 8, "'3'"),
    ("play 13-8 on 0", 6, "'3'"),
    ("play 8-120 on 0", 9, "'0'"),
    ("play 08-12 on 0", 6, "'8'"),
    ("play 1-1on 0", 8, "'o'"),
    ("play 1--1 on 0", 7, "'-'"),
    ("play -1-1 on 0", 5, "'-'"),
    ("play 8:12 on 0", 6, "':'"),
    ("play 8\u201312 on 0", 6, r"'\u2013'"),
    ("play \uff18-12 on 0", 5, r"'\uff18'"),
    ("play 8-12 on \u0660", 13, r"'\u0660'"),
    ("play 8-\ud800", 7, r"'\ud800'"),
    ("\ufeffplay 8-12 on 0", 0, r"'\ufeff'"),
    (" play 8-12 on 0", 0, "' '"),
    ("Play 8-12 on 0", 0, "'P'"),
    ("play  8-12 on 0", 5, "' '"),
    ("play\u00a08-12 on 0", 4, r"'\xa0'"),
    ("stop ", 4, "' '"),
    ("stops", 4, "'s'"),
    ("Stop", 0, "'S'"),
    ("sto", 3, "the text ends too early"),
    ("stop 0", 4, "' '"),
    ("draw", 0, "'d'"),
    ("pass", 1, "'a'"),
    ("drew", 0, "'d'"),
    ("", 0, "the text ends too early"),
    ("x" * 1_000_000, 0, "'x'"),
    ("play 8-12 on 0" * 10_000, 14, "'p'"),
]


@pytest.mark.parametrize(("text", "offset", "found"), REFUSED, ids=shown)
def test_m12_the_first_bad_byte_is_named(text: str, offset: int, found: str) -> None:
    """A refusal says where the text goes wrong and what stands there, shortly and escaped."""
    assert_bad_byte(GAME, text, offset, found)


EVENTS = [
    (Event("engine", 1, 0xBB), "1 engine 11-11"),
    (Event("engine", 1, 0xBB + FROM_BONEYARD), "1 engine 11-11"),
    (Event("engine", 0, 0x00), "0 engine 0-0"),
    (Event("drew", 2, 0x25), "2 drew"),
    (Event("drew", 2, -1), "2 drew"),
    (Event("play", 3, 16 * 0x8C + 3), "3 play 8-12 on 3"),
    (Event("play", 3, 16 * 0x8C + 8), "3 play 8-12 on public"),
    (Event("stop", 3, STOP), "3 stop"),
    (Event("passed", 1), "1 passed"),
    (Event("marker on", 1), "1 marker on"),
    (Event("marker off", 7), "7 marker off"),
    (Event("out", 0), "0 out"),
    (Event("blocked", TABLE), "blocked"),
]


@pytest.mark.parametrize(("event", "line"), EVENTS)
def test_events_read_as_in_the_rules(event: Event, line: str) -> None:
    """The seat comes first; a drawn tile is never named."""
    assert GAME.text.event(event) == line


WHOLE = {
    Event("drew", 2, 0x25): "2 drew 2-5",
    Event("engine", 1, 0xBB + FROM_BONEYARD): "1 engine 11-11 from the boneyard",
}
"""What of an event its line leaves out."""


@pytest.mark.parametrize(("event", "line"), EVENTS)
def test_an_event_whole_names_the_drawn_tile(event: Event, line: str) -> None:
    """The truth tells the tile of a draw and where the engine lay; a redacted draw stays as it is."""
    assert GAME.text.whole(event) == WHOLE.get(event, line)


def test_board_shows_trains_and_every_hand() -> None:
    """The table is printed with its trains and markers, the seat to act marked."""
    trains = {"0": "12-3 3-3", "public": "12-6"}
    state = position(["2-3 0-0", "6-6"], trains, markers=(1,), boneyard="1-2 0-12", totals=(7, 300))
    assert GAME.text.table(state) == [
        "deal 1",
        "engine 12-12 of seat 1",
        "  train public: 12-6",
        "> seat 0 total    7 hand 0-0 2-3",
        "  train 0: 12-3 3-3",
        "  seat 1 total  300 hand 6-6",
        "  train 1 marker: not started",
        "boneyard 1-2 0-12",
    ]
