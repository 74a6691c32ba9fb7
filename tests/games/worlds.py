"""Pairs of worlds: deals that agree on all that one viewer may know, under the same public history.

What a viewer may know is told by `known` of tests/games/<game>/knowledge.py, which is written from
the rules and uses none of the code that shows things to bots.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import NamedTuple

from referee.games.base import CHANCE, TABLE, Action, Event, Game, Outcome, State
from tests.games.helpers import Sitting, advance, shuffled, start

Known = Callable[[State, Sequence[Event], int], object]

TRIES = 60
"""The swaps of two places in the order that are tried for a pair."""


class World(NamedTuple):
    """One of the two: the last deal of the match up to now, and what was played in it."""

    outcome: Outcome
    actions: tuple[Action, ...]


class Pair(NamedTuple):
    """Two worlds that the viewer cannot tell apart, and the deals before, which both share."""

    sitting: Sitting
    viewer: int
    before: tuple[World, ...]
    worlds: tuple[World, World]

    def begin(self) -> State:
        """Returns the match as it is before the last deal."""
        state = self.sitting.start()
        for deal in self.before:
            state.start_deal(deal.outcome)
            for action in deal.actions:
                state.apply(action)
        return state


def knowledge(game: Game) -> Known:
    """Returns the function of a game that says what a viewer may know."""
    found: Known = import_module(f"tests.games.{game.info.name}.knowledge").known
    return found


def pairs(
    sitting: Sitting, seed: int, positions: int, *, seats_only: bool = False, table_only: bool = False
) -> Iterator[Pair]:
    """Yields a pair for each random position in which one can be found; viewers may be of one kind only."""
    rng = random.Random(f"{sitting} {seed}")
    for number in range(positions):
        before, state = prelude(sitting, rng, deals=number % 3 // 2)
        viewer = rng.randrange(sitting.seats if seats_only else sitting.seats + 1)
        viewer = TABLE if table_only or viewer == sitting.seats else viewer
        one = World(shuffled(state, rng), ())
        one = World(one.outcome, unfinished(state.copy(), one.outcome, rng))
        other = twin(sitting.game, state, viewer, one, rng)
        if other:
            yield Pair(sitting, viewer, before, (one, other))


def prelude(sitting: Sitting, rng: random.Random, deals: int) -> tuple[tuple[World, ...], State]:
    """Plays some whole deals at random; returns them, and the match after them."""
    state, done = sitting.start(), []
    while state.deal < deals:
        outcome, actions = shuffled(state, rng), []
        state.start_deal(outcome)
        while state.to_act() >= 0:
            actions.append(rng.choice(state.legal_actions()))
            state.apply(actions[-1])
        done.append(World(outcome, tuple(actions)))
    return (tuple(done), state) if state.to_act() == CHANCE else ((), sitting.start())


def unfinished(state: State, outcome: Outcome, rng: random.Random) -> tuple[Action, ...]:
    """Returns random actions of a deal, which do not end it."""
    state.start_deal(outcome)
    deal, actions, most = state.deal, list[Action](), rng.randrange(rng.choice((20, 60, 150)))
    while state.to_act() >= 0 and state.deal == deal and len(actions) < most:
        actions.append(rng.choice(state.legal_actions()))
        state.apply(actions[-1])
    return tuple(actions) if state.to_act() >= 0 else tuple(actions[:-1])


def twin(game: Game, state: State, viewer: int, one: World, rng: random.Random) -> World | None:
    """Returns another world with as many hidden pieces elsewhere as can be found, if any."""
    heard = history(game, state.copy(), viewer, one)
    order, found = list(one.outcome.order), None
    for _ in range(TRIES):
        here, there = rng.sample(range(len(order)), 2)
        order[here], order[there] = order[there], order[here]
        other = follow(game, state.copy(), viewer, one, Outcome(one.outcome.draws, tuple(order)), heard)
        if other:
            found = other
        else:
            order[here], order[there] = order[there], order[here]
    return found if found and hidden_facts(state, found) != hidden_facts(state, one) else None


def hidden_facts(state: State, world: World) -> object:
    """Returns the whole truth of a world: two worlds with the same are one, as with equal tiles swapped."""
    state = state.copy()
    state.start_deal(world.outcome)
    for action in world.actions:
        state.apply(action)
    return state.snapshot()


def history(game: Game, state: State, viewer: int, world: World) -> list[object]:
    """Returns what the viewer may know at each step of a world."""
    known = knowledge(game)
    heard = [known(state, state.start_deal(world.outcome), viewer)]
    for action in world.actions:
        events = state.apply(action)
        heard.append(known(state, events, viewer))
    return heard


def follow(
    game: Game, state: State, viewer: int, one: World, outcome: Outcome, heard: Sequence[object]
) -> World | None:
    """Plays another outcome so that the viewer hears the same; None where that cannot be."""
    known = knowledge(game)
    actions: list[Action] = []
    if known(state, state.start_deal(outcome), viewer) != heard[0]:
        return None
    for action, wanted in zip(one.actions, heard[1:], strict=True):
        choices = [action] if state.to_act() == viewer else [action, *state.legal_actions()]
        for choice in choices:
            if choice not in state.legal_actions():
                continue
            after = state.copy()
            if known(after, after.apply(choice), viewer) == wanted:
                actions.append(choice)
                state = after
                break
        else:
            return None
    return World(outcome, tuple(actions))


def pool(game: Game, size: int = 60) -> list[Action]:
    """Returns actions that are legal somewhere, to try where they may not be."""
    rng, found = random.Random(4), set[Action]()
    for seats in range(game.info.min_seats, game.info.max_seats + 1):
        state = start(game, seats=seats)
        while state.to_act() >= 0 or state.deal < 1:
            found.update(state.legal_actions())
            advance(state, rng)
    return rng.sample(sorted(found), min(size, len(found)))
