"""Gauntlets and challenges: candidates who never meet, and blocks in which all have the same deals."""

import itertools
import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import UsageError
from referee.tournament.formats import make
from referee.tournament.formats.base import Field
from referee.tournament.formats.settings import ChallengeSettings, GauntletSettings
from tests.tournament.fields import field, met, pairings, spread


def gauntlet(of: Field, candidates: int, laps: int = 0, matches: int = 0) -> list[tuple[str, ...]]:
    """Returns all matches of a gauntlet of the first bots of a field."""
    schedule = make(GauntletSettings(of.names[:candidates], laps, matches), of)
    found = pairings(schedule.pairings(0))
    sittings = [sitting for pairing in found for sitting in pairing.sittings]

    assert [pairing.index for pairing in found] == list(range(len(found)))
    assert schedule.total() == len(sittings)
    return sittings


@pytest.mark.parametrize(("bots", "seats"), [(6, 2), (7, 3), (8, 4), (6, 4)])
@pytest.mark.parametrize("candidates", [1, 2, 3])
def test_after_k_laps_all_candidates_met_the_whole_field_from_every_seat(
    bots: int, seats: int, candidates: int
) -> None:
    """Every table has one candidate; each meets all of the field equally often, from all seats."""
    of = field(bots, seats, seed=4)
    sittings = gauntlet(of, candidates)
    mine, others = set(of.names[:candidates]), of.names[candidates:]
    pairs = met(sittings)
    places = Counter((bot, seat) for sitting in sittings for seat, bot in enumerate(sitting) if bot in mine)

    assert all(len(mine.intersection(sitting)) == 1 for sitting in sittings)
    assert len(sittings) == candidates * math.comb(len(others), seats - 1) * seats
    assert len({pairs[frozenset(two)] for two in itertools.product(mine, others)}) == 1
    assert len({places[bot, seat] for bot in mine for seat in range(seats)}) == 1


@given(st.integers(1, 3), st.integers(2, 5), st.integers(0, 4), st.integers(1, 150), st.integers(0, 5))
def test_a_gauntlet_is_balanced_after_any_number_of_matches(
    candidates: int, seats: int, more: int, matches: int, seed: int
) -> None:
    """Candidates differ by 1 match, and by 1 sitting in a seat."""
    of = field(candidates + seats - 1 + more, seats, seed=seed)
    sittings = gauntlet(of, candidates, matches=matches)
    mine = of.names[:candidates]
    sat = Counter(bot for sitting in sittings for bot in sitting)

    assert max(sat[bot] for bot in mine) - min(sat[bot] for bot in mine) <= 1
    assert spread(sittings, mine, seats) <= 1


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("more", range(5))
def test_the_field_is_balanced_at_any_time(seats: int, more: int) -> None:
    """A bot of the field differs by 4 steps at most over its seats, by 1 at tables of 2."""
    of = field(seats + more, seats, seed=more)

    assert spread(gauntlet(of, 1, matches=300), of.names[1:], seats) <= (1 if seats == 2 else 4)


def test_all_candidates_meet_the_same_tables() -> None:
    """A step has the same opponents in the same seats for each candidate."""
    sittings = gauntlet(field(7, 3), 2, laps=1)

    for one, other in zip(sittings[::2], sittings[1::2], strict=True):
        assert [bot if bot != "b0" else "?" for bot in one] == [bot if bot != "b1" else "?" for bot in other]


@given(st.lists(st.sampled_from("ABCD"), min_size=8, max_size=8), st.integers(2, 3), st.integers(1, 80))
def test_owners_are_kept_apart_in_a_gauntlet(owners: list[str], seats: int, matches: int) -> None:
    """A candidate meets no bot of its owner, and seats stay balanced all the same."""
    of = field(8, seats, owners=owners)
    reach = [len(set(owners[2:]) - {owner}) >= seats - 1 for owner in owners[:2]]
    if not all(reach):
        with pytest.raises(UsageError, match=r"candidate 'b\d' has no table of \d seats"):
            make(GauntletSettings(("b0", "b1"), matches=matches), of)
        return
    sittings = gauntlet(of, 2, matches=matches)
    owner = dict(zip(of.names, owners, strict=True))

    assert all(len({owner[bot] for bot in sitting}) == seats for sitting in sittings)
    if any(owner[bot] in owners[2:] for bot in ("b0", "b1")):
        assert spread(sittings, of.names, seats) <= (3 if seats == 2 else 2)


def test_s1_a_block_is_played_exactly_once_by_each_competitor_from_one_seat() -> None:
    """In same_seat play all have the same seat and the same opponents, each once per block (S1)."""
    of = field(3, 4, house=4, duplicate="same_seat")
    schedule = make(GauntletSettings(of.names[:3]), of)
    blocks = pairings(schedule.pairings(0))
    seats: Counter[int] = Counter()

    assert schedule.total() == 3 * len(blocks) == 3 * math.comb(4, 3) * 4
    for block in blocks:
        assert block.kind == "same_seat"
        seat = block.sittings[0].index("b0")
        seats[seat] += 1
        assert [sitting[seat] for sitting in block.sittings] == ["b0", "b1", "b2"]
        assert len({sitting[:seat] + sitting[seat + 1 :] for sitting in block.sittings}) == 1
    assert set(seats.values()) == {4}


def test_a_gauntlet_may_rotate() -> None:
    """Each table is then a block of all its turns."""
    of = field(4, 3, duplicate="rotate")
    blocks = pairings(make(GauntletSettings(("b0",)), of).pairings(0))

    assert [len(block.sittings) for block in blocks] == [3, 3, 3]
    assert all(spread(block.sittings, block.entrants, 3) == 1 for block in blocks)
    assert len({block.entrants for block in blocks}) == 3


@pytest.mark.parametrize(
    ("of", "candidates", "said"),
    [
        (field(4, 2), (), "needs candidates"),
        (field(4, 2), ("b0", "b0"), "each named once"),
        (field(4, 2), ("c3",), "candidate 'c3' is no bot of this tournament"),
        (field(4, 3), ("b0", "b1", "b2"), "candidate 'b0' has no table of 3 seats with the 1 others"),
        (field(4, 2, duplicate="same_seat"), ("b0",), "against house bots alone, and 'b1' is none"),
        (
            field(2, 2, owners=["ann", "ann"], house=1, duplicate="same_seat"),
            ("b0", "b1"),
            "'b0' and 'b1' have one owner, who would meet the deals of a block twice",
        ),
    ],
)
def test_a_gauntlet_that_cannot_be_is_refused(of: Field, candidates: tuple[str, ...], said: str) -> None:
    """Unknown candidates, an empty field, and blocks whose deals somebody would know."""
    with pytest.raises(UsageError, match=said):
        make(GauntletSettings(candidates), of)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_challenger_meets_the_house_alone_from_all_seats(seats: int) -> None:
    """Each bot has as many matches as asked for, against house bots only, and its seats are balanced."""
    of = field(3, seats, house=seats - 1)
    schedule = make(ChallengeSettings("easy", matches=10), of)
    sittings = [pairing.sittings[0] for pairing in pairings(schedule.pairings(0))]
    sat = Counter(bot for sitting in sittings for bot in sitting)

    assert schedule.total() == 30
    assert [sat[bot] for bot in ("b0", "b1", "b2")] == [10, 10, 10]
    assert all(sum(bot.startswith("easy") for bot in sitting) == seats - 1 for sitting in sittings)
    assert spread(sittings, ["b0", "b1", "b2"], seats) <= 1


@pytest.mark.parametrize(
    ("settings", "of", "said"),
    [
        (ChallengeSettings("hard"), field(1, 2, house=1), "level 'hard' is none of easy, normal, expert"),
        (ChallengeSettings("easy", matches=0), field(1, 2, house=1), "at least 1 match"),
        (
            ChallengeSettings("easy"),
            field(2, 3, house=1),
            "takes 2 house bots of level easy and no others, not easy",
        ),
        (ChallengeSettings("normal"), field(2, 2, house=1), "takes 1 house bots of level normal"),
    ],
)
def test_a_challenge_that_cannot_be_is_refused(settings: ChallengeSettings, of: Field, said: str) -> None:
    """Levels that do not exist, no matches, and other house bots than the level's."""
    with pytest.raises(UsageError, match=said):
        make(settings, of)
