"""Two ways to play block dominoes: a rule of thumb, and counting."""

from collections.abc import Iterable

from referee.bot import Turn
from referee.bot.tiles import halves, is_double, pips
from referee.v1.block_dominoes_pb2 import (
    BLOCK_DOMINOES_END_LEFT,
    BLOCK_DOMINOES_END_UNSPECIFIED,
    BlockDominoesAction,
)

ALL_TILES = frozenset(16 * low + high for low in range(7) for high in range(low, 7))


def normal(turn: Turn) -> int:
    """Plays the heaviest tile that fits; in a tie the first one listed."""
    weights = [pips(play.block_dominoes.tile) for play in turn.legal_actions]
    return weights.index(max(weights))


def expert(turn: Turn) -> int:
    """Leaves numbers at the open ends that are scarce among the others, and its own.

    It counts what it can see, its hand and the line; all other tiles are in the hands of the others.
    A play is better the fewer of those fit the line afterwards, so that the others have to pass, and
    the more of its own do. Heavy tiles and doubles, which fit one number only, are better gone.
    """
    table = turn.observation.block_dominoes
    hand = list(table.private.hand_tiles)
    line = list(table.public.line_tiles)
    unseen = ALL_TILES.difference(hand, map(low_first, line))

    def value(play: BlockDominoesAction) -> float:
        ends = ends_after(line, play)
        kept = [tile for tile in hand if tile != play.tile]
        scarcity = fitting(kept, ends) - fitting(unseen, ends)
        return scarcity + pips(play.tile) / 2 + 2 * is_double(play.tile)

    values = [value(play.block_dominoes) for play in turn.legal_actions]
    return values.index(max(values))


def ends_after(line: list[int], play: BlockDominoesAction) -> tuple[int, int]:
    """Returns the numbers at the two ends of the line after a play."""
    low, high = halves(play.tile)
    if play.end == BLOCK_DOMINOES_END_UNSPECIFIED:
        return low, high
    left, right = line[0] >> 4, line[-1] & 15
    if play.end == BLOCK_DOMINOES_END_LEFT:
        return (high if low == left else low), right
    return left, (high if low == right else low)


def fitting(tiles: Iterable[int], ends: tuple[int, int]) -> int:
    """Counts the tiles that fit one of the ends."""
    return sum(tile >> 4 in ends or tile & 15 in ends for tile in tiles)


def low_first(tile: int) -> int:
    """Returns a tile of the line as it is written in a hand."""
    left, right = halves(tile)
    return tile if left <= right else 16 * right + left
