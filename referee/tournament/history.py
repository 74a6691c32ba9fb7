"""How ratings went over time: a bounded number of points for each row, whatever it has played."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from referee.tournament.house import is_house
from referee.tournament.rating import Rating, Ratings
from referee.tournament.result import DAY, MatchResult
from referee.tournament.tally import Line

MOST = 64
"""The most points of a course; beyond that neighbours are joined, and the later one stays."""


class Point(NamedTuple):
    """A rating, and when it was so: after so many matches of the row, or at the end of a day.

    Days are counted from the Unix epoch, in UTC; they are the periods in which ratings are folded.
    """

    at: int
    rating: Rating


class Course:
    """Points in their order, of which the last one is always there."""

    __slots__ = ("_points", "_width")

    def __init__(self) -> None:
        self._points: dict[int, Point] = {}
        self._width = 1

    def add(self, at: int, rating: Rating) -> None:
        """Takes the next point; one that lies where the last one did replaces it."""
        self._points[at // self._width] = Point(at, rating)
        if len(self._points) > MOST:
            self._width *= 2
            self._points = {point.at // self._width: point for point in self._points.values()}

    @property
    def points(self) -> tuple[Point, ...]:
        """The points that are kept."""
        return tuple(self._points.values())


@dataclass(frozen=True, slots=True)
class History:
    """How the rating of one row went.

    Attributes:
        days: by the end of each day on which the row played.
        matches: by how many counted matches it had played.
    """

    days: tuple[Point, ...]
    matches: tuple[Point, ...]


@dataclass(slots=True)
class _Row:
    played: int = 0
    days: Course = field(default_factory=Course)
    matches: Course = field(default_factory=Course)


def rated(counted: Iterable[MatchResult]) -> tuple[Ratings[Line], dict[Line, History]]:
    """Returns the ratings after matches that count, and how those of each row went."""
    ratings: Ratings[Line] = Ratings(lambda line: is_house(line.bot))
    rows: defaultdict[Line, _Row] = defaultdict(_Row)
    for result in sorted(counted, key=lambda result: result.rating_order):
        ranks = {Line(seat.bot, seat.version): seat.rank for seat in result.seats}
        ratings.rate(ranks)
        day = result.created // DAY
        for line in ranks:
            rating, row = ratings.get(line), rows[line]
            assert rating is not None  # noqa: S101  it was rated just now
            row.played += 1
            row.days.add(day, rating)
            row.matches.add(row.played, rating)
    return ratings, {line: History(row.days.points, row.matches.points) for line, row in rows.items()}
