"""`referee round-robin`: launches bots and plays all tables between them."""

import json
import secrets
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from referee.cli import arguments as args
from referee.errors import LaunchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from referee.cli.round_robin import Tally
    from referee.cli.runs import RoundRobin
    from referee.engine.entrants import Entry
    from referee.games.info import GameInfo
    from referee.server.launcher import LaunchReport

LEAST_MATCHES = 20
"""How many matches there are at least where nobody says how many."""
RESTARTS = 3
"""How often a bot is started again that exits during a round robin."""


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

    if resume is not None:
        if bots or option or time or unrated or any(given is not None for given in (matches, seats, seed)):
            raise UsageError(
                "--resume plays the run as it was planned;"
                " give only --data, --store, --parallel, --quiet and --json"
            )
        plan = runs.load(resume, data)
        found = runs.entries_of(plan, entries(plan.commands, plan.game))
    else:
        plan, found = _plan(bots or [], game, matches, seats, option, time, seed, unrated=unrated)
    how = How(data, store, parallel or args.spare_cores(), as_json, quiet)
    if dry_run:
        for table in plan.tables():
            print(table.index, *table.seats, sep="\t")
        return
    if resume is None:
        runs.save(plan, data)
    raise typer.Exit(_carry_out(plan, found, how))


def _plan(
    bots: list[str],
    game: str,
    matches: int | None,
    seats: int | None,
    option: list[str] | None,
    time: str | None,
    seed: int | None,
    *,
    unrated: bool,
) -> "tuple[RoundRobin, tuple[Entry, ...]]":
    from referee import games
    from referee.cli import runs
    from referee.engine.entrants import entries
    from referee.match.config import TimeControl

    info = games.find(game).info
    found = entries(bots, game)
    size = _seats(info, seats, len(found))
    plan = runs.RoundRobin(
        run=runs.new_run("rr"),
        game=game,
        options=args.game_options(info, option),
        commands=tuple(bots),
        names=tuple(entry.name for entry in found),
        owners=tuple(entry.owner for entry in found),
        folder=str(Path.cwd()),
        seats=size,
        matches=matches or _balanced(len(found), size),
        order=secrets.randbits(32) if seed is None else seed,
        seed=seed,
        time_control=TimeControl.parse(time) if time else TimeControl(),
        unrated=unrated,
    )
    return plan, found


def _seats(info: "GameInfo", wanted: int | None, bots: int) -> int:
    size = wanted or min(info.max_seats, max(bots, info.min_seats))
    if not info.min_seats <= size <= info.max_seats:
        raise UsageError(f"{info.name} is for {info.seats()} seats, not for {size}")
    if bots < size:
        raise UsageError(f"a table of {info.name} has {size} seats; name at least {size} bots, not {bots}")
    return size


def _balanced(bots: int, seats: int) -> int:
    """Returns the least number of matches that puts every bot in every seat equally often."""
    from referee.tournament.pairing import total

    cycle = total(bots, seats, laps=seats)
    return -(-LEAST_MATCHES // cycle) * cycle


def _carry_out(plan: "RoundRobin", found: "tuple[Entry, ...]", how: How) -> int:
    from referee.cli.app import EXIT_NOT_STARTED
    from referee.cli.loop import run

    try:
        return run(_play(plan, found, how))
    except LaunchError as error:
        print(f"referee: no match could start: {error}", file=sys.stderr)
        return EXIT_NOT_STARTED


async def _play(plan: "RoundRobin", found: "tuple[Entry, ...]", how: How) -> int:
    from referee.cli import runs
    from referee.cli.app import EXIT_NOT_STARTED, EXIT_PLAYED
    from referee.cli.interrupt import EXIT_INTERRUPTED, Interrupt
    from referee.cli.match_result import remark
    from referee.cli.program import command
    from referee.cli.round_robin import Organiser
    from referee.cli.tables import console, warn
    from referee.engine.local import LocalArena
    from referee.server.config import ArenaConfig

    interrupt = Interrupt(command("round-robin", "--resume", plan.run, data=how.data, store=how.store))
    interrupt.install()
    before = runs.Progress(plan, how.data, how.store)
    config = ArenaConfig(data=how.data, store=how.store, time_control=plan.time_control)
    outputs = runs.output_folder(how.data, plan.run)
    many = _at_once(found, how.parallel)
    async with LocalArena(config, many, plan.game, outputs, warn, seed=plan.seed, restarts=RESTARTS) as local:
        with _bar(console(stderr=True), plan.matches, len(before.done), quiet=how.quiet) as told:
            organiser = Organiser(plan, local, before, told)
            await organiser.play(how.parallel, interrupt)
        reports = [] if interrupt.seen.is_set() else local.reports()
    _tell(plan, organiser.tally, reports, how)
    remark(local.remains())
    if interrupt.seen.is_set():
        interrupt.tell_again()
        return EXIT_INTERRUPTED
    return EXIT_PLAYED if organiser.tally.played or before.done else EXIT_NOT_STARTED


def _at_once(found: "tuple[Entry, ...]", parallel: int) -> "list[Entry]":
    """Has the house bots play as many matches at once as there are; others say for themselves."""
    from dataclasses import replace

    return [
        replace(entry, command=(*entry.command, "--matches", str(parallel))) if entry.house else entry
        for entry in found
    ]


@contextmanager
def _bar(console: "Console", total: int, done: int, *, quiet: bool) -> "Iterator[Callable[[Tally], None]]":
    """Shows a progress bar on a terminal unless it is to be quiet, and nothing elsewhere."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[forfeited]} forfeited, {task.fields[unplayed]} not played"),
    )
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task("matches", total=total, completed=done, forfeited=0, unplayed=0)

        def told(tally: "Tally") -> None:
            bar.update(
                task,
                completed=done + tally.played + len(tally.unplayed),
                forfeited=tally.forfeited,
                unplayed=len(tally.unplayed),
            )

        yield told


def _tell(plan: "RoundRobin", tally: "Tally", reports: "list[LaunchReport]", how: How) -> None:
    if how.as_json:
        print(json.dumps(_values(plan, tally, reports, how), indent=2))
        return
    from referee.cli.match_result import explain
    from referee.cli.program import command
    from referee.cli.runs import output_folder
    from referee.cli.standings_command import show_run, show_standings
    from referee.cli.tables import console, say

    out, err = console(), console(stderr=True)
    if plan.unrated or plan.seed is not None:
        say(out, "Unrated, so this is the table of this run alone:")
        show_run(plan.run, how.data, how.store, out)
    else:
        show_standings(how.data, how.store, plan.game, out)
    reasons = Counter(tally.unplayed.values())
    for reason, count in reasons.items():
        say(err, f"not played: {count} of {plan.matches} matches: {reason}")
    explain(reports)
    say(out, f"run {plan.run}: {tally.played} matches played now; replays under {how.data / 'replays'}")
    say(out, f"what the bots printed: {output_folder(how.data, plan.run)}")
    if tally.replays:
        say(out, f"look at one:   {command('replay', 'show', tally.replays[-1])}")
        say(out, f"check it:      {command('replay', 'verify', tally.replays[-1])}")
    say(out, f"the table:     {command('standings', data=how.data, store=how.store)}")


def _values(plan: "RoundRobin", tally: "Tally", reports: "list[LaunchReport]", how: How) -> dict[str, Any]:
    """Returns a run as values for JSON: what was done now, all its results, and the standings with them."""
    import msgspec

    from referee.cli.runs import results
    from referee.cli.standings_command import load, of_run
    from referee.tournament.export import result_values, to_values

    alone = plan.unrated or plan.seed is not None
    tables = of_run(plan.run, how.data, how.store) if alone else load(how.data, how.store, plan.game)
    return {
        "run_id": plan.run,
        **msgspec.to_builtins(tally),
        "results": [result_values(result) for result in results(plan.run, how.data, how.store)],
        "standings": to_values(tables),
        "reports": msgspec.to_builtins(reports),
    }
