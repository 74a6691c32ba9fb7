"""What lies where, as tables: tiles, trains, and what can be played on them.

A hand is a set of bits, one for each tile in canonical order. An action is 16 * tile + train, where
the train is that of a seat, 0..7, or `PUBLIC`; `STOP` is above all of them. The end of a train is a
number 0..12; a train that has not been started ends in the number of the engine.
"""

from collections.abc import Iterable
from typing import Final

from referee.games import tiles
from referee.games.base import TABLE, Action, Event
from referee.games.memo import Memo
from referee.games.tiles import Tile

MIN_SEATS: Final = 2
MAX_SEATS: Final = 8
HIGHEST: Final = 12
TILES: Final = tiles.double_set(HIGHEST)
PUBLIC: Final = MAX_SEATS
"""The public train, after the trains of the seats."""
STOP: Final = 0x1000
"""The action that ends a run."""
FROM_BONEYARD: Final = 0x100
"""Is added to the tile of an engine event when no hand held the engine."""
UNKNOWN: Final = -1
"""Stands for a drawn tile in the eyes of all but its owner."""

PIPS: Final = {tile: tiles.pips(tile) for tile in TILES}
BITS: Final = tuple(1 << piece for piece in range(len(TILES)))
BIT: Final = dict(zip(TILES, BITS, strict=True))
FIT: Final = tuple(
    sum(BIT[tile] for tile in TILES if number in tiles.halves(tile)) for number in range(HIGHEST + 1)
)
"""The tiles that have a number, by the number."""
DOUBLES: Final = tuple(0x11 * number for number in range(HIGHEST + 1))

PLAYS: Final = tuple(16 * tile + train for tile in TILES for train in range(PUBLIC + 1))
ACTIONS: Final = frozenset((*PLAYS, STOP))
"""Every action there is, legal somewhere or not."""
HEAVINESS: Final = {action: (tiles.pips(action >> 4), action >> 4 & 15) for action in PLAYS}
"""How plays compare for the default one: by pips, then by the higher number."""

_SEATS: Final = range(MAX_SEATS)
ACTED: Final = tuple(
    {**{action: Event("play", seat, action) for action in PLAYS}, STOP: Event("stop", seat, STOP)}
    for seat in _SEATS
)
DREW: Final = tuple({tile: Event("drew", seat, tile) for tile in (*TILES, UNKNOWN)} for seat in _SEATS)
PASSED: Final = tuple(Event("passed", seat) for seat in _SEATS)
MARKER_ON: Final = tuple(Event("marker on", seat) for seat in _SEATS)
MARKER_OFF: Final = tuple(Event("marker off", seat) for seat in _SEATS)
OUT: Final = tuple(Event("out", seat) for seat in _SEATS)
BLOCKED: Final = Event("blocked", TABLE)

_PART: Final = 10
_MASK: Final = (1 << _PART) - 1
_PARTS: Final = tuple(TILES[start : start + _PART] for start in range(0, len(TILES), _PART))
_HELD: Final = tuple(map(tiles.subsets, _PARTS))
"""The tiles of every part of the set, by the bits of a hand that stand for them."""
_PIPS: Final = tuple(map(tiles.subset_pips, _PARTS))


def hand_size(seats: int) -> int:
    """Returns how many tiles each seat is dealt."""
    return 15 if seats <= 4 else 12 if seats <= 6 else 10


def tiles_of(hand: int) -> tuple[Tile, ...]:
    """Returns the tiles of a hand in canonical order."""
    found: tuple[Tile, ...] = ()
    for part in _HELD:
        if hand & _MASK:
            found += part[hand & _MASK]
        hand >>= _PART
    return found


def pips_of(hand: int) -> int:
    """Returns the sum of the pips of a hand."""
    total = 0
    for part in _PIPS:
        total += part[hand & _MASK]
        hand >>= _PART
    return total


def hand_of(held: Iterable[Tile]) -> int:
    """Returns the hand that holds these tiles."""
    return sum(BIT[tile] for tile in held)


def _plays(train: int) -> Memo[tuple[Action, ...]]:
    return Memo(lambda fitting: tuple([16 * tile + train for tile in tiles_of(fitting)]), 1 << 12)


PLAYS_ON: Final = tuple(map(_plays, range(PUBLIC + 1)))
"""The actions that play tiles which all fit a train, in canonical order, by train and tiles."""


def _open_trains(seat: int, shared: int) -> tuple[int, ...]:
    """Returns the trains open to a seat in canonical order; `shared` has a bit for each open one."""
    others = (train for train in _SEATS if train != seat and shared >> train & 1)
    return (seat, PUBLIC, *others)


OPEN: Final = tuple(tuple(_open_trains(seat, shared) for shared in range(1 << MAX_SEATS)) for seat in _SEATS)
"""The trains open to a seat in canonical order: own, public, those of the bits that are set."""
PLACE: Final = tuple(
    {16 * tile + train: 16 * tile + place for tile in TILES for place, train in enumerate(OPEN[seat][-1])}
    for seat in _SEATS
)
"""Where plays stand in the list of a seat: by tile, then by train."""
NUMBERS: Final = tuple(1 << number for number in range(HIGHEST + 1))
"""The bit of each number, in sets of numbers."""
HALVES: Final = {tile: NUMBERS[tile >> 4] | NUMBERS[tile & 15] for tile in TILES}
"""The numbers of each tile, as such a set."""
