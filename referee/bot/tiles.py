"""Helps authors with tiles, which travel as one small number each.

A tile is `16 * one half + other half`, so 0x25 = 37 is 2-5. In a hand the lower half comes first; in
a line each tile stands as it lies, so that 0x52 = 82 shows its 5 at the left.
"""

import re
from collections.abc import Sequence

_TILE = re.compile(r"([0-9]|1[0-5])-([0-9]|1[0-5])")


def code(left: int, right: int) -> int:
    """Returns the code of a tile whose halves stand in this order."""
    return left << 4 | right


def halves(tile: int) -> tuple[int, int]:
    """Returns the two numbers of a tile in the order in which they stand."""
    return tile >> 4, tile & 15


def pips(tile: int) -> int:
    """Returns the sum of the two numbers of a tile."""
    return (tile >> 4) + (tile & 15)


def is_double(tile: int) -> bool:
    """Says whether both halves show the same number."""
    return tile >> 4 == tile & 15


def text(tile: int) -> str:
    """Returns the tile as people write it, as it stands: `2-5`."""
    return f"{tile >> 4}-{tile & 15}"


def parse(written: str) -> int:
    """Returns the code of a tile in text, halves in the order given; raises `ValueError`."""
    tile = _TILE.fullmatch(written)
    if tile is None:
        raise ValueError(f"{written!r} is no tile; write one like 2-5")
    return code(int(tile[1]), int(tile[2]))


def ends(line: Sequence[int]) -> tuple[int, int] | None:
    """Returns the open numbers at the left and at the right of a line; None before the opening."""
    return (line[0] >> 4, line[-1] & 15) if line else None
