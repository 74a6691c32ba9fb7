"""Seats: nobody sits in one seat much more often than in another."""

import random
from itertools import permutations

import pytest

from referee.tournament.seating import Seating
from tests.tournament.fields import spread


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_seats_are_balanced_whoever_meets(seats: int) -> None:
    """Whatever tables come, counts differ by 2 at most over the seats of a bot, by 3 at tables of 2."""
    for seed in range(5):
        rng = random.Random(seed)
        names = [f"b{number}" for number in range(rng.randint(seats, 20))]
        seating = Seating()
        sittings = [seating.seat(rng.sample(names, seats)) for _ in range(300)]

        assert spread(sittings, names, seats) <= (3 if seats == 2 else 2)


def test_a_party_takes_turns() -> None:
    """Two bots change seats from match to match; the first of equal ways is taken."""
    seating = Seating()

    assert [seating.seat(["a", "b"]) for _ in range(3)] == [("a", "b"), ("b", "a"), ("a", "b")]


def test_no_other_way_to_seat_a_party_costs_less() -> None:
    """Of all ways to seat five bots one is taken in which nobody gets further ahead than need be."""
    rng = random.Random(1)
    seating = Seating()
    for _ in range(60):
        party = rng.sample("abcdefgh", 5)
        chosen = seating.arrange(party)
        costs = {
            order: sum(seating._excess(bot, seat) for seat, bot in enumerate(order))
            for order in permutations(party)
        }

        assert costs[chosen] == min(costs.values())
        seating.count(chosen)


def test_free_seats_alone_are_given() -> None:
    """Where some seats are taken the party is balanced over the others."""
    seating = Seating()
    seating.count(("x", "a", "b"))

    assert seating.arrange(["a", "b"], [1, 2]) == ("b", "a")


def test_a_bot_that_is_forgotten_starts_anew() -> None:
    """Nothing is left of it."""
    seating = Seating()
    seating.seat(["a", "b"])
    seating.forget("a")
    seating.forget("b")
    seating.forget("nobody")

    assert seating.seat(["a", "b"]) == ("a", "b")
