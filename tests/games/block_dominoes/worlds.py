"""Pairs of worlds: deals that agree on all that one viewer may know, with play that fits both."""

import random
from collections.abc import Iterator
from typing import NamedTuple

from referee.games.base import TABLE, Action, Event, Outcome
from referee.games.block_dominoes.rules import State
from tests.games.block_dominoes.positions import GAME
from tests.games.helpers import start

Order = tuple[int, ...]


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
