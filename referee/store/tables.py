"""Standings and leaderboards of what a store and the decisions under a data root hold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee.errors import RecordError
from referee.store.decision_log import DECISIONS, TOURNAMENTS, DecisionLog
from referee.store.store import Store
from referee.tournament.decision import Rulings, rulings
from referee.tournament.leaderboard import Leaderboard
from referee.tournament.leaderboard import leaderboards as challenges
from referee.tournament.result import MatchResult, distinct
from referee.tournament.standings import Standings, fold


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided, by tournament, and one line for each whose decisions cannot be trusted."""

    rulings: Mapping[str, Rulings] = field(default_factory=dict)
    broken: Mapping[str, str] = field(default_factory=dict)


def decided(data: Path) -> Decided:
    """Returns what was decided about all tournaments and ladders under a data root."""
    found: dict[str, Rulings] = {}
    broken: dict[str, str] = {}
    for path in sorted((data / TOURNAMENTS).glob(f"*/{DECISIONS}")):
        name = path.parent.name
        try:
            found[name] = rulings(DecisionLog(path).read())
        except RecordError as error:
            broken[name] = f"{error}; the tables of {name} are left out"
    return Decided(found, broken)


def tables(store: Store, decisions: Decided, *, game: str | None = None) -> tuple[Standings, ...]:
    """Returns all tables, or those of a game, without those of a tournament with broken decisions."""
    results = store.each_result(game=game)
    return fold(_trusted(results, decisions), decisions.rulings)


def tables_of(
    store: Store, decisions: Decided, tournament: str, *, game: str | None = None
) -> tuple[Standings, ...]:
    """Returns the tables of a tournament, a ladder or a run alone.

    Where none of its matches is rated they all count, among themselves: they would count nowhere. A
    match in which a bot holds two seats never does.
    """
    played = list(store.each_result(run=tournament, game=game))
    rated = any(result.rated for result in played)
    own = (_own(result, tournament, rated=rated) for result in played)
    return fold(_trusted(own, decisions), decisions.rulings)


@dataclass(frozen=True, slots=True)
class Folded:
    """All tables and leaderboards of one state of a store."""

    standings: tuple[Standings, ...] = ()
    leaderboards: tuple[Leaderboard, ...] = ()


def everything(store: Store, decisions: Decided) -> Folded:
    """Returns the tables of all matches, those of each tournament, ladder and run, and all leaderboards.

    They are what `tables`, `tables_of` and `leaderboards` return; the results are read once.
    """
    results = list(_trusted(store.each_result(), decisions))
    together = fold(results, decisions.rulings)
    alone = fold(_alone(results), decisions.rulings)
    found = {table.key: table for table in (*together, *alone)}
    return Folded(tuple(found.values()), challenges(results, decisions.rulings))


def leaderboards(
    store: Store, decisions: Decided, *, tournament: str | None = None, game: str | None = None
) -> tuple[Leaderboard, ...]:
    """Returns the leaderboards of all challenges, of those of a game, or of a tournament or ladder."""
    results = store.each_result(run=tournament, game=game)
    return challenges(_trusted(results, decisions), decisions.rulings)


def _trusted(results: Iterable[MatchResult], decisions: Decided) -> Iterable[MatchResult]:
    return (result for result in results if result.series not in decisions.broken)


def _alone(results: Sequence[MatchResult]) -> Iterator[MatchResult]:
    """Yields the matches of whatever has another table by itself than it has among all."""
    rated = {result.series for result in results if result.rated}
    apart = {one.series for one in results if one.series not in rated or one.tournament != one.series}
    for result in results:
        if result.series and result.series in apart:
            yield _own(result, result.series, rated=result.series in rated)


def _own(result: MatchResult, series: str, *, rated: bool) -> MatchResult:
    """Returns a match as one of a tournament, ladder or run alone, which has rated matches or has none."""
    return replace(result, tournament=series, rated=result.rated if rated else distinct(result.seats))
