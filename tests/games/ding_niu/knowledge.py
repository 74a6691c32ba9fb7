"""What a viewer of Ding Niu may know, from the rules alone."""

from collections.abc import Sequence

from referee.games.base import Event
from referee.games.ding_niu.rules import State


def known(state: State, events: Sequence[Event], viewer: int) -> object:
    """Returns the public facts, what was heard of what happened, and the viewer's own tiles.

    Of a discard others know that it was made and by whom. What was done before is in what was known
    before. Once a deal has ended all of its tiles are known.
    """
    public = (
        state.deal,
        state.seat,
        state.dealer,
        state.leader,
        state.asked,
        tuple(state.line),
        tuple(hand.bit_count() for hand in state.hands),
        tuple(map(len, state.discards)),
        state.total,
    )
    heard = tuple(
        ("discarded", event.seat) if event.kind == "discard" and event.seat != viewer else event
        for event in events
    )
    if state.seat < 0:
        return public, heard, tuple(state.hands), tuple(map(tuple, state.discards))
    return public, heard, (state.hands[viewer], tuple(state.discards[viewer])) if viewer >= 0 else None
