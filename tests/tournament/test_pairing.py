"""Schedules: balanced seats, mixed opponents, and what cannot be scheduled."""

import itertools
import math
import tracemalloc
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import UsageError
from referee.tournament.pairing import Table, tables, total

SIZES = [(4, 4), (5, 4), (6, 4), (7, 3), (8, 4), (6, 3), (5, 2), (9, 3), (6, 6), (3, 1)]


def seat_counts(schedule: list[Table], bots: list[str], seats: int) -> list[int]:
    """Returns how often each bot sat in each seat."""
    counts = Counter((bot, seat) for table in schedule for seat, bot in enumerate(table.seats))
    return [counts[bot, seat] for bot in bots for seat in range(seats)]


def names(count: int) -> list[str]:
    """Returns so many names of bots."""
    return [f"bot{number}" for number in range(count)]


@pytest.mark.parametrize(("count", "seats"), SIZES)
def test_a_lap_holds_every_choice_of_bots_once(count: int, seats: int) -> None:
    """In one lap every k bots meet exactly once, so every pair meets equally often."""
    for lap in range(3):
        schedule = list(tables(names(count), seats, total(count, seats, lap + 1), seed=3))
        met = Counter(frozenset(table.seats) for table in schedule)

        assert set(map(frozenset, itertools.combinations(names(count), seats))) == set(met)
        assert {lap + 1} == set(met.values())
        assert list(range(len(schedule))) == [table.index for table in schedule]


@pytest.mark.parametrize(("count", "seats"), SIZES)
def test_s1_seats_are_exactly_balanced_after_k_laps(count: int, seats: int) -> None:
    """After as many laps as there are seats each bot has sat in each seat equally often (S1)."""
    schedule = list(tables(names(count), seats, total(count, seats, seats)))

    assert len(set(seat_counts(schedule, names(count), seats))) == 1


@given(st.sampled_from([(5, 4), (7, 3), (7, 4), (5, 2), (9, 4), (4, 4), (3, 3)]), st.integers(1, 300))
def test_s1_seats_differ_by_one_at_most_after_any_number_of_tables(
    size: tuple[int, int], matches: int
) -> None:
    """Where bots and seats share no divisor (or all bots sit down) no (bot, seat) runs ahead (S1)."""
    count, seats = size
    counts = seat_counts(list(tables(names(count), seats, matches)), names(count), seats)

    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("matches", [33, 66, 165])
def test_opponents_are_mixed_before_a_lap_is_over(matches: int) -> None:
    """With many bots and few tables nobody meets the same few opponents again and again."""
    schedule = list(tables(names(11), 4, matches, seed=5))
    met = Counter(frozenset(pair) for table in schedule for pair in itertools.combinations(table.seats, 2))
    mean = matches * math.comb(4, 2) / math.comb(11, 2)

    assert max(met.values()) <= 2 * mean + 1


def test_the_order_around_the_table_changes_after_k_laps() -> None:
    """Four bots at one table see all 24 seatings before one comes again."""
    schedule = [table.seats for table in tables(names(4), 4, 48)]

    assert set(itertools.permutations(names(4))) == set(schedule[:24]) == set(schedule[24:])


def test_the_seed_alone_decides_the_schedule() -> None:
    """The same seed gives the same schedule; another seed another one."""
    first, again, other = (list(tables(names(6), 4, 20, seed=seed)) for seed in (1, 1, 2))

    assert first == again
    assert first != other


def test_c1_ten_million_matches_are_ordered_and_ten_taken_in_little_memory() -> None:
    """A schedule of 10 million matches is made one table at a time (C1)."""
    tracemalloc.start()
    taken = list(itertools.islice(tables(names(200), 4, 10_000_000), 10))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(taken) == 10
    assert peak < 1_000_000


@pytest.mark.parametrize(
    ("bots", "seats", "said"),
    [
        (["a", "b", "c"], 4, "3 bots do not fill a table of 4 seats"),
        (["a", "b", "a"], 2, "'a' is named twice"),
    ],
)
def test_a_schedule_that_cannot_be_made_is_refused_at_once(bots: list[str], seats: int, said: str) -> None:
    """Too few bots, or one bot named twice, is a usage error before the first table."""
    with pytest.raises(UsageError, match=said):
        tables(bots, seats, 1)
