"""Ratings against the implementations of OpenSkill on PyPI and npm: 2 to 8 seats, 500 rounds, ties.

Both libraries rate strict orders alike, and so do we, to `TOLERANCE` after 500 rounds: that is what
the order of additions leaves. For ties we differ from both on purpose (see `referee.tournament.rating`):
a tie is worth the mean of the strict orders that it stands for, and that mean is made here from the
strict updates of the other library.
"""

import json
import random
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from itertools import groupby, permutations, product
from pathlib import Path

import pytest
from openskill.models import PlackettLuce, PlackettLuceRating

from referee.tournament.rating import Rating, Ratings
from tests.requirements import cannot, require

TOLERANCE = 1e-9
"""How far two implementations may be apart after a season, in points of a rating that starts at 25."""
ROUNDS = 500
SEATS = range(2, 9)
INSTALL_LIMIT = 300.0
"""Seconds for fetching the package."""
SOURCE = Path(__file__).parent / "openskill_js"

Places = Mapping[str, int]

pytestmark = pytest.mark.timeout(INSTALL_LIMIT + 60)


def season(seats: int, *, ties: bool) -> Iterator[Places]:
    """Yields the places of 500 matches at one size of table, among two bots more than it has seats.

    The better bots mostly win. At most three share a place, so that every strict order can be rated.
    """
    rng = random.Random(seats)
    bots = [f"p{number}" for number in range(seats + 2)]
    for _ in range(ROUNDS):
        table = rng.sample(bots, seats)
        table.sort(key=lambda bot: rng.gauss(int(bot[1:]), 2.0))
        yield dict(zip(table, _places(rng, seats, ties=ties), strict=True))


def _places(rng: random.Random, seats: int, *, ties: bool) -> Iterator[int]:
    place = 1
    while place <= seats:
        together = min(rng.choice([1, 1, 2, 3]) if ties and place in {1, seats - 1} else 1, seats + 1 - place)
        yield from [place] * together
        place += together


def orders(places: Places) -> list[list[str]]:
    """Returns the strict orders, best first, that the places stand for."""
    ranked = sorted(places, key=places.__getitem__)
    tied = [list(permutations(group)) for _, group in groupby(ranked, key=places.__getitem__)]
    return [[bot for group in order for bot in group] for order in product(*tied)]


def ours(matches: Iterator[Places]) -> dict[str, tuple[float, float]]:
    """Returns mean and deviation of every bot by our own ratings."""
    ratings: Ratings[str] = Ratings()
    bots: dict[str, Rating | None] = {}
    for places in matches:
        ratings.rate(places)
        bots |= dict.fromkeys(places)
    found = {bot: ratings.get(bot) for bot in bots}
    return {bot: (rating.mean, rating.deviation) for bot, rating in found.items() if rating}


def pypi(matches: Iterator[Places]) -> dict[str, tuple[float, float]]:
    """Returns the same by the package from PyPI, which gets strict orders as such and nothing else."""
    model = PlackettLuce()
    ratings: dict[str, PlackettLuceRating] = {}
    for places in matches:
        (order,) = orders(places)
        updated = model.rate([[ratings.get(bot) or model.rating()] for bot in order])
        ratings |= {bot: team[0] for bot, team in zip(order, updated, strict=True)}
    return {bot: (rating.mu, rating.sigma) for bot, rating in ratings.items()}


@pytest.fixture(scope="module")
def npm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the script and the package from npm; skips where that cannot be had."""
    require("node", "npm")
    folder = tmp_path_factory.mktemp("openskill") / "check"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("node_modules"))
    install = ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund"]
    done = subprocess.run(
        install, cwd=folder, capture_output=True, text=True, timeout=INSTALL_LIMIT, check=False
    )
    if done.returncode:
        cannot(f"openskill cannot be had from npm: {' '.join(done.stderr.split()[-40:])}", "npm")
    return folder


@pytest.mark.parametrize("seats", SEATS)
def test_k12_strict_orders_are_rated_as_by_the_package_from_pypi(seats: int) -> None:
    """500 rounds without a tie come to the same ratings as the package's own (K12)."""
    found, expected = ours(season(seats, ties=False)), pypi(season(seats, ties=False))

    assert found.keys() == expected.keys()
    for bot, values in expected.items():
        assert found[bot] == pytest.approx(values, abs=TOLERANCE)


@pytest.mark.parametrize("ties", [False, True])
def test_k12_seasons_are_rated_as_by_the_package_from_npm(npm: Path, *, ties: bool) -> None:
    """500 rounds at tables of 2 to 8 seats, with and without ties, come to the same ratings (K12)."""
    asked = [[orders(places) for places in season(seats, ties=ties)] for seats in SEATS]
    done = subprocess.run(
        ["node", "rate.mjs"],
        cwd=npm,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=INSTALL_LIMIT,
        check=True,
    )

    for seats, expected in zip(SEATS, json.loads(done.stdout), strict=True):
        found = ours(season(seats, ties=ties))
        assert found.keys() == expected.keys()
        for bot, values in expected.items():
            assert found[bot] == pytest.approx(tuple(values), abs=TOLERANCE)


@pytest.mark.parametrize("seats", [8, 9, 10])
def test_k12_ratings_stay_finite_and_bounded_over_500_rounds(seats: int) -> None:
    """At large tables ratings stay finite, drift within bounds, and their deviation above 0 (K12)."""
    found = ours(season(seats, ties=True))
    means = [mean for mean, _ in found.values()]

    assert len(found) == seats + 2
    assert all(0.5 < deviation < 25 / 3 for _, deviation in found.values())
    assert all(-50 < mean < 100 for mean in means)
    assert sum(means) / len(means) == pytest.approx(25, abs=5)
