"""The outcome of one match, for people and for programs."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from referee.cli import tables
from referee.cli.app import EXIT_NOT_STARTED, EXIT_PLAYED, EXIT_REFEREE_FAILED
from referee.cli.printing import tell, warn
from referee.cli.program import command
from referee.cli.replay_table import explained
from referee.cli.tables import Column, say
from referee.games.info import GameInfo
from referee.match.events import Place
from referee.server.capped import HEAD, TAIL
from referee.server.launch_report import Exit, LaunchReport
from referee.server.launcher import GRACE
from referee.server.request import MatchOutcome

_COLUMNS = (
    Column("place", number=True),
    tables.name_column(),
    Column("seat", number=True, drop=2),
    Column("score", number=True),
    Column("points", number=True, drop=1),
    Column("faults", least=12, folds=True),
)


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
    """Returns an outcome as values for JSON.

    Placements are by seat, empty where none was made; place and points are null where none counts.
    """
    places = outcome.end.places if outcome.end else ()
    return {
        "match_id": outcome.match_id,
        "replay": str(outcome.replay) if outcome.replay else None,
        "termination": outcome.termination,
        "note": outcome.note,
        "placements": [{"seat": place.seat, "bot": bots[place.seat], **_counting(place)} for place in places],
        "reports": msgspec.to_builtins(list(reports)),
    }


def show(outcome: MatchOutcome, bots: Sequence[str], info: GameInfo, console: Console) -> None:
    """Prints an outcome as a table, best place first."""
    if outcome.end:
        places = sorted(outcome.end.places, key=lambda place: (place.rank, place.seat))
        tables.show(console, _COLUMNS, [_cells(place, bots[place.seat]) for place in places])
        better = "lower" if info.lower_is_better else "higher"
        say(console, f"score: {better} is better; points: 1 is first, 0 is last or forfeited.", "dim")
    note = f": {explained(outcome.note)}" if outcome.note else ""
    say(console, f"{outcome.termination.replace('_', ' ')}{note}")
    if outcome.replay:
        say(console, f"replay: {outcome.replay}")
        say(console, f"look at it: {command('replay', 'show', str(outcome.replay))}")


def point_to_outputs(outcome: MatchOutcome, bots: Sequence[str], outputs: Mapping[str, Path]) -> None:
    """Says of bots with faults where that lies which they have printed, and how to see why."""
    for place in outcome.end.places if outcome.end else ():
        bot = bots[place.seat]
        if not place.faults and not place.forfeited:
            continue
        if bot in outputs:
            tell(f"what {bot} printed: {outputs[bot]}")
        if outcome.replay:
            why = command("replay", "explain", str(outcome.replay), "--seat", str(place.seat))
            tell(f"what {bot} did wrong: {why}")


def explain(reports: Sequence[LaunchReport]) -> None:
    """Tells the authors of bots that failed what they said last, and how to start them again.

    Each bot is told of once, by its last process. Of its environment that is named which is not in ours.
    """
    own_ends = [report for report in reports if not (report.exit and report.exit.lost)]
    times = Counter(report.bot for report in own_ends)
    last = {report.bot: report for report in own_ends}
    for report in list(last.values())[: tables.MOST]:
        often = f"{times[report.bot]} times, at last with" if times[report.bot] > 1 else "with"
        own = {name: value for name, value in report.environment.items() if os.environ.get(name) != value}
        lines = [
            f"bot {report.bot} exited by itself {often} {report.exit}",
            f"  command: {report.command}",
            f"  folder: {report.folder}",
            "  environment: " + " ".join(f"{name}={value}" for name, value in own.items()),
            f"  output: {report.output}",
            "  last lines of stderr:" if report.stderr else "  nothing on stderr",
            *(f"    {line}" for line in report.stderr),
        ]
        for line in lines:
            warn(line)
    if len(last) > tables.MOST:
        warn(f"and {len(last) - tables.MOST} more exited by themselves; their output lies beside")


def remark(reports: Sequence[LaunchReport]) -> None:
    """Says in one line each what the referee had to do about bots; an author would not know it else."""
    told = dict.fromkeys(line for report in reports for line in _remarks(report))
    for line in tables.first(list(told), "remarks", "what the bots printed may tell why"):
        warn(line)


def _remarks(report: LaunchReport) -> Iterator[str]:
    if report.killed:
        yield f"bot {report.bot} had to be killed: it did not end within {GRACE:g} s of SIGTERM"
    if report.behind:
        processes = "1 process" if report.behind == 1 else f"{report.behind} processes"
        yield f"bot {report.bot} left {processes} behind, killed"
    if report.survivors:
        yield f"bot {report.bot} has processes that cannot be killed: {', '.join(map(str, report.survivors))}"
    if report.dropped:
        yield f"bot {report.bot} printed much: output cut at {(HEAD + TAIL) // 1024} KiB: {report.output}"


def _cells(place: Place, bot: str) -> tuple[str, ...]:
    faults = [f"{count} {kind.replace('_', ' ')}" for kind, count in place.faults.items()]
    if place.forfeited:
        faults.insert(0, "forfeited")
    counts = place.rank > 0
    return (
        str(place.rank) if counts else tables.NONE,
        bot,
        str(place.seat),
        str(place.score),
        f"{place.points:.3f}" if counts else tables.NONE,
        ", ".join(faults),
    )


def _counting(place: Place) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(place)
    del values["seat"]
    return values if place.rank else {**values, "rank": None, "points": None}
