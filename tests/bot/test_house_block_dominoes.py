"""What the house bots choose in block dominoes."""

import pytest

from referee.bot import Turn
from referee.bot.tiles import parse
from referee.v1 import play_service_pb2 as play
from referee.v1.block_dominoes_pb2 import BLOCK_DOMINOES_END_LEFT, BLOCK_DOMINOES_END_RIGHT
from sample_bots.house import block_dominoes as house

ENDS = {"left": BLOCK_DOMINOES_END_LEFT, "right": BLOCK_DOMINOES_END_RIGHT}


def ask(hand: str, line: str, *legal: str) -> Turn:
    """Returns a turn; a legal action is written as in `2-5 left`."""
    turn = play.Turn()
    table = turn.observation.block_dominoes
    table.private.hand_tiles.extend(map(parse, hand.split()))
    table.public.line_tiles.extend(map(parse, line.split()))
    for action in legal:
        tile, _, end = action.partition(" ")
        named = turn.legal_actions.add().block_dominoes
        named.tile = parse(tile)
        if end:
            named.end = ENDS[end]
    return Turn(turn, play.MatchStarted())


def test_normal_plays_the_heaviest_tile() -> None:
    """Normal plays the tile with the most pips, and the first listed of several."""
    assert house.normal(ask("1-2 2-6 5-5", "2-3 3-5", "1-2 left", "2-6 left", "5-5 right")) == 2
    assert house.normal(ask("2-6 3-5", "2-3", "2-6 left", "3-5 right")) == 0


def test_expert_leaves_scarce_numbers() -> None:
    """Of two tiles of one weight, expert opens the number of which all other tiles are seen."""
    line = "6-1 1-1 1-0 0-0 0-4"
    hand = "1-2 1-3 1-4 1-5 4-2"
    assert house.expert(ask(hand, line, "1-4 right", "2-4 right")) == 0


@pytest.mark.parametrize(
    ("line", "play_", "ends"),
    [
        ("", "2-5", (2, 5)),
        ("3-5", "2-3 left", (2, 5)),
        ("3-5", "5-5 right", (3, 5)),
        ("3-5", "3-5 left", (5, 5)),
        ("3-5", "3-5 right", (3, 3)),
        ("2-5 5-1", "1-4 right", (2, 4)),
    ],
)
def test_ends_after_a_play(line: str, play_: str, ends: tuple[int, int]) -> None:
    """The other half of a joined tile becomes the end; both halves of an opening do."""
    (action,) = ask("", line, play_).legal_actions
    assert house.ends_after(list(map(parse, line.split())), action.block_dominoes) == ends
