"""What can be laid and put down where, as tables: no rule is looked up twice in play.

A play is the action 4 * tile + end, a discard `DISCARD` + tile. The open ends are one number,
7 * left + right, or `OPEN` before the lead; that number alone says which tiles can be laid, and how.
"""

from typing import Final

from referee.games import tiles
from referee.games.base import Action
from referee.games.ding_niu.hand import BIT, COPY, HELD, HIGHEST, KINDS, ONCE
from referee.games.line import EQUAL_ENDS, LEFT, NO_END, RIGHT, joins, openings
from referee.games.memo import Memo

DISCARD: Final = 512
"""A discard of tile t is the action `DISCARD` + t; `DISCARD` itself is one of a hidden tile."""
SETTLE: Final = 1024
CONTINUE: Final = 1025
ANSWERS: Final = (SETTLE, CONTINUE)

OPEN: Final = 0
"""The open ends before the lead; no tile has a 0."""


LAY: Final = (openings(KINDS), *(joins(KINDS, ends) for ends in range(1, 8 * HIGHEST + 1)))
"""What can be laid, by the open ends: action -> (new ends, tile as it lies)."""
_CHOICES: Final = tuple(tuple((BIT[action >> 2], action) for action in lay) for lay in LAY)
FIT: Final = tuple(sum({bit for bit, _ in choices}) for choices in _CHOICES)
"""The kinds of tile that fit, by the open ends."""

PLAYS: Final = tuple(4 * tile + end for tile in KINDS for end in (NO_END, LEFT, RIGHT))
ACTIONS: Final = (*PLAYS, *(DISCARD + tile for tile in KINDS), SETTLE, CONTINUE)
"""Every action there is, legal somewhere or not."""


def listed(action: Action, ends: int) -> Action:
    """Returns an action as the legal list has it: at the left where both ends are equal."""
    return (
        action - RIGHT + LEFT if action & 3 == RIGHT and action < DISCARD and ends in EQUAL_ENDS else action
    )


def legal(hand: int, ends: int, lead_limit: str, revoke: str) -> tuple[Action, ...]:
    """Returns the plays and discards of a hand that the rules allow, in canonical order."""
    if ends == OPEN:
        return _PLAYS[OPEN][hand & HELD & ~barred(hand, lead_limit)]
    fitting = hand & FIT[ends]
    if not fitting:
        return _DISCARDS[hand & HELD]
    if revoke == "reject":
        return _PLAYS[ends][fitting]
    return _PLAYS[ends][fitting] + _DISCARDS[hand & HELD]


def _plays(choices: tuple[tuple[int, Action], ...]) -> Memo[tuple[Action, ...]]:
    return Memo(lambda fitting: tuple([action for bit, action in choices if fitting & bit]), 1 << COPY)


_PLAYS: Final = tuple(map(_plays, _CHOICES))
"""The plays with tiles of kinds that all fit, by the open ends and the kinds."""
_DISCARDS: Final = Memo[tuple[Action, ...]](
    lambda held: tuple([DISCARD + tile for tile, bit in BIT.items() if held & bit]), 1 << COPY
)
"""The discards of tiles, by their kinds."""


def _others(number: int) -> int:
    """Returns the bits of all tiles but the double, both copies, that show the number."""
    return sum(
        BIT[tile] * (1 if tile in ONCE else 1 + (1 << COPY))
        for tile in KINDS
        if number in tiles.halves(tile) and tile >> 4 != tile & 15
    )


_DOUBLES: Final = tuple((BIT[16 * number + number], _others(number)) for number in range(1, HIGHEST + 1))


def barred(hand: int, lead_limit: str) -> int:
    """Returns the kinds of tile that may not be led from this hand.

    All tiles are dealt: what others could match a double with is what the leader does not hold. To
    bar a tile that is no double seven tiles would have to be in hand, or more.
    """
    if lead_limit == "strict":
        return sum([bit for bit, others in _DOUBLES if hand & others]) & hand
    if lead_limit == "definition":
        return sum([bit for bit, others in _DOUBLES if hand & others == others]) & hand
    return 0


def _default(action: Action) -> tuple[int, int, int, int]:
    """Says how actions compare for the default one.

    Plays come before discards: the most pips, the higher number, the left end; then the fewest pips,
    the first in canonical order. To continue comes before to settle.
    """
    if action >= SETTLE:
        return 0, -action, 0, 0
    if action >= DISCARD:
        return 1, tiles.pips(action - DISCARD), action, 0
    return 0, -tiles.pips(action >> 2), -(action >> 2 & 15), action & 3


DEFAULT: Final = {action: _default(action) for action in ACTIONS}
"""By its least value the default action is found."""
