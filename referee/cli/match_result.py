"""The outcome of one match, for people and for programs."""

import sys
from collections.abc import Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.cli.app import EXIT_NOT_STARTED, EXIT_PLAYED, EXIT_REFEREE_FAILED
from referee.cli.standings_table import printable
from referee.games.base import GameInfo
from referee.server.launcher import Exit, LaunchReport
from referee.server.request import MatchOutcome


def exit_status(outcome: MatchOutcome) -> int:
    """Returns what a match means for the exit status: forfeits are play, a no-show is none."""
    if outcome.termination == "no_show":
        return EXIT_NOT_STARTED
    if outcome.termination == "void" and not (outcome.end and outcome.end.at_fault):
        return EXIT_REFEREE_FAILED
    return EXIT_PLAYED


def crashed(reports: Sequence[LaunchReport], outcome: MatchOutcome) -> list[LaunchReport]:
    """Returns the reports of bots that failed, or that left before their match could begin."""
    return [r for r in reports if r.exit != Exit(code=0) or r.bot in outcome.missing]


def as_json(outcome: MatchOutcome, bots: Sequence[str], reports: Sequence[LaunchReport]) -> dict[str, Any]:
    """Returns an outcome as values for JSON; placements are by seat, empty where none was reached."""
    places = outcome.end.places if outcome.end else ()
    return {
        "match_id": outcome.match_id,
        "replay": str(outcome.replay) if outcome.replay else None,
        "termination": outcome.termination,
        "note": outcome.note,
        "placements": [
            {"seat": place.seat, "bot": bots[place.seat], **_without_seat(msgspec.to_builtins(place))}
            for place in places
        ],
        "reports": msgspec.to_builtins(list(reports)),
    }


def show(outcome: MatchOutcome, bots: Sequence[str], info: GameInfo, console: Console) -> None:
    """Prints an outcome as a table, best place first."""
    if outcome.end and outcome.termination not in {"no_show", "void"}:
        table = Table("place", "bot", "seat", "score", "points", "faults")
        for place in sorted(outcome.end.places, key=lambda place: (place.rank, place.seat)):
            faults = [f"{count} {kind.replace('_', ' ')}" for kind, count in place.faults.items()]
            if place.forfeited:
                faults.insert(0, "forfeited")
            table.add_row(
                str(place.rank),
                Text(printable(bots[place.seat])),
                str(place.seat),
                str(place.score),
                f"{place.points:.3f}",
                ", ".join(faults) or "-",
            )
        console.print(table)
        better = "lower" if info.lower_is_better else "higher"
        console.print(f"score: {better} is better; points: 1 is first, 0 is last or forfeited.", style="dim")
    note = f": {outcome.note}" if outcome.note else ""
    console.print(Text(printable(f"{outcome.termination.replace('_', ' ')}{note}")), soft_wrap=True)
    if outcome.replay:
        console.print(Text(f"replay: {outcome.replay}"), soft_wrap=True)
        console.print(Text(f"look at it: referee replay show {outcome.replay}"), soft_wrap=True)


def explain(reports: Sequence[LaunchReport]) -> None:
    """Tells the author of each bot that failed what it said last, and how to start it again."""
    for report in reports:
        lines = [
            f"bot {report.bot} exited by itself with {report.exit}",
            f"  command: {report.command}",
            f"  folder: {report.folder}",
            "  environment: " + " ".join(f"{k}={v}" for k, v in report.environment.items()),
            f"  output: {report.output}",
            "  last lines of stderr:" if report.stderr else "  nothing on stderr",
            *(f"    {line}" for line in report.stderr),
        ]
        for line in lines:
            print(printable(line), file=sys.stderr)


def _without_seat(place: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in place.items() if name != "seat"}
