"""The rules engine in random playouts, against OpenSpiel's block dominoes written in Python.

Both pick uniformly from the legal actions until the game is over; a decision is one legal list and
one applied action. OpenSpiel plays its two-seat variant, which has the shorter legal lists.
"""

import random
import time

import pyspiel
from open_spiel.python.games import block_dominoes as _registers_itself  # noqa: F401

from benchmarks.report import paired, ratio, spread
from referee import games
from referee.games.base import CHANCE, TERMINAL, Outcome

DECISIONS = 20_000
ROUNDS = 7


def main() -> None:
    """Prints microseconds per decision of both engines and their ratio."""
    figures = paired(ROUNDS, {"referee": _referee, "open_spiel": _open_spiel})
    print(f"engine: random playouts of block dominoes, {DECISIONS} decisions a round, {ROUNDS} rounds")
    print(f"  referee                          {spread(figures['referee'])} us a decision")
    print(f"  OpenSpiel python_block_dominoes  {spread(figures['open_spiel'])} us a decision")
    print(f"  OpenSpiel / referee              {ratio(figures['open_spiel'], figures['referee'])}")


def _referee() -> float:
    game, rng = games.find("block_dominoes"), random.Random(1)
    options = game.info.resolve({})
    order = list(range(28))
    decisions, start = 0, time.perf_counter()
    while decisions < DECISIONS:
        state = game.new(4, options)
        while (to_act := state.to_act()) != TERMINAL:
            if to_act == CHANCE:
                rng.shuffle(order)
                state.start_deal(Outcome((), tuple(order)))
                continue
            legal = state.legal_actions()
            state.apply(legal[int(rng.random() * len(legal))])
            decisions += 1
    return (time.perf_counter() - start) / decisions * 1e6


def _open_spiel() -> float:
    game, rng = pyspiel.load_game("python_block_dominoes"), random.Random(1)
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
