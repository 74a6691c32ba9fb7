"""Swiss tournaments: byes, opponents and seats, owners, and who has left."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import TooFewError, UsageError
from referee.match.config import DuplicateKind
from referee.tournament.formats import make
from referee.tournament.formats.base import Bye, Field, Meeting, Pairing
from referee.tournament.formats.grouping import Grouping
from referee.tournament.formats.settings import SwissSettings
from tests.tournament.fields import field, met, pairings, played, spread


def season(of: Field, rounds: int) -> list[Meeting | Bye]:
    """Plays a Swiss tournament with results by chance."""
    rng = random.Random(of.seed)
    swiss = make(SwissSettings(rounds=rounds), of)
    past: list[Meeting | Bye] = []
    for number in range(rounds):
        drawn = list(swiss.pairings(number, past))
        past += [one if isinstance(one, Bye) else played(one, rng) for one in drawn]
    return past


def sittings(past: Sequence[Meeting | Bye]) -> list[tuple[str, ...]]:
    """Returns all tables of a tournament."""
    return [one.pairing.sittings[0] for one in past if isinstance(one, Meeting)]


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("bots", [5, 7, 9])
def test_s3_nobody_has_a_second_bye_before_all_had_one(bots: int, seats: int) -> None:
    """In 7 rounds byes are shared out, every round seats as many as it can, and nobody sits twice."""
    for seed in range(5):
        byes: Counter[str] = Counter({f"b{bot}": 0 for bot in range(bots)})
        rounds: list[Counter[str]] = [Counter() for _ in range(7)]
        past = season(field(bots, seats, seed), 7)
        for number, seated in enumerate(rounds):
            free = [one.entrant for one in past if isinstance(one, Bye) and one.round == number]
            byes.update(free)
            seated.update(free)
            assert max(byes.values()) - min(byes.values()) <= 1
        for one in past:
            if isinstance(one, Meeting):
                rounds[one.pairing.round].update(one.pairing.sittings[0])
        assert all(set(seated.values()) == {1} and len(seated) == bots for seated in rounds)


@pytest.mark.parametrize(("bots", "seats", "rounds"), [(9, 2, 7), (16, 2, 7), (40, 4, 5), (31, 3, 6)])
def test_s3_opponents_do_not_meet_again(bots: int, seats: int, rounds: int) -> None:
    """Where there are bots enough no two meet twice, and seats differ by 2 at most, 3 at tables of 2."""
    for seed in range(3):
        tables = sittings(season(field(bots, seats, seed), rounds))

        assert max(met(tables).values()) == 1
        assert spread(tables, field(bots, seats).names, seats) <= (3 if seats == 2 else 2)


def fewest(order: Sequence[str], seats: int, grouping: Grouping) -> int:
    """Returns the lowest cost of all ways to seat everybody, by trying them."""
    if not order:
        return 0
    return min(
        grouping.cost((order[0], *others))
        + fewest([bot for bot in order[1:] if bot not in others], seats, grouping)
        for others in combinations(order[1:], seats - 1)
    )


@given(st.sampled_from([(4, 2), (6, 2), (8, 2), (6, 3), (8, 4)]), st.integers(0, 10_000), st.integers(1, 9))
def test_no_tables_have_fewer_repeats(size: tuple[int, int], seed: int, before: int) -> None:
    """In small fields the search finds as few repeats as there can be."""
    bots, seats = size
    names = field(bots, seats).names
    rng = random.Random(seed)
    history = met([rng.sample(names, seats) for _ in range(before)])
    grouping = Grouping(seats, history, field(bots, seats).parties, seed)
    tables = grouping.tables(names)

    assert sorted(bot for table in tables for bot in table) == sorted(names)
    assert sum(map(grouping.cost, tables)) == fewest(names, seats, grouping)


def test_those_with_like_scores_meet() -> None:
    """The best of the first round play each other in the second, and so do the last."""
    of = field(8, 4, seed=1)
    swiss = make(SwissSettings(rounds=2), of)
    first = [
        Meeting(one, dict(zip(one.sittings[0], (1, 0.9, 0.1, 0), strict=True)))
        for one in pairings(swiss.pairings(0))
    ]
    second = pairings(swiss.pairings(1, first))
    best = {name for meeting in first for name, points in meeting.points.items() if points > 0.5}

    assert [one.index for one in second] == [2, 3]
    assert [one.round for one in second] == [1, 1]
    assert second[0].entrants == best


def test_the_order_of_the_past_changes_nothing() -> None:
    """A round follows from what came before, in whatever order it is told (S7)."""
    of = field(9, 4, seed=3)
    past = season(of, 4)
    swiss = make(SwissSettings(rounds=5), of)

    assert list(swiss.pairings(4, past)) == list(swiss.pairings(4, past[::-1]))


@given(
    st.integers(4, 12), st.integers(2, 4), st.lists(st.sampled_from("ABCDE"), min_size=12), st.integers(0, 50)
)
def test_owners_are_kept_apart_in_every_round(bots: int, seats: int, owners: list[str], seed: int) -> None:
    """No table holds two bots of one owner, and as many tables are played as that allows."""
    of = field(bots, seats, seed, owners=owners[:bots])
    sizes = Counter(owners[:bots]).values()
    tables = max(
        number
        for number in range(bots // seats + 1)
        if sum(min(size, number) for size in sizes) >= number * seats
    )
    if not tables:
        with pytest.raises(UsageError, match=r"one bot of each owner|do not fill"):
            make(SwissSettings(rounds=3), of)
        return
    played_tables = sittings(season(of, 3))
    owner = dict(zip(of.names, owners, strict=False))

    assert all(len({owner[bot] for bot in table}) == seats for table in played_tables)
    assert len(played_tables) == 3 * tables == make(SwissSettings(rounds=3), of).total()


def test_whoever_left_is_not_paired_and_numbers_stay() -> None:
    """Later rounds are played by those who are left, under the numbers that they always had."""
    swiss = make(SwissSettings(rounds=3), field(9, 4))
    drawn = list(swiss.pairings(2, (), ("b1", "b5")))

    assert [one.index for one in pairings(drawn)] == [4]
    assert len(drawn) == 4
    assert not {"b1", "b5"} & {
        name for one in drawn for name in (one.entrants if isinstance(one, Pairing) else {one.entrant})
    }


@pytest.mark.parametrize(("bye", "top"), [(0.0, {"b0", "b2"}), (1.0, {"b0", "b4"})])
def test_a_bye_is_worth_what_settings_say(bye: float, top: set[str]) -> None:
    """Whoever had a bye stands before all others or behind them, as it is worth more or less."""
    swiss = make(SwissSettings(rounds=2, bye=bye), field(5, 2))
    past: list[Meeting | Bye] = [
        Bye(0, "b4"),
        Meeting(Pairing(0, 0, (("b0", "b1"),)), {"b0": 0.9, "b1": 0.2}),
        Meeting(Pairing(1, 0, (("b2", "b3"),)), {"b2": 0.8, "b3": 0.1}),
    ]
    lowest, *tables = swiss.pairings(1, past)

    assert lowest == Bye(1, "b3")
    assert pairings(tables)[0].entrants == top


def test_a_pairing_that_was_given_up_costs_only_those_who_were_not_there() -> None:
    """Those who came get what a bye is worth and have not met; who stayed away gets nothing."""
    of = field(4, 2)
    swiss = make(SwissSettings(rounds=2, bye=1.0), of)
    one, other = Pairing(0, 0, (("b0", "b1"),)), Pairing(1, 0, (("b2", "b3"),))
    past = [Meeting(one, {}, at_fault=["b1"]), Meeting(other, {"b2": 1.0, "b3": 0.0})]
    again = pairings(swiss.pairings(1, past))

    assert [table.entrants for table in again] == [{"b0", "b2"}, {"b1", "b3"}]


@pytest.mark.parametrize("duplicate", [None, "rotate"])
def test_a_round_may_be_of_blocks(duplicate: DuplicateKind | None) -> None:
    """Where tables rotate each takes all its turns."""
    swiss = make(SwissSettings(rounds=2), field(8, 4, duplicate=duplicate))
    drawn = pairings(swiss.pairings(0))

    assert {len(one.sittings) for one in drawn} == {4 if duplicate else 1}
    assert swiss.total() == (16 if duplicate else 4)


@pytest.mark.parametrize(
    ("of", "settings", "said"),
    [
        (field(4, 2), SwissSettings(rounds=0), "at least 1 round"),
        (field(4, 2), SwissSettings(rounds=3, bye=1.5), "worth 0 to 1 points, not 1.5"),
        (field(4, 2, duplicate="same_seat"), SwissSettings(rounds=3), "no same_seat blocks"),
        (field(4, 2, owners=["ann"] * 4), SwissSettings(rounds=3), "one bot of each owner"),
    ],
)
def test_a_swiss_tournament_that_cannot_be_is_refused(of: Field, settings: SwissSettings, said: str) -> None:
    """What makes no round is a usage error at once."""
    with pytest.raises(UsageError, match=said):
        make(settings, of)


def test_s5_too_few_for_a_table_is_said_by_name() -> None:
    """Whoever plays the schedule can pause; nothing is paired."""
    swiss = make(SwissSettings(rounds=3), field(5, 4))

    with pytest.raises(TooFewError, match=r"round 3: b\d, b\d, b\d cannot fill a table of 4 seats"):
        list(swiss.pairings(2, (), ("b0", "b1")))
