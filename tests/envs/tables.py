"""Environments to test: every kind of table of every game, whole and in random play."""

import random
from collections.abc import Callable, Iterator

import numpy as np
from pettingzoo.test import api_test as _api_test
from pettingzoo.test import render_test as _render_test
from pettingzoo.test import seed_test as _seed_test

from referee.envs import Arena, Observation
from referee.envs.encodings import ENCODINGS
from tests.games.helpers import Sitting, sittings

api_test: Callable[..., None] = _api_test
render_test: Callable[..., None] = _render_test
seed_test: Callable[..., None] = _seed_test

TABLES = [sitting for sitting in sittings() if sitting.game.info.name in ENCODINGS]
_LENGTHS = ("deals", "max_deals")
"""Options that say after how many deals a match ends."""


def arena(sitting: Sitting, deals: int | None = None) -> Arena:
    """Returns the environment of a table, without wrappers; `deals` make its match so short."""
    options = dict(sitting.options)
    if deals is not None:
        options |= {option.name: deals for option in sitting.game.info.options if option.name in _LENGTHS}
    return Arena(sitting.game.info.name, sitting.seats, options)


def allowed(observation: Observation) -> list[int]:
    """Returns the ids that a mask allows."""
    return [int(number) for number in np.flatnonzero(observation["action_mask"])]


def wander(played: Arena, seed: int, steps: int) -> Iterator[str]:
    """Plays random ids, through the ends of matches; yields who acts before each one."""
    rng = random.Random(seed)
    played.reset(seed=seed)
    for _ in range(steps):
        if any(played.terminations.values()):
            played.reset()
        agent = played.agent_selection
        yield agent
        played.step(rng.choice(allowed(played.observe(agent))))
