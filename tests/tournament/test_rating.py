"""Ratings: no bit by seat, no place against the result, no end at infinity."""

import itertools
import math
import random
from statistics import mean

import pytest

from referee.store.bots import HOUSE_BOTS
from referee.tournament.house import LEVELS, is_house
from referee.tournament.rating import SETTLED, Rating, Ratings
from referee.tournament.standings import fold
from tests.tournament.samples import result


def rated(ranks: dict[str, int]) -> dict[str, Rating]:
    """Returns the ratings of new players after one match."""
    ratings: Ratings[str] = Ratings()
    ratings.rate(ranks)
    return {player: found for player in ranks if (found := ratings.get(player))}


def test_k1_the_order_of_seats_changes_no_bit() -> None:
    """All 120 seatings of one match give equal ratings, and equal places equal updates (K1)."""
    places = {"a": 1, "b": 2, "c": 2, "d": 2, "e": 5}
    first = rated(places)

    for seating in itertools.permutations(places):
        assert first == rated({player: places[player] for player in seating})
    assert first["b"].mean == pytest.approx(first["c"].mean) == pytest.approx(first["d"].mean)
    assert first["b"].deviation == pytest.approx(first["d"].deviation)


@pytest.mark.parametrize(
    "ranks",
    [[1, 1, 3, 4, 5], [1, 2, 2, 2, 5], [1, 2, 3, 3], [1, 1, 1], [1, 1, 3, 3], [1, 2], [1] * 6 + [7, 8]],
)
def test_k3_one_match_never_rates_against_its_result(ranks: list[int]) -> None:
    """After one match from equal start a better place never has the lower rating (K3)."""
    places = {f"p{number}": rank for number, rank in enumerate(ranks)}
    found = rated(places)

    for one, other in itertools.combinations(places, 2):
        if places[one] == places[other]:
            assert found[one].mean == pytest.approx(found[other].mean)
        else:
            assert (found[one].mean > found[other].mean) is (places[one] < places[other])


def test_k4_a_rating_stays_finite_after_thousands_of_losses() -> None:
    """A bot that loses 3000 matches in a row has a finite, low rating, and the table stands (K4)."""
    (table,) = fold(result(n, {"ann": 9, "bob": 8, "cyd": 7, "dee": 0}) for n in range(3000))
    last = table.rows[-1]

    assert last.bot == "dee"
    assert last.matches == 3000
    for row in table.rows:
        assert row.rating
        assert all(map(math.isfinite, (row.rating.mean, row.rating.deviation, row.rating.ordinal)))
        assert row.rating.deviation > 0
    assert table.rows[0].rating
    assert last.rating
    assert last.rating.mean < table.rows[0].rating.mean


def test_k6_a_bot_without_a_counted_match_has_no_rating() -> None:
    """Void and unplayed matches leave a new bot without a rating (K6)."""
    (table,) = fold([result(0, {"ann": 1, "bob": 2}, termination="void")])

    assert [row.rating for row in table.rows] == [None, None]


HOUSE = {"easy/easy": -1.0, "normal/normal": 0.0, "expert/expert": 1.0}
"""House bots with a strength, in units of the luck of one match."""


def steady_bot(*, newcomers: float, anchored: bool) -> tuple[float, float]:
    """Returns the mean rating of a bot that stays as it is in two parts of a long ladder.

    A newcomer of the strength `newcomers` comes every 40 matches and leaves before the next.
    """
    rng = random.Random(2)
    ratings: Ratings[str] = Ratings(is_house if anchored else lambda _: False)
    strength = {**HOUSE, "ann": 0.5, "bob": 0.2, "cyd": -0.3}
    seen = []
    for number in range(4000):
        newcomer = f"new {number // 40}"
        strength[newcomer] = newcomers
        table = rng.sample([*HOUSE, "ann", "bob", "cyd", newcomer], 4)
        table.sort(key=lambda bot: rng.gauss(strength[bot], 1), reverse=True)
        ratings.rate({bot: 1 + place for place, bot in enumerate(table)})
        found = ratings.get("ann")
        assert found or number < 100
        seen.append(found.mean if found else 25.0)
    return mean(seen[1000:2000]), mean(seen[3000:])


@pytest.mark.parametrize("newcomers", [-2.0, 2.0])
def test_house_bots_hold_the_scale(newcomers: float) -> None:
    """With house bots as anchors a bot that stays as it is keeps its rating, whoever comes and goes."""
    early, late = steady_bot(newcomers=newcomers, anchored=True)
    loose_early, loose_late = steady_bot(newcomers=newcomers, anchored=False)

    assert late == pytest.approx(early, abs=1.5)
    assert abs(loose_late - loose_early) > max(2.5, 2 * abs(late - early))


def test_an_anchor_stays_once_it_is_known() -> None:
    """It is rated as everybody else until its deviation is small; then only others move."""
    ratings: Ratings[str] = Ratings(is_house)
    rng = random.Random(1)
    known: Rating | None = None
    for _ in range(300):
        ratings.rate({"easy/easy": 1 + (rng.random() < 0.6), "ann": 1})
        found = ratings.get("easy/easy")
        assert found
        assert known is None or found == known
        known = found if found.deviation <= SETTLED else None
    assert known
    assert SETTLED - 0.5 < known.deviation <= SETTLED


def test_a_house_bot_is_known_by_its_id() -> None:
    """Copies of house bots are house bots; bots of other owners with such names are not."""
    assert HOUSE_BOTS == LEVELS
    assert all(is_house(f"{level}/{level}{copy}") for level in LEVELS for copy in ("", "-2"))
    assert not any(map(is_house, ["easy@1f2e/easy", "easygoing", "ann/easy", ""]))


def test_ratings_are_folded_in_the_order_of_pairings_within_a_day() -> None:
    """What was played first within a day does not matter; what was played on an earlier day comes first."""
    day = 86_400_000_000
    games = [{"ann": 9, "bob": 1}, {"bob": 9, "cyd": 1}, {"cyd": 9, "ann": 1}]

    def table(created: list[int]) -> dict[str, Rating | None]:
        season = [
            result(n, scores, pairing=f"cup/{n + 8}", tournament="cup", created=at)
            for n, (scores, at) in enumerate(zip(games, created, strict=True))
        ]
        (found,) = fold(season)
        return {row.bot: row.rating for row in found.rows}

    assert table([1, 2, 3]) == table([30, 20, 10])
    assert table([1, 2, 3]) != table([day + 1, 2, 3])
