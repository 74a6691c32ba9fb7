"""`referee round-robin`: launches bots and plays all tables between them."""

import secrets
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from referee.cli import arguments as args
from referee.cli.printing import answer, json_of, refuse, tell, warn
from referee.cli.words import many
from referee.errors import LaunchError, UsageError

if TYPE_CHECKING:
    from referee.cli.runs import RoundRobin
    from referee.games.info import GameInfo
    from referee.organiser.ending import Outcome
    from referee.organiser.run import Report
    from referee.organiser.tournament import Tournament

LEAST_MATCHES = 20
"""How many matches there are at least where nobody says how many."""


class How(NamedTuple):
    """How a run is carried out; nothing of it changes a result."""

    data: Path
    store: str | None
    parallel: int
    as_json: bool
    quiet: bool


EXAMPLES = args.examples(
    "referee round-robin easy normal expert sample_bots/python/first_bot.py",
    "referee round-robin easy old=./v1/bot.py new=./v2/bot.py normal expert --matches 100 --json",
    "referee round-robin --resume rr-20260131-120000-1a2b",
)


def register(app: typer.Typer) -> None:
    """Adds `round-robin`."""
    app.command("round-robin", no_args_is_help=True, epilog=EXAMPLES)(_round_robin)


def _round_robin(
    bots: Annotated[
        list[str] | None,
        typer.Argument(metavar="BOT", help=args.BOTS_HELP, show_default=False),
    ] = None,
    game: args.GameOption = args.GAME,
    matches: Annotated[
        int | None,
        typer.Option(
            "--matches",
            "-n",
            metavar="NUMBER",
            min=1,
            help="How many matches. Default: all tables, every bot equally often in every seat, at least 20.",
        ),
    ] = None,
    seats: Annotated[
        int | None, typer.Option("--seats", metavar="NUMBER", min=1, help="Seats of a table.")
    ] = None,
    option: args.OptionsOption = None,
    time: args.TimeOption = None,
    strikes: args.StrikesOption = None,
    retries: args.RetriesOption = None,
    seed: args.SeedOption = None,
    unrated: args.UnratedOption = False,
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    parallel: Annotated[
        int | None,
        typer.Option(
            "--parallel",
            metavar="NUMBER",
            min=1,
            help="Matches at once. Default: one for each core but one, which the bots get.",
        ),
    ] = None,
    resume: Annotated[
        str | None, typer.Option("--resume", metavar="RUN_ID", help="Play what is missing of a run.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the tables and play nothing.")] = False,
    as_json: args.JsonOption = False,
    quiet: args.QuietOption = False,
) -> None:
    """Launch bots, play all tables between them, and show the standings."""
    from referee.cli import runs
    from referee.engine.entrants import entries
    from referee.organiser.overview import listed

    given = (matches, seats, seed, strikes, retries)
    if resume is not None:
        if bots or option or time or unrated or any(one is not None for one in given):
            raise UsageError(
                "--resume plays the run as it was planned, with --data, --store, --parallel, --quiet, --json"
            )
        plan = runs.load(resume, data)
        tournament = plan.tournament(runs.bots_of(plan, entries(plan.commands, plan.game)))
    else:
        plan, tournament = _plan(
            bots or [],
            args.match_rules(game, option, time, strikes, retries),
            matches,
            seats,
            seed,
            unrated=unrated,
        )
    if dry_run:
        for pairing in listed(tournament):
            tell("\t".join(map(str, (pairing.index, *pairing.sittings[0]))))
        return
    how = How(data, store, parallel or args.spare_cores(), as_json, quiet)
    raise typer.Exit(_carry_out(plan, tournament, how))


def _plan(
    bots: list[str],
    rules: args.Rules,
    matches: int | None,
    seats: int | None,
    seed: int | None,
    *,
    unrated: bool,
) -> "tuple[RoundRobin, Tournament]":
    from referee.cli import runs
    from referee.engine.entrants import entries

    found = entries(bots, rules.info.name)
    size = _seats(rules.info, seats, len(found))
    plan = runs.RoundRobin(
        run=runs.new_run("rr"),
        game=rules.info.name,
        options=rules.options,
        commands=tuple(bots),
        names=tuple(entry.name for entry in found),
        owners=tuple(entry.owner for entry in found),
        seats=size,
        matches=matches or _balanced(len(found), size),
        order=secrets.randbits(32) if seed is None else seed,
        seed=seed,
        time_control=rules.time,
        penalties=rules.penalties,
        unrated=unrated,
    )
    return plan, plan.tournament(found)


def _seats(info: "GameInfo", wanted: int | None, bots: int) -> int:
    size = wanted or min(info.max_seats, max(bots, info.min_seats))
    if not info.min_seats <= size <= info.max_seats:
        raise UsageError(f"{info.name} is for {info.seats()} seats, not for {size}")
    if bots < size:
        raise UsageError(f"a table of {info.name} has {size} seats; name at least {size} bots, not {bots}")
    return size


def _balanced(bots: int, seats: int) -> int:
    """Returns the least number of matches that puts every bot in every seat equally often."""
    cycle = comb(bots, seats) * seats
    return -(-LEAST_MATCHES // cycle) * cycle


def _carry_out(plan: "RoundRobin", tournament: "Tournament", how: How) -> int:
    import time

    from referee.cli.app import EXIT_NOT_STARTED
    from referee.cli.loop import run
    from referee.cli.runs import folder_of

    folder = folder_of(plan.run, how.data)
    with folder.locked():
        folder.begin(plan.encoded(), f"run {plan.run}", time.time_ns() // 1000)
        try:
            return run(_play(plan, tournament, how))
        except LaunchError as error:
            refuse(f"no match could start: {error}")
            return EXIT_NOT_STARTED


async def _play(plan: "RoundRobin", tournament: "Tournament", how: How) -> int:
    from referee.cli.app import EXIT_NOT_STARTED, EXIT_PLAYED
    from referee.cli.interrupt import EXIT_INTERRUPTED, Interrupt
    from referee.cli.match_result import remark
    from referee.cli.program import command
    from referee.cli.run_progress import shown
    from referee.cli.runs import folder_of
    from referee.cli.tables import console
    from referee.organiser import run

    interrupt = Interrupt(command("round-robin", "--resume", plan.run, data=how.data, store=how.store))
    interrupt.install()
    with shown(console(stderr=True), quiet=how.quiet, plain=False) as watch:
        settings = run.How(data=how.data, store=how.store, parallel=how.parallel, told=warn, watch=watch)
        report = await run.carry_out(tournament, folder_of(plan.run, how.data), settings, interrupt.seen)
    _tell(plan, report, how)
    remark(report.remains)
    if interrupt.seen.is_set():
        interrupt.tell_again()
        return EXIT_INTERRUPTED
    return EXIT_PLAYED if report.tally.played or report.tally.before else EXIT_NOT_STARTED


def _tell(plan: "RoundRobin", report: "Report", how: How) -> None:
    if how.as_json:
        answer(json_of(_values(plan, report, how)))
        return
    from referee.cli.match_result import explain
    from referee.cli.program import command
    from referee.cli.standings_command import show_run, show_standings
    from referee.cli.tables import console, first, say
    from referee.engine.local import output_folder
    from referee.store.decision_log import decisions_path

    out, err, tally = console(), console(stderr=True), report.tally
    alone = plan.unrated or plan.seed is not None
    if alone:
        say(out, "Unrated, so this is the table of this run alone:")
        show_run(plan.run, how.data, how.store, out)
    else:
        show_standings(how.data, how.store, plan.game, out)
    reasons = [f"not played: {n} of {plan.matches} matches: {why}" for why, n in tally.reasons.items()]
    for line in first(reasons, "reasons", f"all in {decisions_path(how.data, plan.run)}"):
        say(err, line)
    if told := _held_up(report.outcome):
        say(err, f"not played: {plan.matches - tally.done} of {plan.matches} matches: {told}")
    explain(report.exits)
    played = many(tally.played, "match", "matches")
    say(out, f"run {plan.run}: {played} played now; replays under {how.data / 'replays'}")
    say(out, f"what the bots printed: {output_folder(how.data, plan.run)}")
    if tally.replays:
        say(out, f"look at one:   {command('replay', 'show', tally.replays[-1])}")
        say(out, f"check it:      {command('replay', 'verify', tally.replays[-1])}")
    words = ("standings", "--tournament", plan.run) if alone else ("standings",)
    say(out, f"the table:     {command(*words, data=how.data, store=how.store)}")


def _values(plan: "RoundRobin", report: "Report", how: How) -> dict[str, Any]:
    """Returns a run as values for JSON: what was done now, all its results, and the standings with them."""
    import msgspec

    from referee.cli.runs import results
    from referee.cli.standings_command import load, of_run
    from referee.tournament.export import result_values, to_values

    alone, tally = plan.unrated or plan.seed is not None, report.tally
    tables = of_run(plan.run, how.data, how.store) if alone else load(how.data, how.store, plan.game)
    return {
        "run_id": plan.run,
        "played": tally.played,
        "forfeited": tally.forfeited,
        "replays": list(tally.replays),
        "unplayed": tally.unplayed,
        "paused": _held_up(report.outcome),
        "results": [result_values(result) for result in results(plan.run, how.data, how.store)],
        "standings": to_values(tables),
        "reports": msgspec.to_builtins(report.exits),
    }


def _held_up(outcome: "Outcome") -> str:
    """Says why the rest could not be played; nothing of a run that was interrupted or is complete."""
    from referee.organiser.ending import Ending

    return outcome.why if outcome.ending is Ending.PAUSED else ""
