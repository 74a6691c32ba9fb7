"""What a viewer of block dominoes may know, from the rules alone."""

from collections.abc import Sequence

from referee.games.base import Event
from referee.games.block_dominoes.rules import State


def known(state: State, events: Sequence[Event], viewer: int) -> object:
    """Returns the public facts, what happened, and the viewer's own hand; a spectator has none."""
    public = (
        state.deal,
        state.seat,
        state.opener,
        tuple(state.line),
        tuple(hand.bit_count() for hand in state.hands),
        state.total,
        state.passes,
    )
    return public, tuple(events), state.hands[viewer] if viewer >= 0 else None
