"""What a viewer of Guan Pai may know, from the rules alone."""

from collections.abc import Sequence

from referee.games.base import Event
from referee.games.guan_pai.rules import State


def known(state: State, events: Sequence[Event], viewer: int) -> object:
    """Returns the public facts, what happened, and the viewer's own hand; a spectator has none.

    Whether somebody committed a topping fault is nobody's to know. Once a deal has ended all hands
    are shown, and the score tells who paid for whom.
    """
    public = (
        state.deal,
        state.seat,
        state.leader,
        state.must_d3,
        tuple(state.demand),
        tuple(tuple(turn) for turn in state.trick),
        state.passes,
        tuple(hand.bit_count() for hand in state.hands),
        tuple(state.played),
        tuple(state.bombs),
        state.total,
    )
    shown = tuple(state.hands) if state.deal and state.seat < 0 else ()
    return public, tuple(events), state.hands[viewer] if viewer >= 0 else None, shown
