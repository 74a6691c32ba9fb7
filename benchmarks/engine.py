"""The rules engines in random playouts, against OpenSpiel and RLCard, all driven from Python.

All pick uniformly from the legal actions until the game is over; a decision is one legal list and
one applied action, and what a deal takes is shared by its decisions. OpenSpiel's chance nodes are
played as its documentation has it, from their list of outcomes. `views` adds what the seat to act
is sent at each decision: the public part, built once for all, its own part, and the legal list.
"""

import random
import time
from collections.abc import Callable
from functools import partial

import pyspiel
import rlcard
from open_spiel.python.games import block_dominoes as _registers_itself  # noqa: F401

from benchmarks.report import paired, ratio, spread
from benchmarks.strength import usual_seats
from referee import games
from referee.games.base import CHANCE, TERMINAL, Chance, Game, Outcome, State

DECISIONS = 20_000
FEWER = 1_000
"""The decisions of a round of RLCard, which are slow."""
ROUNDS = 7
OPEN_SPIEL = ("python_block_dominoes", "hearts", "dou_dizhu")
RLCARD = "RLCard doudizhu"
COMPARED = (
    ("block_dominoes", "python_block_dominoes", 10),
    ("block_dominoes", "hearts", 1),
    ("mexican_train", "hearts", 1),
    ("ding_niu", "hearts", 1),
    ("guan_pai", "dou_dizhu", 0.5),
    ("guan_pai", RLCARD, 20),
)
"""A game, what it is measured against, and how many times as fast it is meant to be."""


def main() -> None:
    """Prints microseconds per decision of every engine, and the ratios that are asked for."""
    sides: dict[str, Callable[[], float]] = {}
    for game in games.REGISTRY:
        sides[game.info.name] = partial(_referee, game, _nothing)
        sides[f"{game.info.name} views"] = partial(_referee, game, _show)
    sides |= {name: partial(_open_spiel, name) for name in OPEN_SPIEL}
    sides[RLCARD] = _rlcard
    figures = paired(ROUNDS, sides)
    print(f"engine: random playouts, {DECISIONS} decisions a round, {ROUNDS} rounds, us a decision")
    for name, found in figures.items():
        print(f"  {name:24} {spread(found)}")
    print("  times as fast")
    for ours, other, wanted in COMPARED:
        print(f"  {ours:14} / {other:22} {ratio(figures[other], figures[ours])}, at least {wanted}")


def _nothing(game: Game, state: State, seat: int) -> None:
    """Shows nobody anything."""


def _show(game: Game, state: State, seat: int) -> None:
    """Builds what the seat to act is sent of the game."""
    game.wire.public(game.view.public(state))
    game.wire.private(game.view.private(state, seat))
    for action in state.legal_actions():
        game.wire.action(action)


def _referee(game: Game, show: Callable[[Game, State, int], None]) -> float:
    rng, seats = random.Random(1), usual_seats(game)
    options = game.info.resolve({})
    decisions, start = 0, time.perf_counter()
    while decisions < DECISIONS:
        state = game.new(seats, options)
        while (to_act := state.to_act()) != TERMINAL:
            if to_act == CHANCE:
                state.start_deal(_outcome(state.chance(), rng))
                continue
            legal = state.legal_actions()
            if show is not _nothing:
                show(game, state, to_act)
            state.apply(legal[int(rng.random() * len(legal))])
            decisions += 1
    return (time.perf_counter() - start) / decisions * 1e6


def _outcome(chance: Chance, rng: random.Random) -> Outcome:
    """Returns a random outcome; sorting by random keys is the quickest shuffle there is in Python."""
    keys = memoryview(rng.randbytes(8 * chance.size)).cast("Q").tolist()
    order = sorted(range(chance.size), key=keys.__getitem__)
    return Outcome(tuple([rng.randrange(size) for size in chance.draws]), tuple(order))


def _open_spiel(name: str) -> float:
    game, rng = pyspiel.load_game(name), random.Random(1)
    decisions, start = 0, time.perf_counter()
    while decisions < DECISIONS:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions = [action for action, _ in state.chance_outcomes()]
            else:
                actions = state.legal_actions()
                decisions += 1
            state.apply_action(actions[int(rng.random() * len(actions))])
    return (time.perf_counter() - start) / decisions * 1e6


def _rlcard() -> float:
    env, rng = rlcard.make("doudizhu"), random.Random(1)
    decisions, start = 0, time.perf_counter()
    while decisions < FEWER:
        state, _ = env.reset()
        while not env.is_over():
            actions = list(state["legal_actions"])
            state, _ = env.step(actions[int(rng.random() * len(actions))])
            decisions += 1
    return (time.perf_counter() - start) / decisions * 1e6
