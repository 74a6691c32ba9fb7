"""Dominoes as values.

A tile is one whole number, 16 * low + high: 0x25 is the tile 2-5, 0x66 is 6-6. Codes in ascending
order are tiles in canonical order: by the lower number, then by the higher one. A tile as it lies
in a line is 16 * left + right, which is another number for the same tile unless it lies low first.
"""

from collections.abc import Sequence
from typing import TypeAlias

Tile: TypeAlias = int


def tile(one: int, other: int) -> Tile:
    """Returns the tile with these two numbers, given in any order."""
    return 16 * one + other if one <= other else 16 * other + one


def halves(code: int) -> tuple[int, int]:
    """Returns the two numbers of a tile, or of a tile as it lies, as they are written."""
    return code >> 4, code & 15


def canonical(code: int, highest: int) -> Tile | None:
    """Returns the tile of a code in either orientation; None if no half 0..`highest` is meant."""
    one, other = halves(code)
    if 0 <= one <= highest and other <= highest:
        return tile(one, other)
    return None


def pips(code: int) -> int:
    """Returns the sum of the two numbers."""
    return (code >> 4) + (code & 15)


def text(code: int) -> str:
    """Returns a tile, or a tile as it lies, in text: `2-5`."""
    return f"{code >> 4}-{code & 15}"


def subsets(part: Sequence[Tile]) -> tuple[tuple[Tile, ...], ...]:
    """Returns every choice out of some tiles, by the number that has a bit for each tile, first lowest."""
    found: list[tuple[Tile, ...]] = [()]
    for one in part:
        found += [(*chosen, one) for chosen in found]
    return tuple(found)


def subset_pips(part: Sequence[Tile]) -> tuple[int, ...]:
    """Returns the pips of every choice out of some tiles, in the order of `subsets`."""
    found = [0]
    for one in part:
        found += [chosen + pips(one) for chosen in found]
    return tuple(found)


def double_set(highest: int) -> tuple[Tile, ...]:
    """Returns the double-`highest` set in canonical order: each pair of numbers 0..`highest` once."""
    return tuple(tile(low, high) for low in range(highest + 1) for high in range(low, highest + 1))
