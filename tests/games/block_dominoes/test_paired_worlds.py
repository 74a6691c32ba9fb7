"""L1, L5, L14: two worlds that agree on all that a viewer may know look the same to it."""

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from referee.games.base import TABLE, Action, Event, Outcome
from referee.games.block_dominoes.line import ACTIONS
from referee.games.block_dominoes.rules import State
from tests.games.block_dominoes.positions import GAME
from tests.games.helpers import start

Order = tuple[int, ...]
Tell = Callable[[State, list[Event], int], list[object]]


class Pair(NamedTuple):
    """Two orders of one deal, and actions that are possible in both with the same events."""

    viewer: int
    opener: int | None
    orders: tuple[Order, Order]
    actions: tuple[Action, ...]


def deal(order: Order, opener: int | None) -> tuple[State, list[Event]]:
    """Returns the first deal of a match, or a later one that the seat opens."""
    state = start(GAME)
    assert isinstance(state, State)
    if opener is not None:
        state.deal, state.winner = 1, opener
    return state, state.start_deal(Outcome((), order))


def run(order: Order, opener: int | None, actions: tuple[Action, ...]) -> list[list[Event]] | None:
    """Returns the events of a deal played so; None where an action is not possible or the deal ends."""
    state, events = deal(order, opener)
    heard = [events]
    for action in actions:
        if action not in state.legal_actions():
            return None
        heard.append(state.apply(action))
    return heard if state.to_act() >= 0 else None


def pairs(seed: int, deals: int) -> Iterator[Pair]:
    """Returns pairs of worlds: in the second one two tiles have changed hands, unseen by the viewer."""
    rng = random.Random(seed)
    for number in range(deals):
        order = tuple(rng.sample(range(28), 28))
        opener = None if number % 2 else rng.randrange(4)
        viewer = rng.choice([TABLE, 0, 1, 2, 3])
        state, _ = deal(order, opener)
        actions: list[Action] = []
        for _ in range(rng.randrange(20)):
            actions.append(rng.choice(state.legal_actions()))
            state.apply(actions[-1])
            if state.to_act() < 0:
                actions.pop()
                break
        path = tuple(actions)
        heard = run(order, opener, path)
        for one, other in hidden(order, viewer, path):
            swapped = list(order)
            swapped[one], swapped[other] = swapped[other], swapped[one]
            if heard is not None and run(tuple(swapped), opener, path) == heard:
                yield Pair(viewer, opener, (order, tuple(swapped)), path)


def hidden(order: Order, viewer: int, actions: tuple[Action, ...]) -> Iterator[tuple[int, int]]:
    """Returns places of the order that hold unplayed tiles of two different hands, not the viewer's."""
    pieces = [(low, high) for low in range(7) for high in range(low, 7)]
    played = {pieces.index(((action >> 2) >> 4, (action >> 2) & 15)) for action in actions}
    places = [place for place in range(28) if order[place] not in played and place // 7 != viewer]
    yield from ((one, other) for one in places for other in places if one // 7 < other // 7)


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


def test_l1_paired_worlds_look_the_same() -> None:
    """L1, L5, L14: every byte told to the viewer is equal at each step, refusals included."""
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


def test_l1_the_comparison_catches_planted_leaks() -> None:
    """A hand, a count or a hint of another seat's in the bytes makes some pair of worlds differ."""
    found = list(pairs(2, 30))
    for leak in (leak_in_public, leak_in_private, leak_in_a_count, leak_in_a_reason):
        assert any(transcript(pair, 0, leak) != transcript(pair, 1, leak) for pair in found), leak.__name__
