"""A line of dominoes with two open ends.

A play is the action 4 * tile + end. Open ends are one number, 7 * left + right, of halves 0..6.
"""

from collections.abc import Sequence
from typing import Final

from referee.games import tiles
from referee.games.base import Action
from referee.games.tiles import Tile

NO_END: Final = 0
"""The end of an opening, where there is none yet."""
LEFT: Final = 1
RIGHT: Final = 2
EQUAL_ENDS: Final = frozenset(8 * number for number in range(7))
"""The open ends that show the same number twice."""


def name_the_end(tile: Tile, left: int, right: int) -> str:
    """Returns what to say of a tile that fits an open end, where none is named."""
    name = tiles.text(tile)
    fitting = [end for end, shown in (("left", left), ("right", right)) if shown in tiles.halves(tile)]
    return "name the end: " + " or ".join([f"play {name} {end}" for end in fitting])


def openings(those: Sequence[Tile]) -> dict[Action, tuple[int, int]]:
    """Returns what begins a line: action -> (open ends, tile as it lies, the lower number at the left)."""
    return {4 * tile + NO_END: (7 * (tile >> 4) + (tile & 15), tile) for tile in those}


def joins(those: Sequence[Tile], ends: int) -> dict[Action, tuple[int, int]]:
    """Returns what joins the open ends, in canonical order: action -> (new ends, tile as it lies).

    Where both ends show the same number a tile joins at the left only.
    """
    left, right = divmod(ends, 7)
    found: dict[Action, tuple[int, int]] = {}
    for tile in those:
        low, high = tiles.halves(tile)
        if left in (low, high):
            outer = low + high - left
            found[4 * tile + LEFT] = (7 * outer + right, 16 * outer + left)
        if right in (low, high) and right != left:
            outer = low + high - right
            found[4 * tile + RIGHT] = (7 * left + outer, 16 * right + outer)
    return found
