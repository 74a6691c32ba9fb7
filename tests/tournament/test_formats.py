"""Schedules: balance, byes, and that they are made as they are asked for."""

import random
from collections import Counter
from itertools import islice

import pytest

from referee.errors import TooFewError
from referee.tournament.formats import make
from referee.tournament.formats.base import Bye, Entrant, Field, Meeting, Pairing
from referee.tournament.formats.settings import RoundRobinSettings, SwissSettings


def field(bots: int, seats: int, seed: int = 0) -> Field:
    """Returns a field of bots, each its own owner."""
    return Field(tuple(Entrant(f"b{number}") for number in range(bots)), seats, seed)


def played(pairing: Pairing, rng: random.Random) -> Meeting:
    """Returns some result of a pairing."""
    sitting = list(pairing.sittings[0])
    rng.shuffle(sitting)
    return Meeting(pairing, {name: place / (len(sitting) - 1) for place, name in enumerate(sitting)})


def season(bots: int, seats: int, rounds: int, seed: int) -> list[Meeting | Bye]:
    """Plays a Swiss tournament with results by chance."""
    rng = random.Random(seed)
    swiss = make(SwissSettings(rounds=rounds), field(bots, seats, seed=seed))
    past: list[Meeting | Bye] = []
    for number in range(rounds):
        drawn = list(swiss.pairings(number, past))
        past += [one if isinstance(one, Bye) else played(one, rng) for one in drawn]
    return past


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("bots", [5, 7, 9])
def test_s3_nobody_has_a_second_bye_before_all_had_one(bots: int, seats: int) -> None:
    """In 7 rounds byes are shared out, every round seats as many as it can, and nobody sits twice."""
    for seed in range(5):
        byes: Counter[str] = Counter({f"b{bot}": 0 for bot in range(bots)})
        rounds: list[Counter[str]] = [Counter() for _ in range(7)]
        past = season(bots, seats, 7, seed)
        for number, seated in enumerate(rounds):
            free = [one.entrant for one in past if isinstance(one, Bye) and one.round == number]
            byes.update(free)
            seated.update(free)
            assert max(byes.values()) - min(byes.values()) <= 1
        for one in past:
            if isinstance(one, Meeting):
                rounds[one.pairing.round].update(one.pairing.sittings[0])
        assert all(set(seated.values()) == {1} and len(seated) == bots for seated in rounds)


def test_s3_opponents_do_not_meet_again_where_it_can_be_helped() -> None:
    """Eight bots at tables of two have seven rounds without a repeat."""
    for seed in range(5):
        met = Counter(
            frozenset(one.pairing.sittings[0]) for one in season(8, 2, 7, seed) if isinstance(one, Meeting)
        )
        assert max(met.values()) <= 2
        assert sum(count - 1 for count in met.values()) <= 2


def test_s5_too_few_for_a_table_is_said_by_name() -> None:
    """Whoever plays the schedule can pause; nothing is paired."""
    swiss = make(SwissSettings(rounds=3), field(5, 4))

    with pytest.raises(TooFewError, match=r"round 3: b\d, b\d, b\d cannot fill a table of 4 seats"):
        list(swiss.pairings(2, (), ("b0", "b1")))


def test_s1_seats_of_a_round_robin_are_balanced() -> None:
    """After whole laps each bot has sat in each seat equally often."""
    robin = make(RoundRobinSettings(laps=4), field(5, 4))
    seats = Counter(
        (seat, name)
        for one in robin.pairings(0)
        if isinstance(one, Pairing)
        for seat, name in enumerate(one.sittings[0])
    )

    assert robin.total() == 20
    assert set(seats.values()) == {4}
    assert len(seats) == 20


def test_c1_ten_of_ten_million_matches_are_made_at_once() -> None:
    """A schedule is as long as one likes, and costs what is taken of it."""
    robin = make(RoundRobinSettings(matches=10_000_000), field(50, 4))

    assert robin.total() == 10_000_000
    assert [one.index for one in islice(robin.pairings(0), 10) if isinstance(one, Pairing)] == list(range(10))
