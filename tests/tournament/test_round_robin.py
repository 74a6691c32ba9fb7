"""Round robins: balanced seats, mixed opponents, owners kept apart, and what cannot be scheduled."""

import itertools
import math
import tracemalloc
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import UsageError
from referee.tournament.formats import circle, make
from referee.tournament.formats.base import Field
from referee.tournament.formats.settings import RoundRobinSettings
from tests.tournament.fields import field, met, pairings, spread

SIZES = [(4, 4), (5, 4), (6, 4), (7, 3), (8, 4), (6, 3), (5, 2), (9, 3), (6, 6)]


def robin(of: Field, laps: int = 0, matches: int = 0) -> list[tuple[str, ...]]:
    """Returns all matches of a round robin."""
    schedule = make(RoundRobinSettings(laps, matches), of)
    found = pairings(schedule.pairings(0))
    sittings = [sitting for pairing in found for sitting in pairing.sittings]

    assert [pairing.index for pairing in found] == list(range(len(found)))
    assert schedule.total() == len(sittings)
    assert schedule.rounds == 1
    return sittings


def seat_counts(sittings: Sequence[Sequence[str]], of: Field) -> list[int]:
    """Returns how often each bot sat in each seat."""
    counts = Counter((bot, seat) for sitting in sittings for seat, bot in enumerate(sitting))
    return [counts[bot, seat] for bot in of.names for seat in range(of.seats)]


@pytest.mark.parametrize(("count", "seats"), SIZES)
def test_a_lap_holds_every_choice_of_bots_once(count: int, seats: int) -> None:
    """In one lap every k bots meet exactly once, so every pair meets equally often."""
    for laps in (1, 2, 3):
        tables = Counter(map(frozenset, robin(field(count, seats, seed=3), laps)))

        assert set(map(frozenset, itertools.combinations(field(count, seats).names, seats))) == set(tables)
        assert {laps} == set(tables.values())


@pytest.mark.parametrize(("count", "seats"), SIZES)
def test_s1_seats_are_exactly_balanced_after_k_laps(count: int, seats: int) -> None:
    """After as many laps as there are seats, as is usual, each bot sat in each seat equally often (S1)."""
    of = field(count, seats)

    assert len(set(seat_counts(robin(of), of))) == 1
    assert robin(of) == robin(of, laps=seats)


@given(
    st.sampled_from([(5, 4), (5, 3), (5, 2), (7, 3), (7, 4), (9, 4)]), st.integers(1, 300), st.integers(0, 9)
)
def test_s1_seats_differ_by_one_at_most_after_any_number_of_tables(
    size: tuple[int, int], matches: int, seed: int
) -> None:
    """Where bots and seats share no divisor no (bot, seat) runs ahead, as with 5 bots (S1)."""
    of = field(*size, seed=seed)
    counts = seat_counts(robin(of, matches=matches), of)

    assert max(counts) - min(counts) <= 1


@given(
    st.integers(2, 10),
    st.integers(2, 5),
    st.integers(1, 200),
    st.lists(st.sampled_from("ABCDEF"), min_size=10),
)
def test_s1_owners_are_kept_apart_and_seats_stay_balanced(
    count: int, seats: int, matches: int, owners: list[str]
) -> None:
    """No rated table holds two bots of one owner, and seats differ by 2 at most, 3 at tables of 2 (S1)."""
    of = field(count, seats, owners=owners[:count])
    if seats > len(set(owners[:count])):
        with pytest.raises(UsageError, match=r"one bot of each owner|do not fill a table"):
            make(RoundRobinSettings(matches=matches), of)
        return
    sittings = robin(of, matches=matches)
    owner = dict(zip(of.names, owners, strict=False))

    assert all(len({owner[bot] for bot in sitting}) == seats for sitting in sittings)
    assert spread(sittings, of.names, seats) <= (3 if seats == 2 else 2)


def test_a_lap_without_two_of_one_owner_is_counted_without_being_made() -> None:
    """The number of matches is right where owners are kept apart; unrated play leaves nothing out."""
    owners = ["ann", "ann", "bob", "cyd", "dee", "dee"]
    apart = [
        chosen
        for chosen in itertools.combinations(range(6), 3)
        if len({owners[number] for number in chosen}) == 3
    ]

    assert len(robin(field(6, 3, owners=owners), laps=1)) == len(apart)
    assert len(robin(field(6, 3, owners=owners, rated=False), laps=1)) == math.comb(6, 3)
    assert circle.choices([f"owner {number % 40}" for number in range(200)], 4) == math.comb(40, 4) * 5**4


def test_house_bots_may_sit_together() -> None:
    """Copies of a house bot have no owner who could gain."""
    assert len(robin(field(1, 4, house=3), laps=1)) == 1


@pytest.mark.parametrize(("count", "seats"), [(4, 4), (5, 3), (6, 2)])
def test_s1_only_rotate_plays_the_rotations_of_a_table(count: int, seats: int) -> None:
    """In a block every bot of a table has every seat once; else each deal is played from one seating (S1)."""
    of = field(count, seats, duplicate="rotate")
    schedule = pairings(make(RoundRobinSettings(), of).pairings(0))

    assert len(schedule) == math.comb(count, seats)
    for pairing in schedule:
        assert pairing.kind == "rotate"
        assert len(pairing.sittings) == seats
        assert all(len({sitting[seat] for sitting in pairing.sittings}) == seats for seat in range(seats))
    singles = pairings(make(RoundRobinSettings(), field(count, seats)).pairings(0))
    assert {(pairing.kind, len(pairing.sittings)) for pairing in singles} == {(None, 1)}


def test_blocks_are_played_whole() -> None:
    """As many matches as are asked for are made up to whole blocks, and the total says so."""
    assert len(robin(field(5, 4, duplicate="rotate"), matches=10)) == 12


@pytest.mark.parametrize("matches", [33, 66, 165])
def test_opponents_are_mixed_before_a_lap_is_over(matches: int) -> None:
    """With many bots and few tables nobody meets the same few opponents again and again."""
    pairs = met(robin(field(11, 4, seed=5), matches=matches))
    mean = matches * math.comb(4, 2) / math.comb(11, 2)

    assert max(pairs.values()) <= 2 * mean + 1


@pytest.mark.parametrize(("duplicate", "blocks"), [(None, 24), ("rotate", 6)])
def test_the_order_around_the_table_changes(duplicate: str | None, blocks: int) -> None:
    """Four bots at one table see all 24 seatings before one comes again, whether they rotate or not."""
    of = Field(field(4, 4).entrants, 4, duplicate="rotate" if duplicate else None)
    sittings = robin(of, laps=2 * blocks)

    assert set(itertools.permutations(of.names)) == set(sittings[:24]) == set(sittings[24:])


def test_the_seed_alone_decides_the_schedule() -> None:
    """The same seed gives the same schedule; another seed another one."""
    first, again, other = (robin(field(6, 4, seed=seed), matches=20) for seed in (1, 1, 2))

    assert first == again
    assert first != other


def test_c1_ten_million_matches_are_ordered_and_ten_taken_in_little_memory() -> None:
    """A schedule of 10 million matches is made one table at a time (C1)."""
    tracemalloc.start()
    schedule = make(
        RoundRobinSettings(matches=10_000_000), field(200, 4, owners=["a", "b", "c", "d", "e"] * 40)
    )
    taken = list(itertools.islice(schedule.pairings(0), 10))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert schedule.total() == 10_000_000
    assert len(taken) == 10
    assert peak < 1_000_000


@pytest.mark.parametrize(
    ("bots", "settings", "said"),
    [
        (field(3, 4), RoundRobinSettings(), "3 bots do not fill a table of 4 seats"),
        (Field(field(3, 2).entrants * 2, 2), RoundRobinSettings(), "'b0' is named twice"),
        (field(4, 2), RoundRobinSettings(laps=2, matches=3), "both given"),
        (field(4, 2), RoundRobinSettings(laps=-2), "below 0"),
        (field(4, 2, duplicate="same_seat"), RoundRobinSettings(), "no same_seat blocks"),
    ],
)
def test_a_schedule_that_cannot_be_made_is_refused_at_once(
    bots: Field, settings: RoundRobinSettings, said: str
) -> None:
    """What makes no schedule is a usage error before the first table."""
    with pytest.raises(UsageError, match=said):
        make(settings, bots)
