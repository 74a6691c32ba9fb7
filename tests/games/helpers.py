"""What tests of every game share: random deals and playouts over the game interface alone."""

import random
from collections.abc import Callable
from typing import NamedTuple

from referee.games.base import CHANCE, TERMINAL, Action, Event, Game, Outcome, State
from referee.games.info import Options


class Step(NamedTuple):
    """One step of a playout, told after it: `action` is None and `seat` is `CHANCE` for a deal."""

    state: State
    seat: int
    action: Action | None
    events: list[Event]


OnStep = Callable[[Step], None]


def shuffled(state: State, rng: random.Random) -> Outcome:
    """Returns a random outcome of what the state says has to be drawn."""
    chance = state.chance()
    draws = tuple(rng.randrange(size) for size in chance.draws)
    return Outcome(draws, tuple(rng.sample(range(chance.size), chance.size)))


def start(game: Game, options: Options | None = None, seats: int | None = None) -> State:
    """Returns a match before its first deal, with defaults for the options that are not given."""
    return game.new(seats or game.info.min_seats, game.info.resolve(options or {}))


def advance(state: State, rng: random.Random) -> Step:
    """Does one random thing: deals, or plays a legal action."""
    seat = state.to_act()
    if seat == CHANCE:
        return Step(state, seat, None, state.start_deal(shuffled(state, rng)))
    action = rng.choice(state.legal_actions())
    return Step(state, seat, action, state.apply(action))


def random_playout(
    game: Game,
    seed: int,
    options: Options | None = None,
    on_step: OnStep | None = None,
    deals: int | None = None,
) -> State:
    """Plays a match by random actions and returns its end.

    With `deals` it stops as soon as so many deals have ended.
    """
    rng = random.Random(seed)
    state = start(game, options)
    while state.to_act() != TERMINAL and not (state.to_act() == CHANCE and state.deal == deals):
        step = advance(state, rng)
        if on_step:
            on_step(step)
    return state
