"""Means with 95 % intervals by bootstrap over deal groups.

Matches of one deal group share their luck, so whole groups are drawn again, not matches. More than
`UNITS` groups are first joined, neighbours in time, into that many blocks: the blocks are as
independent as the groups were, and the cost stays bounded.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum

UNITS = 200
"""The most units that are drawn from."""
RESAMPLES = 1000
"""How often all units are drawn again."""

_TAIL = RESAMPLES * 25 // 1000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the ends of its 95 % interval; None where a single deal group allows none."""

    mean: float
    low: float | None
    high: float | None


def estimates(groups: Mapping[str, Sequence[tuple[float, ...]]], seed: str) -> tuple[Estimate, ...]:
    """Returns an estimate for each column of the rows, which stand by deal group in order of time.

    There must be at least one row. The same rows and seed give the same numbers.
    """
    rows = [row for group in groups.values() for row in group]
    means = [fsum(column) / len(rows) for column in zip(*rows, strict=True)]
    units = _units(list(groups.values()))
    if len(units) == 1:
        return tuple(Estimate(mean, None, None) for mean in means)
    rng = random.Random(seed)  # noqa: S311 - repeatable by intent, and no secret
    drawn = [_mean(rng.choices(units, k=len(units))) for _ in range(RESAMPLES)]
    spread = [sorted(column) for column in zip(*drawn, strict=True)]
    return tuple(
        Estimate(mean, column[_TAIL], column[-1 - _TAIL]) for mean, column in zip(means, spread, strict=True)
    )


def _units(groups: Sequence[Sequence[tuple[float, ...]]]) -> list[tuple[float, ...]]:
    """Returns (number of rows, sum of each column) for each group or block of groups."""
    count = min(len(groups), UNITS)
    bounds = [len(groups) * at // count for at in range(count + 1)]
    blocks = ([row for group in groups[start:stop] for row in group] for start, stop in pairwise(bounds))
    return [(len(rows), *map(fsum, zip(*rows, strict=True))) for rows in blocks]


def _mean(units: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    rows, *sums = map(sum, zip(*units, strict=True))
    return tuple(total / rows for total in sums)
