"""The lead of a row over the next: its interval, and how many matches it still takes to be sure."""

import random
from collections.abc import Callable
from statistics import median

import pytest

from referee.tournament.lead import FEWEST, MOST, Groups, lead

Season = Callable[[random.Random, int], tuple[Groups, Groups]]

REPEATS = 200


def apart(rng: random.Random, groups: int) -> tuple[Groups, Groups]:
    """Returns bots that never meet, the first better by 0.06 points."""
    first = {f"a{n}": [(_clip(rng.gauss(0.53, 0.3)),)] for n in range(groups)}
    return first, {f"b{n}": [(_clip(rng.gauss(0.47, 0.3)),)] for n in range(groups)}


def paired(rng: random.Random, groups: int) -> tuple[Groups, Groups]:
    """Returns bots that play the same deals, two matches each, which share most of their luck."""
    first: dict[str, list[tuple[float]]] = {}
    second: dict[str, list[tuple[float]]] = {}
    for number in range(groups):
        luck = rng.gauss(0.5, 0.2)
        first[f"g{number}"] = [(luck + rng.gauss(0.01, 0.1),) for _ in range(2)]
        second[f"g{number}"] = [(luck + rng.gauss(-0.01, 0.1),) for _ in range(2)]
    return first, second


def together(rng: random.Random, groups: int) -> tuple[Groups, Groups]:
    """Returns two bots of one table, where the one gains what the other loses."""
    wins = [float(rng.random() < 0.58) for _ in range(groups)]
    return (
        {f"g{number}": [(win,)] for number, win in enumerate(wins)},
        {f"g{number}": [(1 - win,)] for number, win in enumerate(wins)},
    )


def _clip(value: float) -> float:
    return max(0.0, min(1.0, value))


def first_sure(season: Season, seed: int) -> int:
    """Returns after about how many groups the interval of a long season excludes 0 for good."""
    rng = random.Random(seed)
    first, second = season(rng, 600)
    names = list(zip(first, second, strict=True))
    last_unsure = FEWEST
    for count in range(FEWEST, len(names), 20):
        found = lead(
            {one: first[one] for one, _ in names[:count]},
            {other: second[other] for _, other in names[:count]},
        )
        if found.needed != 0:
            last_unsure = count
    return last_unsure


@pytest.mark.parametrize(
    ("season", "pilot", "matches"), [(apart, 120, 1), (paired, 60, 2), (together, 90, 1)]
)
def test_what_is_said_to_be_needed_is_what_is_needed(season: Season, pilot: int, matches: int) -> None:
    """Where the interval does not exclude 0 yet, the forecast agrees with what long seasons take.

    One forecast from so few matches is rough; the middle one of many, counted as sure where it is sure
    already, lies within a third of what it takes in the middle of many seasons.
    """
    rng = random.Random(5)
    forecasts = []
    for _ in range(REPEATS):
        found = lead(*season(rng, pilot))
        if found.needed is not None:
            size = pilot * matches
            # A lead that is the wrong way round, or that is sure, stands at its end of the order.
            forecasts.append(MOST if found.points < 0 else size + found.needed)
    actual = median(first_sure(season, seed) for seed in range(60)) * matches

    assert median(forecasts) == pytest.approx(actual, rel=1 / 3)


@pytest.mark.parametrize("season", [apart, paired, together])
def test_after_the_matches_that_were_needed_the_interval_excludes_0_in_half_of_all_cases(
    season: Season,
) -> None:
    """At the true spread and lead the number stands for an even chance."""
    long = lead(*season(random.Random(1), 20_000))
    assert long.low is not None
    reach = long.points - long.low
    groups = round((reach / long.points) ** 2 * 20_000)
    sure = sum(lead(*season(random.Random(seed), groups)).needed == 0 for seed in range(300))

    assert 100 <= sure <= 200


def test_what_both_played_is_paired() -> None:
    """The same points are more certain where the luck was shared, and less where one loses to the other."""
    points = [0.2, 0.8, 0.4, 0.6, 0.3, 0.9, 0.1, 0.7, 0.5, 0.5]
    upper = {f"g{n}": [(value + 0.05,)] for n, value in enumerate(points)}
    same = lead(upper, {f"g{n}": [(value,)] for n, value in enumerate(points)})
    other = lead(upper, {f"h{n}": [(value,)] for n, value in enumerate(points)})
    against = lead(upper, {f"g{n}": [(1 - value,)] for n, value in enumerate(points)})

    assert same.points == other.points == pytest.approx(0.05)
    assert same.needed == 0
    assert same.low == pytest.approx(0.05)
    assert other.low is not None
    assert against.low is not None
    assert against.low < other.low < 0
    assert against.needed
    assert other.needed
    assert against.needed > other.needed > 0


def test_too_few_deal_groups_tell_nothing() -> None:
    """Matches of a few groups, however many, and a lead of nothing say so instead of a number."""
    few = {f"g{n}": [(1.0,)] * 50 for n in range(FEWEST - 1)}
    many = {f"g{n}": [(n % 2,)] for n in range(40)}
    tied = lead(many, {f"h{n}": [(n % 2,)] for n in range(40)})

    assert (lead(few, many).low, lead(few, many).high, lead(few, many).needed) == (None, None, None)
    assert lead(few, many).points == 0.5
    assert (tied.points, tied.needed) == (0.0, None)


def test_a_lead_that_takes_for_ever_is_capped() -> None:
    """A tiny lead over a wide spread needs the most that is ever said; one that never fails needs none."""
    upper = {f"g{n}": [(n % 2 + 1e-5,)] for n in range(40)}
    lower = {f"h{n}": [(n % 2,)] for n in range(40)}
    always = lead({f"g{n}": [(1.0,)] for n in range(8)}, {f"g{n}": [(0.0,)] for n in range(8)})

    assert lead(upper, lower).needed == MOST
    assert (always.needed, always.low, always.high) == (0, 1.0, 1.0)
