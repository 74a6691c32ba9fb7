"""What a viewer of Mexican Train may know, from the rules alone."""

from collections.abc import Sequence

from referee.games.base import Event
from referee.games.mexican_train.rules import State


def known(state: State, events: Sequence[Event], viewer: int) -> object:
    """Returns the public facts, what happened, and the viewer's own hand; a spectator has none.

    Of a drawn tile others know only that it was drawn; of the boneyard all know the size, and
    nobody what is in it. All hands are seen once the deal has ended.
    """
    public = (
        state.deal,
        state.seat,
        state.owner,
        state.centre,
        tuple(map(tuple, state.trains)),
        state.marked,
        tuple(hand.bit_count() for hand in state.hands),
        len(state.boneyard),
        state.total,
        state.due,
        state.further,
        state.drawn is not None,
        state.double,
        state.passes,
        state.blocked,
    )
    told = tuple(
        (event.kind, event.seat) if event.kind == "drew" and event.seat != viewer else tuple(event)
        for event in events
    )
    hands = tuple(state.hands) if state.seat < 0 else None
    own = (state.hands[viewer], state.drawn if state.seat == viewer else None) if viewer >= 0 else None
    return public, told, own, hands
