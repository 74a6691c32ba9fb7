"""The report of a check, for people and for programs."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from referee.check.conduct import EXTRA
from referee.check.run import Report
from referee.check.scenario import Result, Scenario
from referee.cli import tables
from referee.cli.printing import answer, json_of
from referee.cli.tables import Column, console, say

_SCENARIOS: Final = (
    Column("scenario"),
    Column("verdict"),
    Column("what happened", least=30, folds=True),
    Column("time", number=True, drop=1),
)
_THINK: Final = (
    Column("think time, ms"),
    Column("turns", number=True),
    *(Column(name, number=True) for name in ("p50", "p90", "p99", "max")),
)
_STYLES: Final = {"ok": "green", "failed": "bold red", "skipped": "yellow", "not applicable": "dim"}


def as_json(report: Report) -> dict[str, Any]:
    """Returns a report as values for JSON; think times are in microseconds."""
    values: dict[str, Any] = msgspec.to_builtins(report)
    return values


def show(report: Report) -> None:
    """Prints a report."""
    out = console()
    rows = [(r.name, r.verdict, r.happened, f"{r.seconds:.1f} s") for r in report.scenarios]
    if rows:
        tables.show(out, _SCENARIOS, rows, [_STYLES[result.verdict] for result in report.scenarios])
    for result in report.scenarios:
        if result.verdict == "failed":
            _explain(result)
    if report.think:
        think = [
            (game, str(one.turns), *(f"{time / 1000:.1f}" for time in (one.p50, one.p90, one.p99, one.max)))
            for game, one in report.think.items()
        ]
        tables.show(out, _THINK, think)
    if report.memory is not None:
        say(out, f"memory: {report.memory / 1024**2:.0f} MiB at the most, with all processes of the bot")
    if report.outputs:
        say(out, f"what it printed: {report.outputs}")
    say(out, _outcome(report), "bold")


def _outcome(report: Report) -> str:
    if report.ok:
        return f"{report.bot} keeps the protocol in all that was checked"
    bad = sum(result.verdict in {"failed", "skipped"} for result in report.scenarios)
    when = "interrupted; of those that were finished " if report.interrupted else ""
    return f"{report.bot}: {when}{bad} of {len(report.scenarios)} not as expected"


def list_scenarios(scenarios: Sequence[Scenario], *, as_json: bool) -> None:
    """Prints the names of all scenarios with what is expected in each."""
    rows = [(s.name, s.expected, s.guide) for s in scenarios] + [
        (name, *told) for name, told in EXTRA.items()
    ]
    if as_json:
        keys = ("name", "expected", "guide")
        answer(json_of({"scenarios": [dict(zip(keys, row, strict=True)) for row in rows]}))
        return
    columns = (Column("scenario"), Column("expected", least=40, folds=True), Column("guide", drop=1))
    tables.show(console(), columns, rows)


def _explain(result: Result) -> None:
    out = console()
    say(out, f"{result.name}: {result.happened}")
    say(out, f"  expected: {result.expected}")
    say(out, f"  the guide: {result.guide}")
    if result.output:
        say(out, f"  what it printed: {result.output}")
