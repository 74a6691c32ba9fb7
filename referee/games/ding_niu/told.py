"""The events and steps of Ding Niu, made once for all."""

from typing import Final, NamedTuple

from referee.games.base import Action, Event
from referee.games.ding_niu.hand import SEATS
from referee.games.ding_niu.line import ACTIONS, CONTINUE, DISCARD, PLAYS, SETTLE


class Step(NamedTuple):
    """One action of a deal as everybody saw it: of a discard it says `DISCARD`, whatever the tile."""

    seat: int
    action: Action
    revoke: bool = False


def _kind(action: Action) -> str:
    """Returns the kind of the event that tells an action."""
    if action < DISCARD:
        return "play"
    return {SETTLE: "settle", CONTINUE: "continue"}.get(action, "discard")


ACTED: Final = tuple(
    {action: Event(_kind(action), seat, action) for action in ACTIONS} for seat in range(SEATS)
)
REVOKED: Final = tuple(Event("revoke", seat) for seat in range(SEATS))
ASKED: Final = tuple(Event("asked", seat) for seat in range(SEATS))
SETTLED: Final = tuple(Event("settled", seat) for seat in range(SEATS))
STEPS: Final = tuple(
    {action: Step(seat, action) for action in (*PLAYS, SETTLE, CONTINUE)} for seat in range(SEATS)
)
PUT_DOWN: Final = tuple((Step(seat, DISCARD), Step(seat, DISCARD, revoke=True)) for seat in range(SEATS))
"""The steps of a discard and of a revoke, by seat."""
