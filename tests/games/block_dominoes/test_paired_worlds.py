"""L1, L5, L14: two worlds that agree on all that a viewer may know look the same to it."""

from collections.abc import Callable

from referee.games.base import TABLE, Event
from referee.games.block_dominoes.line import ACTIONS
from referee.games.block_dominoes.rules import State
from tests.games.block_dominoes.positions import GAME
from tests.games.block_dominoes.worlds import Pair, deal, pairs

Tell = Callable[[State, list[Event], int], list[object]]


def tell(state: State, events: list[Event], viewer: int) -> list[object]:
    """Returns everything that may be told to the viewer at one step, as it would be sent."""
    seen = [GAME.view.redact(event, viewer) for event in events]
    told: list[object] = [GAME.wire.event(event) for event in seen]
    told += [GAME.text.event(event) for event in seen]
    told += [GAME.wire.public(GAME.view.public(state)), state.to_act(), state.totals(), state.deal_result()]
    if viewer != TABLE:
        told.append(GAME.wire.private(GAME.view.private(state, viewer)))
        if state.to_act() == viewer:
            listed = state.legal_actions()
            told += [GAME.wire.action(action) for action in listed]
            told += [GAME.text.action(action) for action in listed]
            told.append(GAME.text.action(state.default_action()))
            told += [state.why_illegal(state.normalise(action)) for action in ACTIONS if action not in listed]
    return told


def transcript(pair: Pair, world: int, teller: Tell) -> list[list[object]]:
    """Returns what the viewer is told, step by step, in one of the two worlds."""
    state, events = deal(pair.orders[world], pair.opener)
    told = [teller(state, events, pair.viewer)]
    for action in pair.actions:
        events = state.apply(action)
        told.append(teller(state, events, pair.viewer))
    return told


def test_l1_l5_l14_paired_worlds_look_the_same() -> None:
    """Every byte told to the viewer is equal at each step, refusals included."""
    counts = dict.fromkeys((TABLE, 0, 1, 2, 3), 0)
    asked = 0
    for pair in pairs(1, 150):
        one, other = transcript(pair, 0, tell), transcript(pair, 1, tell)
        assert one == other
        counts[pair.viewer] += 1
        asked += sum(len(step) > 50 for step in one)
    assert min(counts.values()) > 200, counts
    assert asked > 1_000


def leak_in_public(state: State, events: list[Event], viewer: int) -> list[object]:
    """Tells the weight of the next hand, as a careless view might."""
    return [*tell(state, events, viewer), state.hands[(viewer + 1) % 4]]


def leak_in_private(state: State, events: list[Event], viewer: int) -> list[object]:
    """Tells another seat's hand, as a slip in a seat number might."""
    return [*tell(state, events, viewer), GAME.wire.private(GAME.view.private(state, (viewer + 2) % 4))]


def leak_in_a_count(state: State, events: list[Event], viewer: int) -> list[object]:
    """Tells how many choices the seat to act has, as the size of a message might."""
    return [*tell(state, events, viewer), len(state.legal_actions())]


def leak_in_a_reason(state: State, events: list[Event], viewer: int) -> list[object]:
    """Tells whether some other seat holds a tile, as a too helpful refusal might."""
    held = [seat for seat in range(4) if state.hands[seat] & 1 and seat != viewer]
    return [*tell(state, events, viewer), f"0-0 is held by seat {held}"]


def test_l1_l5_l14_the_comparison_catches_planted_leaks() -> None:
    """A hand, a count or a hint of another seat's in the bytes makes some pair of worlds differ."""
    found = list(pairs(2, 30))
    for leak in (leak_in_public, leak_in_private, leak_in_a_count, leak_in_a_reason):
        assert any(transcript(pair, 0, leak) != transcript(pair, 1, leak) for pair in found), leak.__name__
