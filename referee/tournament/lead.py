"""How far a row leads the next, and how many more matches it takes to be sure of it.

The lead D is the difference of the mean placement points of both rows. Its variance V comes from
the deal groups: a group g moves the mean of a row by r = (sum of its points in g - mean x its
matches in g) / all its matches, and the lead by r of the upper row less r of the lower one; V is the
sum of the squares of these, times G / (G - 1) for G groups. Where both rows played a group, at one
table or in a block of duplicate play, what they share cancels in it: the difference is paired there
and unpaired elsewhere.

The 95 % interval D ± 1.96 √V excludes 0 when 1.96 √V < |D|. V falls as matches are added, so at the
present spread it takes f = 1.96² V / D² times the matches of now, and (f - 1) times those of the row
with more of them are still needed, of each of the two.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, fsum, sqrt

FEWEST = 8
"""The fewest deal groups of each row that tell a spread."""
MOST = 1_000_000
"""More matches than this are as good as for ever."""
_QUANTILE = 1.959963984540054
_SMALLEST = 1e-9
"""What is smaller is the rounding of sums."""

Groups = Mapping[str, Sequence[tuple[float, ...]]]
"""Rows of a bot by deal group, each beginning with the placement points of a match."""


@dataclass(frozen=True, slots=True)
class Lead:
    """How far a row is ahead of the next one in placement points.

    Attributes:
        points: the difference of their means.
        low: the lower end of its 95 % interval, None where it cannot be told.
        high: the upper end of it.
        needed: matches that each of both still needs until the interval excludes 0: 0 where it does,
            `MOST` for as many or more, None where it cannot be told.
    """

    points: float
    low: float | None
    high: float | None
    needed: int | None


def lead(upper: Groups, lower: Groups) -> Lead:
    """Returns the lead of one row over another; each has at least one match."""
    first, second = _total(upper), _total(lower)
    points = first[1] / first[0] - second[1] / second[0]
    if min(len(upper), len(lower)) < FEWEST:
        return Lead(points, None, None, None)
    moves = [_move(upper, group, first) - _move(lower, group, second) for group in {**upper, **lower}]
    variance = fsum(move * move for move in moves) * len(moves) / (len(moves) - 1)
    reach = _QUANTILE * sqrt(variance)
    return Lead(points, points - reach, points + reach, _needed(points, reach, max(first[0], second[0])))


def _needed(points: float, reach: float, matches: int) -> int | None:
    if abs(points) < _SMALLEST:
        return None
    if reach < abs(points):
        return 0
    times = (reach / points) ** 2
    return max(1, min(MOST, ceil((times - 1) * matches)))


def _total(groups: Groups) -> tuple[int, float]:
    """Returns the number of matches and the sum of their points."""
    points = [row[0] for group in groups.values() for row in group]
    return len(points), fsum(points)


def _move(groups: Groups, group: str, total: tuple[int, float]) -> float:
    rows = groups.get(group, ())
    matches, points = total
    return (sum(row[0] for row in rows) - len(rows) * points / matches) / matches
