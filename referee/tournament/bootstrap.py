"""Means with 95 % intervals by bootstrap over deal groups.

Matches of one deal group share their luck, so whole groups are drawn again, not matches. More than
`UNITS` groups are first joined, neighbours in time, into that many blocks: the blocks are as
independent as the groups were, and the cost stays bounded.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from operator import itemgetter
from typing import TypeAlias

UNITS = 200
"""The most units that are drawn from."""
RESAMPLES = 1000
"""How often all units are drawn again."""

_TAIL = RESAMPLES * 25 // 1000
_Pick: TypeAlias = Callable[[Sequence[float]], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the ends of its 95 % interval; None where a single deal group allows none."""

    mean: float
    low: float | None
    high: float | None


class Bootstrap:
    """Draws for one table: the same seed gives the same numbers, whatever was asked for before.

    What was drawn for a number of units serves until another number is asked for.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._count = 0
        self._draws: list[_Pick] = []

    def estimates(self, groups: Mapping[str, Sequence[tuple[float, ...]]]) -> tuple[Estimate, ...]:
        """Returns an estimate for each column of the rows, which stand by deal group in order of time.

        There must be at least one row.
        """
        rows = [row for group in groups.values() for row in group]
        means = [fsum(column) / len(rows) for column in zip(*rows, strict=True)]
        units = _units(list(groups.values()))
        if len(units) == 1:
            return tuple(Estimate(mean, None, None) for mean in means)
        sizes, *sums = zip(*units, strict=True)
        drawn = self._drawn(len(units))
        counts = [sum(pick(sizes)) for pick in drawn]
        return tuple(
            _estimate(mean, [sum(pick(column)) / count for pick, count in zip(drawn, counts, strict=True)])
            for mean, column in zip(means, sums, strict=True)
        )

    def _drawn(self, count: int) -> list[_Pick]:
        """Returns, for each resample, what picks its units out of so many; there are at least two."""
        if self._count != count:
            rng = random.Random(f"{self._seed} {count}")  # noqa: S311 - repeatable by intent, and no secret
            self._count = count
            self._draws = [itemgetter(*rng.choices(range(count), k=count)) for _ in range(RESAMPLES)]
        return self._draws


def _estimate(mean: float, drawn: list[float]) -> Estimate:
    drawn.sort()
    return Estimate(mean, drawn[_TAIL], drawn[-1 - _TAIL])


def _units(groups: Sequence[Sequence[tuple[float, ...]]]) -> list[tuple[float, ...]]:
    """Returns (number of rows, sum of each column) for each group or block of groups."""
    count = min(len(groups), UNITS)
    bounds = [len(groups) * at // count for at in range(count + 1)]
    blocks = ([row for group in groups[start:stop] for row in group] for start, stop in pairwise(bounds))
    return [(len(rows), *map(fsum, zip(*rows, strict=True))) for rows in blocks]
