"""What tests of every game share: tables to play at, random deals and playouts over the game interface."""

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from referee.games import REGISTRY
from referee.games.base import CHANCE, TERMINAL, Action, Event, Game, Outcome, State
from referee.games.info import Option, Options, OptionValue

LENGTHS = {"target": 60, "deals": 2}
"""What makes a match short, where a game has such an option."""


class Step(NamedTuple):
    """One step of a playout, told after it: `action` is None and `seat` is `CHANCE` for a deal."""

    state: State
    seat: int
    action: Action | None
    events: list[Event]


OnStep = Callable[[Step], None]


class Sitting(NamedTuple):
    """A game with a number of seats and the options that differ from their defaults."""

    game: Game
    seats: int
    options: Options

    def start(self) -> State:
        """Returns a match before its first deal."""
        return self.game.new(self.seats, self.game.info.resolve(self.options))

    def __str__(self) -> str:
        """Returns a name for a test."""
        options = [f"{name}={value}" for name, value in self.options.items()]
        return "-".join([self.game.info.name, str(self.seats), *options])


def sittings() -> Iterator[Sitting]:
    """Yields every game with each number of seats, and with each word of each option."""
    for game in REGISTRY:
        for seats in range(game.info.min_seats, game.info.max_seats + 1):
            yield Sitting(game, seats, {})
        for option in game.info.options:
            for word in option.choices:
                if word != option.default:
                    yield Sitting(game, game.info.min_seats, {option.name: word})


def random_sitting(game: Game, rng: random.Random) -> Sitting:
    """Returns the game with any number of seats and any options that agree with each other."""
    seats = rng.randint(game.info.min_seats, game.info.max_seats)
    options = {option.name: _any(option, rng) for option in game.info.options if rng.random() < 0.8}
    return Sitting(game, seats, options)


def _any(option: Option, rng: random.Random) -> OptionValue:
    if option.choices:
        return rng.choice(option.choices)
    return rng.choice((option.low, option.default, min(option.high, option.low + rng.randrange(12))))


def shuffled(state: State, rng: random.Random) -> Outcome:
    """Returns a random outcome of what the state says has to be drawn."""
    chance = state.chance()
    draws = tuple(rng.randrange(size) for size in chance.draws)
    return Outcome(draws, tuple(rng.sample(range(chance.size), chance.size)))


def start(game: Game, options: Options | None = None, seats: int | None = None) -> State:
    """Returns a match before its first deal, with defaults for the options that are not given."""
    return Sitting(game, seats or game.info.min_seats, options or {}).start()


def advance(state: State, rng: random.Random) -> Step:
    """Does one random thing: deals, or plays a legal action."""
    seat = state.to_act()
    if seat == CHANCE:
        return Step(state, seat, None, state.start_deal(shuffled(state, rng)))
    action = rng.choice(state.legal_actions())
    return Step(state, seat, action, state.apply(action))


def playout(
    state: State, rng: random.Random, on_step: OnStep | None = None, deals: int | None = None
) -> State:
    """Plays on by random actions until the match is over, or `deals` deals of it have ended."""
    while state.to_act() != TERMINAL and not (state.to_act() == CHANCE and state.deal == deals):
        step = advance(state, rng)
        if on_step:
            on_step(step)
    return state


def random_playout(
    game: Game,
    seed: int,
    options: Options | None = None,
    on_step: OnStep | None = None,
    deals: int | None = None,
) -> State:
    """Plays a match from its start by random actions and returns its end.

    With `deals` it stops as soon as so many deals have ended.
    """
    return playout(start(game, options), random.Random(seed), on_step, deals)
