"""What can be laid where, as tables: no rule is looked up twice in play.

An action is 4 * tile + end. The open ends are one number, 7 * left + right, or `OPEN` or
`OPEN_HIGHEST` before the first tile; that number alone says which tiles can be laid, and how. A
hand is a set of bits, one for each tile in canonical order.
"""

from collections.abc import Sequence
from typing import Final

from referee.games import tiles
from referee.games.base import Action, Event
from referee.games.line import LEFT, NO_END, RIGHT, joins, openings
from referee.games.memo import Memo
from referee.games.tiles import Tile

SEATS: Final = 4
HIGHEST: Final = 6
TILES: Final = tiles.double_set(HIGHEST)
HIGHEST_DOUBLE: Final = TILES[-1]

OPEN: Final = 49
"""The open ends before a first tile that may be any."""
OPEN_HIGHEST: Final = 50
"""The open ends before a first tile that has to be the highest double."""

BIT: Final = {tile: 1 << piece for piece, tile in enumerate(TILES)}


def _placements(ends: int) -> dict[Action, tuple[int, int]]:
    """Returns what can be laid on the ends, or opens: action -> (new ends, tile as it lies)."""
    if ends == OPEN_HIGHEST:
        return openings([HIGHEST_DOUBLE])
    return openings(TILES) if ends == OPEN else joins(TILES, ends)


LAY: Final = tuple(_placements(ends) for ends in range(OPEN_HIGHEST + 1))
_CHOICES: Final = tuple(tuple((BIT[action >> 2], action) for action in lay) for lay in LAY)
FIT: Final = tuple(sum({bit for bit, _ in choices}) for choices in _CHOICES)
"""The tiles that fit, by the open ends."""

SHOWN: Final = tuple(1 << ends // 7 | 1 << ends % 7 for ends in range(OPEN))
"""The numbers at the open ends as a set of bits."""


def _plays(choices: tuple[tuple[int, Action], ...]) -> Memo[tuple[Action, ...]]:
    return Memo(lambda fitting: tuple([action for bit, action in choices if fitting & bit]), 1 << 12)


PLAYS: Final = tuple(map(_plays, _CHOICES))
"""The actions that lay tiles which all fit, in canonical order, by the open ends and the tiles."""


AFTER: Final = tuple(
    tuple((passes, (seat + 1 + passes) % SEATS) for passes in range(SEATS)) for seat in range(SEATS)
)
"""By seat, those that come after it, each with the number of passes before it."""
ACTIONS: Final = tuple(4 * tile + end for tile in TILES for end in (NO_END, LEFT, RIGHT))
"""Every action there is, legal somewhere or not."""
PLAYED: Final = tuple({action: Event("play", seat, action) for action in ACTIONS} for seat in range(SEATS))
PASSED: Final = tuple(Event("passed", seat) for seat in range(SEATS))
HEAVINESS: Final = {action: (tiles.pips(action >> 2), action >> 2 & 15, -(action & 3)) for action in ACTIONS}
"""How actions compare for the default one: by pips, by the higher number, by the end."""


_PART: Final = 7
_HELD: Final = tuple(tiles.subsets(TILES[start : start + _PART]) for start in range(0, len(TILES), _PART))
"""The tiles of every quarter of the set, by the bits of a hand that stand for them."""


def tiles_of(hand: int) -> tuple[Tile, ...]:
    """Returns the tiles of a hand in canonical order."""
    first, second, third, fourth = _HELD
    return first[hand & 127] + second[hand >> 7 & 127] + third[hand >> 14 & 127] + fourth[hand >> 21]


def hand_of(held: Sequence[Tile]) -> int:
    """Returns the hand that holds these tiles."""
    return sum(BIT[tile] for tile in held)
