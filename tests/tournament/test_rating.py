"""Ratings: no bit by seat, no place against the result, no end at infinity."""

import itertools
import math

import pytest

from referee.tournament.rating import Rating, Ratings
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
