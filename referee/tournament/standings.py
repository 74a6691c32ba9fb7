"""Standings: a fold of match results into tables, the same for every order of arrival.

One table for each (game, rules version, options); results are never summed across tables. One row
for each version of a bot: a new version starts anew. Only rated matches that came to an end count;
voids, no-shows and unrated matches are shown apart.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from referee.match.result import points
from referee.tournament.bootstrap import Estimate, estimates
from referee.tournament.rating import Rating, Ratings
from referee.tournament.result import MatchResult, SeatResult, check, unique

_DIGITS = 9
"""Means that agree to so many digits are equal: what is left is the rounding of sums."""


class TableKey(NamedTuple):
    """Names a table; `options` are all options in force, by name."""

    game: str
    rules_version: str
    options: tuple[tuple[str, int | str], ...]

    def __str__(self) -> str:
        return json.dumps(self, separators=(",", ":"))


class Line(NamedTuple):
    """Names a row: one version of one bot."""

    bot: str
    version: str


@dataclass(frozen=True, slots=True)
class Row:
    """What one version of a bot achieved.

    Attributes:
        place: 1 + the number of rows with more placement points.
        current: whether it is the version of the bot's last match in the table.
        matches: counted matches; 0 means that points, score and rating are None.
        ranks: how often the row was first, second and so on.
        no_shows: matches that the bot itself spoiled by not showing up.
        voids: matches that were void, or where another seat did not show up.
        unrated: matches that came to an end and were not meant to count.
        faults: faults of all matches, by kind.
    """

    place: int
    bot: str
    version: str
    name: str
    owner: str
    current: bool
    matches: int
    ranks: tuple[int, ...]
    points: Estimate | None
    score: Estimate | None
    rating: Rating | None
    forfeits: int
    no_shows: int
    voids: int
    unrated: int
    faults: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Standings:
    """One table; `terminations` counts all its matches, also those that do not count."""

    key: TableKey
    rows: tuple[Row, ...]
    matches: int
    deal_groups: int
    terminations: Mapping[str, int]


def fold(results: Iterable[MatchResult]) -> tuple[Standings, ...]:
    """Returns the tables of the results by key; raises `RecordError` for one that is not sound."""
    tables: dict[TableKey, list[MatchResult]] = defaultdict(list)
    for result in unique(results):
        check(result)
        key = TableKey(result.game, result.rules_version, tuple(sorted(result.options.items())))
        tables[key].append(result)
    return tuple(_table(key, tables[key]) for key in sorted(tables, key=str))


@dataclass(slots=True)
class _Tally:
    """What is known of a row while results are counted; `last` is its seat in its last match."""

    last: SeatResult
    groups: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    ranks: Counter[int] = field(default_factory=Counter)
    apart: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)


def _table(key: TableKey, results: list[MatchResult]) -> Standings:
    tallies: dict[Line, _Tally] = {}
    ratings: Ratings[Line] = Ratings()
    current: dict[str, str] = {}
    for result in results:
        for seat in result.seats:
            tally = tallies.setdefault(Line(seat.bot, seat.version), _Tally(seat))
            tally.last = seat
            tally.faults.update(seat.faults)
            current[seat.bot] = seat.version
        if result.counts:
            _count(result, tallies)
            ratings.rate({Line(seat.bot, seat.version): seat.rank for seat in result.seats})
        else:
            _count_apart(result, tallies)
    counted = [result for result in results if result.counts]
    seats = max((len(result.seats) for result in counted), default=0)
    rows = [_row(key, line, tally, ratings.get(line), seats, current) for line, tally in tallies.items()]
    return Standings(
        key=key,
        rows=tuple(_placed(rows)),
        matches=len(counted),
        deal_groups=len({result.deal_group for result in counted}),
        terminations=dict(sorted(Counter(result.termination for result in results).items())),
    )


def _count(result: MatchResult, tallies: Mapping[Line, _Tally]) -> None:
    forfeits = [number for number, seat in enumerate(result.seats) if seat.forfeited]
    earned = points([seat.rank for seat in result.seats], forfeits)
    for seat, point in zip(result.seats, earned, strict=True):
        tally = tallies[Line(seat.bot, seat.version)]
        tally.groups[result.deal_group].append((point, float(seat.score)))
        tally.ranks[seat.rank] += 1
        tally.apart["forfeits"] += seat.forfeited


def _count_apart(result: MatchResult, tallies: Mapping[Line, _Tally]) -> None:
    kinds: dict[Line, str] = {}
    for seat in result.seats:
        kind = "voids" if result.termination in {"no_show", "void"} else "unrated"
        own = result.termination == "no_show" and seat.at_fault
        kinds[Line(seat.bot, seat.version)] = "no_shows" if own else kind
    for line, kind in kinds.items():
        tallies[line].apart[kind] += 1


def _row(
    key: TableKey, line: Line, tally: _Tally, rating: Rating | None, seats: int, current: Mapping[str, str]
) -> Row:
    point, score = estimates(tally.groups, f"{key}{line}") if tally.groups else (None, None)
    return Row(
        place=0,
        bot=line.bot,
        version=line.version,
        name=tally.last.name,
        owner=tally.last.owner,
        current=current[line.bot] == line.version,
        matches=tally.ranks.total(),
        ranks=tuple(tally.ranks[rank] for rank in range(1, seats + 1)),
        points=point,
        score=score,
        rating=rating,
        forfeits=tally.apart["forfeits"],
        no_shows=tally.apart["no_shows"],
        voids=tally.apart["voids"],
        unrated=tally.apart["unrated"],
        faults=dict(sorted(tally.faults.items())),
    )


def _placed(rows: list[Row]) -> Iterator[Row]:
    """Returns the rows in a total order: points, rating, then name, id and version."""
    rows.sort(
        key=lambda row: (
            -_points(row),
            -round(row.rating.ordinal, _DIGITS) if row.rating else 0.0,
            row.name.casefold(),
            row.bot,
            row.version,
        )
    )
    for row in rows:
        better = sum(_points(other) > _points(row) for other in rows)
        yield replace(row, place=1 + better)


def _points(row: Row) -> float:
    return round(row.points.mean, _DIGITS) if row.points else -1.0
