"""Deals of Mexican Train at every kind of table."""

import random

from referee.games.mexican_train.rules import State
from tests.games.mexican_train.positions import PIECES, started

ENGINES = ("highest_double", "descending")
DOUBLES = ("extra_turn", "must_satisfy")
TABLES = [
    (seats, {"engine": engine, "doubles": doubles})
    for seats in range(2, 9)
    for engine in ENGINES
    for doubles in DOUBLES
]


def random_order(rng: random.Random, seats: int) -> list[int]:
    """Returns a random order; now and then one that leaves all doubles, or few, in the boneyard."""
    pieces = rng.sample(range(91), 91)
    if seats < 8 and rng.random() < 0.2:
        keep = rng.choice([0, 0, 0, 1, 2])
        doubles = [piece for piece in pieces if PIECES[piece][0] == PIECES[piece][1]]
        pieces = [piece for piece in pieces if piece not in doubles]
        at = rng.randrange(15)
        pieces[at:at] = doubles[:keep]
        dealt = {2: 30, 3: 45, 4: 60, 5: 60, 6: 72, 7: 70}[seats]
        back = [*pieces[dealt:], *doubles[keep:]]
        pieces = [*pieces[:dealt], *rng.sample(back, len(back))]
    return pieces


def state_of(number: int, rng: random.Random) -> State:
    """Returns a deal that has just begun at the table of this number, in turn."""
    seats, options = TABLES[number % len(TABLES)]
    return started(random_order(rng, seats), seats, {**options, "deals": 13}, rng.randrange(1, 14))[0]
