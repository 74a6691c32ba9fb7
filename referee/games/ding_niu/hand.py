"""Tiles and hands of Ding Niu.

A hand is a set of bits: one for each kind of tile in canonical order that it holds, and, `COPY`
places further, one for each kind that it holds twice. So equal tiles cannot be told apart, and the
lower bits alone say what can be played.
"""

from collections.abc import Sequence
from typing import Final

from referee.games import tiles
from referee.games.tiles import Tile

SEATS: Final = 4
AFTER: Final = tuple(tuple((seat + turns) % SEATS for turns in (1, 2, 3, 4)) for seat in range(SEATS))
"""The seats in the order in which they have their turn after a seat, that one last."""
HIGHEST: Final = 6
KINDS: Final = (0x11, 0x13, 0x15, 0x16, 0x22, 0x26, 0x33, 0x36, 0x44, 0x46, 0x55, 0x56, 0x66)
"""Every tile that there is, in canonical order."""
ONCE: Final = frozenset((0x26, 0x36))
"""The tiles of which there is one only; of the others there are two."""
COPY: Final = len(KINDS)
"""How far the bit of a second copy is from that of the first."""
HELD: Final = (1 << COPY) - 1
"""The bits of the first copies."""
BIT: Final = {tile: 1 << kind for kind, tile in enumerate(KINDS)}
_PIPS: Final = tiles.subset_pips(KINDS)
"""The pips of the tiles of which one bit is set for each kind."""
_COPIES: Final = tuple((bit << shift, tile) for tile, bit in BIT.items() for shift in (0, COPY))


def pips_of(hand: int) -> int:
    """Returns the sum of the pips of a hand."""
    return _PIPS[hand & HELD] + _PIPS[hand >> COPY]


def heaviest(hand: int) -> Tile:
    """Returns the tile with the most pips, of equal ones that with the higher number."""
    return max(tiles_of(hand), key=lambda tile: (tiles.pips(tile), tile & 15))


def without(hand: int, tile: Tile) -> int:
    """Returns the hand with one such tile less."""
    bit = BIT[tile]
    return hand ^ (bit << COPY if hand & bit << COPY else bit)


def tiles_of(hand: int) -> tuple[Tile, ...]:
    """Returns the tiles of a hand in canonical order."""
    return tuple([tile for bit, tile in _COPIES if hand & bit])


def hand_of(held: Sequence[Tile]) -> int:
    """Returns the hand that holds these tiles, given in any order."""
    hand = 0
    for tile in held:
        bit = BIT[tile]
        hand |= bit << COPY if hand & bit else bit
    return hand
