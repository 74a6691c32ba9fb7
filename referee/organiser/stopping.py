"""Says when enough was played: the stopping rules of a tournament, asked every so many deal groups."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from referee.errors import StoreUnavailableError
from referee.organiser.tournament import Stop, Tournament
from referee.store.decision_log import DecisionLog
from referee.store.store import Store
from referee.store.tables import Decided, tables_of
from referee.tournament.counting import counted
from referee.tournament.decision import Rulings, rulings
from referee.tournament.formats.settings import GauntletSettings
from referee.tournament.result import MatchResult
from referee.tournament.sequential import Comparison, Hypotheses, Verdict
from referee.tournament.standings import Row

_EVERY = 0.05
"""The rules are asked again when so many more groups were played, as a share of what was played."""
_WORDS = {Verdict.BETTER: "better than the field", Verdict.NOT_BETTER: "not better than the field"}


class StopRule:
    """The rules of one tournament, over the results in the store and the decisions in the log."""

    def __init__(self, tournament: Tournament, store: Store, log: DecisionLog) -> None:
        self._tournament = tournament
        self._store = store
        self._log = log
        self._next = tournament.stop.least

    async def enough(self, matches: int, groups: int) -> str:
        """Says why so many matches, of so many deal groups, are enough; empty while they are not."""
        stop = self._tournament.stop
        if stop.matches and matches >= stop.matches:
            return f"{matches} matches were played, as many as wanted"
        if groups < self._next or not (stop.certain or stop.width or stop.sprt):
            return ""
        self._next = groups + max(1, int(groups * _EVERY))
        try:
            return await asyncio.get_running_loop().run_in_executor(None, self._judge)
        except StoreUnavailableError:  # it is told where results are kept; the next look comes soon
            return ""

    def _judge(self) -> str:
        plan, decided = self._tournament, rulings(DecisionLog(self._log.path).read())
        told = []
        if plan.stop.certain or plan.stop.width:
            tables = tables_of(self._store, Decided({plan.name: decided}), plan.name)
            told = of_rows(plan.stop, [row for table in tables for row in table.rows])
        if plan.stop.sprt and isinstance(plan.format, GauntletSettings):
            played = self._store.each_result(run=plan.name)
            told += of_candidates(plan, plan.format.candidates, plan.stop.sprt, played, decided)
        return "; ".join(told)


def of_rows(stop: Stop, rows: Iterable[Row]) -> list[str]:
    """Says which rules on intervals and neighbours the rows of a table meet."""
    standing = [row for row in rows if row.current and not row.left]
    told = []
    widths = [
        row.points.high - row.points.low
        for row in standing
        if row.points and row.points.low is not None and row.points.high is not None
    ]
    if stop.width and len(widths) == len(standing) > 1 and max(widths) <= stop.width:
        told.append(f"no interval is wider than {stop.width:g}")
    leads = [row.lead for row in standing[:-1]]
    if stop.certain and leads and all(lead and lead.needed == 0 for lead in leads):
        told.append("the order of all neighbours is certain")
    return told


def of_candidates(
    tournament: Tournament,
    candidates: Iterable[str],
    sprt: Hypotheses,
    played: Iterable[MatchResult],
    decided: Rulings,
) -> list[str]:
    """Says what became of the candidates of a gauntlet once there is a verdict on all of them."""
    names = {bot.bot_id: bot.name for bot in tournament.bots}
    rated = (replace(result, rated=True) for result in played)
    results = counted(rated, {tournament.name: decided})
    verdicts = {name: _verdict(_differences(name, results, names), sprt) for name in candidates}
    if any(verdict is Verdict.GO_ON for verdict in verdicts.values()):
        return []
    return [", ".join(f"{name} is {_WORDS[found]}" for name, found in verdicts.items())]


def _differences(candidate: str, results: Sequence[MatchResult], names: Mapping[str, str]) -> Iterable[float]:
    """Returns by deal group the mean points of a candidate less those of the bots beside it."""
    groups: dict[str, list[float]] = {}
    for result in results:
        own = [seat.points for seat in result.seats if names.get(seat.bot) == candidate]
        others = [seat.points for seat in result.seats if names.get(seat.bot) != candidate]
        if own and others:
            difference = sum(own) / len(own) - sum(others) / len(others)
            groups.setdefault(result.deal_group, []).append(difference)
    return [sum(each) / len(each) for each in groups.values()]


def _verdict(differences: Iterable[float], sprt: Hypotheses) -> Verdict:
    """Returns the first verdict that the differences come to, whatever follows it."""
    comparison = Comparison(sprt)
    for difference in differences:
        comparison.add(difference)
        if (verdict := comparison.verdict) is not Verdict.GO_ON:
            return verdict
    return Verdict.GO_ON
