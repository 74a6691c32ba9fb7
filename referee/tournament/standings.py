"""Standings: a fold of match results and decisions into tables, the same for every order of arrival.

One table for each (tournament, game, rules version, options); results are never summed across
tables. One row for each version of a bot: a new version starts anew. Only rated matches that came to
an end count, as `counting` has it; all others are shown apart.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from referee.tournament.bootstrap import Bootstrap, Estimate
from referee.tournament.counting import DISQUALIFIED, NO_SHOW, UNRATED, VOID, VOIDED, Judged, judged
from referee.tournament.decision import NO_RULINGS, Rulings, Unplayed
from referee.tournament.history import History, rated
from referee.tournament.lead import Lead, lead
from referee.tournament.rating import Rating
from referee.tournament.result import MatchResult
from referee.tournament.tally import FORFEITED, NO_SHOW_OF_OTHERS, Line, Met, Tallies, Tally, tally

WITHDRAWN = "withdrawn"
"""Why a row stands below all that stayed: its bot left."""
_CLASSES = ("", WITHDRAWN, DISQUALIFIED)
_DIGITS = 9
"""Means that agree to so many digits are equal: what is left is the rounding of sums."""


class TableKey(NamedTuple):
    """Names a table; `options` are all options in force, by name, `tournament` is empty for none."""

    tournament: str
    game: str
    rules_version: str
    options: tuple[tuple[str, int | str], ...]

    def __str__(self) -> str:
        return json.dumps(self, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Row:
    """What one version of a bot achieved.

    Attributes:
        place: 1 + the number of current versions that stand before it; equal points share a place.
        current: whether it is the version of the bot's last match in the table.
        left: `withdrawn` or `disqualified` for a bot that is away for good, and `why`.
        matches: counted matches; 0 means that points, score and rating are None.
        ranks: how often the row was first, second and so on.
        lead: how far it leads the next current row that stayed; None for the last one.
        ends: how each match ended for it, also those that do not count; they sum to all its matches.
        faults: faults of all matches, by kind.
        turns: turns of all matches that it answered or let run out.
        think: microseconds that it took over them in all.
        longest: microseconds that the longest of them took.
        byes: rounds in which it had nobody to play.
        unplayed: pairings that were given up because it did not show up.
    """

    place: int
    bot: str
    version: str
    name: str
    owner: str
    current: bool
    left: str
    why: str
    matches: int
    ranks: tuple[int, ...]
    points: Estimate | None
    score: Estimate | None
    rating: Rating | None
    lead: Lead | None
    ends: Mapping[str, int]
    faults: Mapping[str, int]
    turns: int
    think: int
    longest: int
    byes: int
    unplayed: int

    @property
    def line(self) -> Line:
        """What names the row."""
        return Line(self.bot, self.version)

    @property
    def forfeits(self) -> int:
        """Counted matches that it forfeited, whatever the cause."""
        return sum(count for end, count in self.ends.items() if end.split("_")[0] == FORFEITED)

    @property
    def no_shows(self) -> int:
        """Matches that the bot itself spoiled by not showing up."""
        return self.ends.get(NO_SHOW, 0)

    @property
    def voids(self) -> int:
        """Matches that were void, were made void, or where another seat did not show up."""
        return sum(self.ends.get(end, 0) for end in (VOID, VOIDED, NO_SHOW_OF_OTHERS))

    @property
    def unrated(self) -> int:
        """Matches that came to an end and were not meant to count."""
        return self.ends.get(UNRATED, 0)


@dataclass(frozen=True, slots=True)
class Standings:
    """One table.

    Attributes:
        matches: those that count.
        deal_groups: how many deal groups they belong to.
        terminations: how all matches ended, also those that do not count; a match that an operator
            made void is void.
        apart: why matches do not count; with `matches` they sum to all matches, as `terminations` do.
        met: how the rows did against each other, the lesser line first.
        history: how the ratings went.
        unplayed: the pairings that were given up.
        byes: how often each bot had nobody to play, by id.
        updated: when the last match ended, in microseconds since the Unix epoch.
    """

    key: TableKey
    rows: tuple[Row, ...]
    matches: int
    deal_groups: int
    terminations: Mapping[str, int]
    apart: Mapping[str, int]
    met: Mapping[tuple[Line, Line], Met]
    history: Mapping[Line, History]
    unplayed: tuple[Unplayed, ...]
    byes: Mapping[str, int]
    updated: int

    def against(self, line: Line, other: Line) -> tuple[int, float]:
        """Returns how many matches two rows played together, and the wins of the first in them."""
        first, second = sorted((line, other))
        met = self.met.get((first, second))
        if met is None:
            return 0, 0.0
        return met.matches, met.wins if line == first else met.matches - met.wins


def fold(
    results: Iterable[MatchResult], rulings: Mapping[str, Rulings] = NO_RULINGS
) -> tuple[Standings, ...]:
    """Returns the tables of the results by key; `rulings` are what was decided, by tournament.

    Raises `RecordError` for a result that is not sound.
    """
    tables: dict[TableKey, list[Judged]] = defaultdict(list)
    homes: dict[str, TableKey] = {}
    for match in judged(results, rulings):
        result = match.result
        options = tuple(sorted(result.options.items()))
        key = TableKey(result.tournament, result.game, result.rules_version, options)
        homes[result.pairing] = key
        tables[key].append(match)
    found = []
    for key in sorted(tables, key=str):
        decided = rulings.get(key.tournament, Rulings())
        unplayed = [
            one
            for pairing, one in decided.unplayed.items()
            if pairing not in decided.accepted and homes.get(pairing, key) == key
        ]
        found.append(_table(key, tables[key], decided, unplayed))
    return tuple(found)


def _table(key: TableKey, matches: list[Judged], rulings: Rulings, unplayed: list[Unplayed]) -> Standings:
    tallies = tally(matches)
    counted = [result for result, apart in matches if not apart]
    byes = Counter(bot for found in rulings.byes.values() for bot in found)
    missed = Counter(bot for one in unplayed for bot in one.at_fault)
    ratings, history = rated(counted)
    seats = max((len(result.seats) for result in counted), default=0)
    rows = []
    for row in _rows(tallies, seats, Bootstrap(str(key))):
        current = tallies.current[row.bot] == row.version
        left, why = _left(row.bot, rulings)
        rows.append(
            replace(
                row,
                current=current,
                left=left,
                why=why,
                rating=ratings.get(row.line),
                byes=byes[row.bot] * current,
                unplayed=missed[row.bot] * current,
            )
        )
    return Standings(
        key=key,
        rows=tuple(_with_leads(list(_placed(rows)), tallies)),
        matches=len(counted),
        deal_groups=len({result.deal_group for result in counted}),
        terminations=_sorted(Counter(_termination(match) for match in matches)),
        apart=_sorted(Counter(apart for _, apart in matches if apart)),
        met=dict(tallies.met),
        history=history,
        unplayed=tuple(unplayed),
        byes=_sorted(byes),
        updated=max(result.created + result.duration for result, _ in matches),
    )


def _rows(tallies: Tallies, seats: int, bootstrap: Bootstrap) -> Iterator[Row]:
    """Yields the rows in no order that matters: what was drawn for one serves the next like it."""
    for line, found in sorted(tallies.rows.items(), key=lambda item: (len(item[1].groups), item[0])):
        yield _row(line, found, seats, bootstrap)


def _row(line: Line, found: Tally, seats: int, bootstrap: Bootstrap) -> Row:
    """Returns the row, without what depends on others or was decided."""
    point, score = bootstrap.estimates(found.groups) if found.groups else (None, None)
    return Row(
        place=0,
        bot=line.bot,
        version=line.version,
        name=found.last.name,
        owner=found.last.owner,
        current=False,
        left="",
        why="",
        matches=found.ranks.total(),
        ranks=tuple(found.ranks[rank] for rank in range(1, seats + 1)),
        points=point,
        score=score,
        rating=None,
        lead=None,
        ends=_sorted(found.ends),
        faults=_sorted(found.faults),
        turns=found.turns,
        think=found.think,
        longest=found.longest,
        byes=0,
        unplayed=0,
    )


def _left(bot: str, rulings: Rulings) -> tuple[str, str]:
    if bot in rulings.disqualified:
        return DISQUALIFIED, rulings.disqualified[bot]
    return (WITHDRAWN, rulings.withdrawn[bot]) if bot in rulings.withdrawn else ("", "")


def _termination(match: Judged) -> str:
    return VOID if match.apart == VOIDED else match.result.termination


def _placed(rows: list[Row]) -> Iterator[Row]:
    """Returns the rows in a total order: who stayed, points, rating, then name, id and version.

    Withdrawn bots stand below all that stayed, disqualified ones last. Earlier versions of a bot
    have the place that they would have among the current ones.
    """
    rows.sort(
        key=lambda row: (
            *_standing(row),
            -round(row.rating.ordinal, _DIGITS) if row.rating else 0.0,
            row.name.casefold(),
            row.bot,
            row.version,
        )
    )
    before, place, last = 0, 1, None
    for row in rows:
        if _standing(row) != last:
            place, last = 1 + before, _standing(row)
        before += row.current
        yield replace(row, place=place)


def _standing(row: Row) -> tuple[int, float]:
    return _CLASSES.index(row.left), -round(row.points.mean, _DIGITS) if row.points else 1.0


def _with_leads(rows: list[Row], tallies: Tallies) -> Sequence[Row]:
    """Returns the rows with the lead of each current one over the next."""
    among = [at for at, row in enumerate(rows) if row.current and row.matches and not row.left]
    for upper, lower in pairwise(among):
        groups = (tallies.rows[rows[at].line].groups for at in (upper, lower))
        rows[upper] = replace(rows[upper], lead=lead(*groups))
    return rows


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))
