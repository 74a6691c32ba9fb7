"""Plans, runs and standing of tournaments, for people and for programs."""

from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from referee.cli.program import command
from referee.cli.run_progress import counted, span
from referee.cli.tables import Column, console, first, name_column, say, show
from referee.engine.local import output_folder
from referee.organiser.ending import Ending
from referee.organiser.overview import Plan, Status, listed
from referee.tournament.formats.base import Pairing

if TYPE_CHECKING:
    from referee.organiser.run import How, Report
    from referee.organiser.tournament import Stop, Tournament
    from referee.tournament.sequential import Hypotheses


def plan_values(tournament: "Tournament", plan: Plan, limit: int) -> dict[str, Any]:
    """Returns a plan as values for JSON, with its first pairings."""
    return {
        "tournament": tournament.name,
        "game": tournament.game,
        "seats": tournament.seats,
        "bots": [bot.name for bot in tournament.bots],
        "rounds": plan.rounds,
        "matches": plan.total,
        "pairings_looked_at": plan.pairings,
        "complete": plan.rounds == 1 and not plan.more,
        "matches_by_bot": {bot.name: plan.played[bot.name] for bot in tournament.bots},
        "seat_unbalance": plan.unbalance,
        "byes": plan.byes,
        "seconds": plan.seconds,
        "stop": asdict(tournament.stop) if tournament.stop else None,
        "pairings": [_pairing_values(one) for one in islice(listed(tournament), limit)],
    }


def show_plan(tournament: "Tournament", plan: Plan, limit: int) -> None:
    """Prints what a tournament comes to, and its first pairings."""
    out = console()
    rounds = f"{plan.rounds} rounds" if plan.rounds > 1 else "1 round"
    say(
        out,
        f"{tournament.name}: {tournament.game}, {len(tournament.bots)} bots at tables of {tournament.seats},"
        f" {plan.total} matches, {rounds}",
        "bold",
    )
    rows = []
    for one in islice(listed(tournament), limit):
        rows += [[str(one.index), str(one.round + 1), " ".join(sitting)] for sitting in one.sittings]
    if rows:
        columns = (Column("pairing", number=True), Column("round", number=True), name_column("seats"))
        show(out, columns, rows)
    shown = min(limit, plan.pairings)
    if shown < plan.pairings or plan.more:
        say(
            out,
            f"the first {shown}{' of round 1' if plan.rounds > 1 else ''}; --limit shows more",
        )
    most, least = max(plan.played.values(), default=0), min(plan.played.values(), default=0)
    over = f"the first {plan.pairings} pairings" if plan.more else "all pairings"
    if plan.rounds > 1:
        over = "the first round"
        say(out, "Later rounds are drawn from the results of those before them.")
    for line in first([f"bye: {bot}" for bot in plan.byes], "byes"):
        say(out, line)
    times = str(most) if most == least else f"{least} to {most}"
    say(out, f"Matches of a bot in {over}: {times}; its seats differ by at most {plan.unbalance}.")
    say(out, f"Time: {_time(plan)}.")
    for line in _stops(tournament.stop):
        say(out, line)


def _stops(stop: "Stop") -> list[str]:
    """Returns when a tournament ends before its schedule does; nothing where it never does."""
    lines = [f"It ends after {stop.matches} matches at the latest."] if stop.matches else []
    found = ["the lead of every bot over the next one is certain"] if stop.certain else []
    found += [f"no interval of mean placement points is wider than {stop.width:g}"] if stop.width else []
    found += [_weighed(stop.sprt)] if stop.sprt else []
    if found:
        lines.append(f"From {stop.least} deal groups on it ends as soon as {', or '.join(found)}.")
    return lines


def _weighed(sprt: "Hypotheses") -> str:
    gain = f"{sprt.gain:g} placement points rather than {sprt.null:g}"
    return f"each candidate was found better than the field by {gain}, or not"


def status_values(status: Status) -> dict[str, Any]:
    """Returns how a tournament stands as values for JSON."""
    values: dict[str, Any] = {
        name: getattr(status, name) for name in Status.__dataclass_fields__ if name != "unplayed"
    }
    return {**values, "unplayed": dict(status.unplayed), "running": status.process != 0}


def show_status(status: Status, data: Path, store: str | None) -> None:
    """Prints how a tournament stands."""
    out = console()
    say(out, f"{status.name}: {status.game}, {status.accepted} of {status.total} matches played", "bold")
    if status.process:
        say(out, f"played now by process {status.process}")
    for line in _decided(status):
        say(out, line)
    if status.torn:
        say(
            out,
            f"the last line of the decisions was not written to its end ({_count(status.torn, 'byte')}):"
            " nobody was told of it, it does not hold, and the next decision takes its place",
        )
    if not status.process and status.settled < status.total:
        say(out, f"to go on: {command('tournament', 'resume', status.name, data=data, store=store)}")
    say(out, f"the table: {command('standings', '--tournament', status.name, data=data, store=store)}")


def run_values(status: Status, report: "Report", how: "How") -> dict[str, Any]:
    """Returns a run as values for JSON: how it ended, what it did, how the tournament stands, its tables."""
    from referee.cli.standings_command import of_run
    from referee.tournament.export import to_values

    tally = report.tally
    return {
        "ending": str(report.outcome.ending),
        "why": report.outcome.why,
        "played": tally.played,
        "forfeited": tally.forfeited,
        "spoiled": tally.spoiled,
        "faults": dict(tally.faults),
        "replays": list(tally.replays),
        "status": status_values(status),
        "standings": to_values(of_run(status.name, how.data, how.store)),
        "signed": str(report.signed) if report.signed else None,
        "reports": msgspec.to_builtins(report.exits),
    }


def show_run(status: Status, report: "Report", how: "How", again: str) -> None:
    """Prints the standings, how a run ended, where its matches lie and what can be done next."""
    from referee.cli import standings_command

    out, err = console(), console(stderr=True)
    tally, outcome = report.tally, report.outcome
    if status.accepted:
        standings_command.show_run(status.name, how.data, how.store, out)
    for line in _decided(status):
        say(err, line)
    if outcome.ending is Ending.PAUSED:
        say(err, f"referee: paused: {outcome.why}")
        say(err, f"to go on: {again}")
    why = f" ({outcome.why})" if outcome.ending is Ending.STOPPED else ""
    say(
        out,
        f"{status.name} {outcome.ending}{why}: {status.accepted} of {status.total} matches played,"
        f" {tally.played} of them now",
    )
    if tally.faults:
        say(out, f"faults: {counted(tally.faults)}")
    say(out, f"what the bots printed: {output_folder(how.data, status.name)}")
    if tally.replays:
        say(out, f"look at one:   {command('replay', 'show', tally.replays[-1])}")
    say(
        out,
        f"the table:     {command('standings', '--tournament', status.name, data=how.data, store=how.store)}",
    )
    if report.signed:
        say(out, f"signed:        {report.signed}")


def _decided(status: Status) -> list[str]:
    """Returns lines about what was decided against playing or counting."""
    lines = [f"not played: {_count(count, 'pairing')}: {why}" for why, count in status.unplayed.items()]
    lines = first(lines, "reasons")
    lines += first([f"void: match {match}: {why}" for match, why in status.voided.items()], "void matches")
    for word in ("disqualified", "withdrawn", "paused"):
        told = [f"{word}: {bot}: {why}" for bot, why in getattr(status, word).items()]
        lines += first(told, f"{word} bots")
    missed = [f"no-shows: {bot}: {_count(count, 'attempt')}" for bot, count in status.no_shows.items()]
    lines += first(missed, "bots that did not show up")
    if status.byes:
        lines.append(f"{_count(status.byes, 'bye')} given")
    return lines


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _pairing_values(pairing: Pairing) -> dict[str, Any]:
    return {
        "index": pairing.index,
        "round": pairing.round,
        "matches": [list(one) for one in pairing.sittings],
    }


def _time(plan: Plan) -> str:
    if plan.seconds is None:
        return "cannot be told before a match with these options was played"
    return f"about {span(plan.seconds)}, by the matches that were played so far"
