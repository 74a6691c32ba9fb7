"""Prints why a seat lost points."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from rich.console import Console

from referee.bot.wording import only, parts
from referee.cli import tables
from referee.cli.replay_table import explained, say_folded
from referee.cli.tables import NONE, Column, name_column, say
from referee.cli.words import many
from referee.games import find
from referee.match.config import SECOND
from referee.match.events import Place
from referee.replay.explain import Lap, findings, laps
from referee.replay.processes import Process
from referee.replay.reader import Log
from referee.replay.reported import Asked, Fault, Report
from referee.v1.game_pb2 import Observation

_FAULTS: Final = 5
"""So many faults are told with their turns; --json has them all."""
_ACTIONS: Final = 30
"""So many legal actions of a turn are listed."""
_LINES: Final = 20
"""Lines of the beginning and of the end of a stderr."""
_SLOW: Final = 5
"""So many turns are listed that took the longest."""

_PLACES = (
    Column("place"),
    name_column("seat"),
    Column("score", number=True),
    Column("points", number=True),
    Column("strikes", number=True, drop=1),
    Column("faults", least=12, folds=True),
)
_LAPS = (
    Column("deal", number=True),
    Column("score", number=True),
    Column("scores by seat"),
    Column("totals by seat"),
    Column("place", number=True),
    Column("turns", number=True, drop=1),
    Column("no choice", number=True, drop=3),
    Column("passes", number=True, drop=2),
)
_TURNS = (
    Column("turn", number=True),
    Column("deal", number=True, drop=2),
    Column("ply", number=True, drop=1),
    Column("think", number=True),
    Column("of budget", number=True),
    Column("lag credit", number=True),
    Column("bank left", number=True, drop=1),
    Column("played", least=12),
)


def show(log: Log, report: Report, processes: Sequence[Process], out: Console) -> None:
    """Prints a report for people."""
    name = log.setup.seats[report.seat].name
    say_folded(out, f"match {report.match_id}, {report.game}, seat {report.seat} {name}", "bold")
    note = f": {explained(report.note)}" if report.note else ""
    say_folded(out, f"{report.termination or 'unfinished'}{note}")
    if log.end and report.place:
        places = sorted(log.end.places, key=lambda place: (place.rank, place.seat))
        styles = ["bold" if place.seat == report.seat else None for place in places]
        tables.show(out, _PLACES, [_place(log, place) for place in places], styles)
    for sentence in findings(log, report):
        say_folded(out, sentence)
    known = laps(report)
    if known:
        say(out, "\nDeals", "bold")
        tables.show(out, _LAPS, [_lap(lap, report.seat) for lap in known])
    _show_time(report, out)
    _show_faults(report, out)
    show_processes(processes, out)
    if report.reproduce:
        say(out, "\nThe same turns again", "bold")
        say(out, f"  {report.reproduce}")
    else:
        say_folded(out, "\nIts turns cannot be dealt again without the secret, which is not beside the log.")


def as_values(log: Log, report: Report, processes: Sequence[Process]) -> dict[str, Any]:
    """Returns a report as values for JSON; times in microseconds, actions in the text of the game."""
    game = find(report.game)

    def text(action: int | None) -> str | None:
        return None if action is None else game.text.action(action)

    return report._asdict() | {
        "name": log.setup.seats[report.seat].name,
        "places": log.end.places if log.end and report.place else (),
        "findings": findings(log, report),
        "deals": [lap._asdict() for lap in laps(report)],
        "turns": [turn._asdict() | {"action": text(turn.action)} for turn in report.turns],
        "faults": [
            fault._asdict()
            | {
                "played": text(fault.played),
                "shown": fault.shown
                and {
                    "seen": list(_seen(fault)),
                    "legal": [text(action) for action in fault.shown.legal],
                },
            }
            for fault in report.faults
        ],
        "processes": [one._asdict() | {"output": str(one.output)} for one in processes],
    }


def _show_time(report: Report, out: Console) -> None:
    """Prints the turns that were late, or else those that took the longest."""
    if not report.turns:
        return
    late = [turn for turn in report.turns if turn.cause == "late"]
    slowest = sorted(report.turns, key=lambda turn: -turn.think)[:_SLOW]
    say(out, f"\n{many(len(late), 'late turn')}" if late else "\nLongest turns; none was late", "bold")
    tables.show(out, _TURNS, [_turn(report, turn) for turn in late or slowest])


def _show_faults(report: Report, out: Console) -> None:
    if not report.faults:
        return
    say(out, f"\n{many(len(report.faults), 'fault')}", "bold")
    for fault in report.faults[:_FAULTS]:
        for line in _fault(report, fault):
            say_folded(out, line)
    more = len(report.faults) - _FAULTS
    if more > 0:
        say(out, f"and {more} more; --json has them all")


def _fault(report: Report, fault: Fault) -> Iterator[str]:
    game = find(report.game)
    where = f"turn {fault.turn}, deal {fault.deal}, after ply {fault.ply}" if fault.turn else "not its turn"
    yield f"{_seconds(fault.t)}: {fault.kind} ({where}): {fault.reason}"
    if fault.shown:
        yield from (f"  {line}" for line in _seen(fault))
        legal = [game.text.action(action) for action in fault.shown.legal]
        yield f"  legal were: {'; '.join(legal[:_ACTIONS])}"
        if len(legal) > _ACTIONS:
            yield f"  and {len(legal) - _ACTIONS} more"
    if fault.form:
        late = f", {_seconds(fault.answered_at - fault.t)} after that" if fault.kind == "late" else ""
        held = f"{fault.form} {fault.raw!r}" if fault.raw else "with nothing in it"
        yield f"  it answered{late}, to turn {fault.answered}: {held}"
    if fault.played is not None:
        yield f"  played instead: {game.text.action(fault.played)}"
    if fault.strikes:
        yield f"  strikes so far: {fault.strikes}"


def _seen(fault: Fault) -> Iterator[str]:
    """Yields the lines of the turn as the bot saw it."""
    if fault.shown:
        table: Any = only(Observation.FromString(fault.shown.observation))
        yield f"all at the table saw: {', '.join(parts(table.public))}"
        yield f"only it saw: {', '.join(parts(table.private))}"


def show_processes(processes: Sequence[Process], out: Console) -> None:
    """Prints what is known of the processes; one of another machine has no folder here."""
    for one in processes:
        say(out, "\nIts process", "bold")
        where = f" (in {one.folder})" if one.folder else ""
        say_folded(out, f"{one.command}{where}: {_ended(one)}")
        head, tail = one.head.splitlines(), one.tail.splitlines()
        if not head:
            say(out, "it wrote nothing to its stderr")
            continue
        if not tail and len(head) <= 2 * _LINES:
            _lines(out, "its stderr", head)
        else:
            _lines(out, "its stderr begins", head[:_LINES])
            _lines(out, "and ends", (tail or head)[-_LINES:])
        if one.folder:
            say_folded(out, f"both of its streams: {one.output}")


def _lines(out: Console, heading: str, lines: Sequence[str]) -> None:
    say(out, f"{heading}:")
    for line in lines:
        say(out, f"  | {line}")


def _ended(process: Process) -> str:
    if process.stopped:
        return "it ran until the referee ended it"
    if process.code is not None:
        return f"it exited with status {process.code}"
    if process.signal is None:
        return "it runs, or its end was not seen"
    with suppress(ValueError):
        return f"it was ended by {signal.Signals(process.signal).name}"
    return f"it was ended by signal {process.signal}"


def _place(log: Log, place: Place) -> tuple[str, ...]:
    faults = ", ".join(f"{count} {kind}" for kind, count in place.faults.items() if count)
    rank = f"{place.rank} (forfeited)" if place.forfeited else str(place.rank)
    name = f"{place.seat} {log.setup.seats[place.seat].name}"
    return rank, name, str(place.score), f"{place.points:.3f}", str(place.strikes), faults


def _lap(lap: Lap, seat: int) -> tuple[str, ...]:
    scores, totals = (" ".join(map(str, values)) for values in (lap.scores, lap.totals))
    counts = (str(lap.place), str(lap.turns), str(lap.forced), str(lap.passes))
    return str(lap.deal), str(lap.scores[seat]), scores, totals, *counts


def _turn(report: Report, turn: Asked) -> tuple[str, ...]:
    played = find(report.game).text.action(turn.action)
    return (
        str(turn.turn),
        str(turn.deal),
        str(turn.ply),
        _seconds(turn.think),
        _seconds(turn.budget),
        _seconds(turn.credit) if turn.credit else NONE,
        _seconds(turn.bank),
        f"{played} (default: {turn.cause})" if turn.cause else played,
    )


def _seconds(microseconds: int) -> str:
    return f"{microseconds / SECOND:.3f} s"
