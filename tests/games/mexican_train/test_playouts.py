"""Rules that hold in every deal, tried over many."""

import random
from itertools import pairwise

import pytest

from referee.games.mexican_train.table import PUBLIC, TILES
from tests.games.mexican_train.deals import TABLES, random_order, state_of
from tests.games.mexican_train.pieces import pieces
from tests.games.mexican_train.positions import GAME, legal, play, started, train
from tests.games.mexican_train.reference import Deal


@pytest.mark.parametrize("deals", [560, pytest.param(100_000, marks=pytest.mark.soak)])
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


def test_r1_every_tile_is_somewhere_after_each_event() -> None:
    """Events told so far account for each tile of hands, boneyard and table, at every table."""
    rng = random.Random(1)
    for number in range(10 * len(TABLES)):
        state = state_of(number, rng)
        while state.to_act() >= 0:
            held = [hand.bit_count() for hand in state.hands]
            bones, laid = len(state.boneyard), sum(map(len, state.trains))
            events = state.apply(rng.choice(state.legal_actions()))
            for event in events:
                held[event.seat] += (event.kind == "drew") - (event.kind == "play")
                bones -= event.kind == "drew"
                laid += event.kind == "play"
                assert sum(held) + bones + laid == 90
            assert held == [hand.bit_count() for hand in state.hands]
            assert (bones, laid) == (len(state.boneyard), sum(map(len, state.trains)))
            assert sorted(pieces(state)) == sorted(TILES)


def test_trains_are_chains_from_the_engine() -> None:
    """Each tile of a train fits the one before it, the first one the engine."""
    rng = random.Random(2)
    for number in range(2 * len(TABLES)):
        state = state_of(number, rng)
        while state.to_act() >= 0:
            state.apply(rng.choice(state.legal_actions()))
        for one in state.trains:
            chain = [state.centre, *one]
            assert all(inner & 15 == outer >> 4 for inner, outer in pairwise(chain))
        assert all(not one for one in state.trains[len(state.hands) : PUBLIC])


def test_r6_every_deal_ends_by_going_out_or_by_a_block() -> None:
    """A block has an empty boneyard and as many passes as seats; without one somebody is out."""
    rng = random.Random(6)
    ends = {"out": 0, "blocked": 0}
    for number in range(12 * len(TABLES)):
        state, passes = state_of(number, rng), 0
        state.boneyard = state.boneyard[: rng.choice([0, 3, 91])]
        while state.to_act() >= 0:
            events = state.apply(rng.choice(state.legal_actions()))
            for event in events:
                if event.kind in {"play", "passed", "marker on"}:
                    passes = {"play": 0, "passed": passes + 1, "marker on": 1}[event.kind]
            assert state.passes == passes
            assert (
                state.to_act() < 0 or passes < len(state.hands) or state.boneyard or state.drawn is not None
            )
        kinds = [event.kind for event in events]
        ends["blocked" if state.blocked else "out"] += 1
        assert state.blocked == (kinds[-1] == "blocked") == all(state.hands)
        assert not state.blocked or (passes >= len(state.hands) and not state.boneyard)
    assert min(ends.values()) > 20


def test_r18_a_deal_is_never_blocked_by_a_double_to_cover() -> None:
    """Whoever holds a tile of its number is asked before the count of passes is full."""
    rng = random.Random(18)
    covers = 0
    for number in range(200):
        state = started(random_order(rng, 2 + number % 7), 2 + number % 7, {"doubles": "must_satisfy"})[0]
        state.boneyard = state.boneyard[: rng.randrange(8)]
        double = None
        while state.to_act() >= 0:
            double, last = state.double, double
            covers += double is not None and last is None
            fives = {action >> 4 for action in state.legal_actions()} if double is not None else set()
            assert all(state.ends[double or 0] in (tile >> 4, tile & 15) for tile in fives)
            state.apply(rng.choice(state.legal_actions()))
        assert not state.blocked or state.double is None
    assert covers > 100
