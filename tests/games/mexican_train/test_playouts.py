"""Rules that hold in every deal, tried over many."""

import random

import pytest

from tests.games.mexican_train.positions import GAME, PIECES, legal, play, started, train
from tests.games.mexican_train.reference import Deal

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


@pytest.mark.parametrize("deals", [800, pytest.param(100_000, marks=pytest.mark.soak)])
def test_m11_the_second_implementation_agrees(deals: int) -> None:
    """In many deals of every kind of table both list the same, tell the same and score the same."""
    rng = random.Random(11)
    for number in range(deals):
        seats, options = TABLES[number % len(TABLES)]
        pieces = random_order(rng, seats)
        deal_number = rng.randrange(1, 14)
        state, told = started(pieces, seats, {**options, "deals": 13}, deal_number)
        deal = Deal(pieces, seats, deal_number, options["engine"], options["doubles"])
        assert told == deal.told
        steady = rng.random() < 0.5
        while state.to_act() >= 0:
            assert state.to_act() == deal.seat
            assert legal(state) == deal.legal()
            assert GAME.text.action(state.default_action()) == deal.default()
            text = deal.default() if steady and rng.random() < 0.7 else rng.choice(deal.legal())
            assert play(state, text) == deal.play(text)
        assert deal.over
        assert state.blocked == deal.blocked
        assert state.totals() == deal.scores()
        for name in deal.tracks:
            assert train(state, name) == " ".join(f"{inner}-{outer}" for inner, outer in deal.tracks[name])
