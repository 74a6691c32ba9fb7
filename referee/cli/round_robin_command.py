"""`referee round-robin`: launches bots and plays all tables between them."""

import json
import secrets
import shlex
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from referee.cli import arguments as args
from referee.errors import LaunchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from referee.cli.local_arena import Entry
    from referee.cli.round_robin import Tally
    from referee.cli.runs import RoundRobin
    from referee.games.base import GameInfo
    from referee.server.launcher import LaunchReport

LEAST_MATCHES = 20
"""How many matches there are at least where nobody says how many."""
RESTARTS = 3
"""How often a bot is started again that exits during a round robin."""


class How(NamedTuple):
    """How a run is carried out; nothing of it changes a result."""

    data: Path
    parallel: int
    as_json: bool


def register(app: typer.Typer) -> None:
    """Adds `round-robin`."""
    app.command("round-robin", no_args_is_help=True)(_round_robin)


def _round_robin(
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT...", help="A house bot (easy, normal, expert), or a command in one word."
        ),
    ] = None,
    game: args.GameOption = args.GAME,
    matches: Annotated[
        int | None,
        typer.Option(
            "--matches", "-n", min=1, help="How many; default: all tables, every bot in every seat."
        ),
    ] = None,
    seats: Annotated[int | None, typer.Option("--seats", min=1, help="Seats of a table.")] = None,
    option: args.OptionsOption = None,
    time: args.TimeOption = None,
    seed: args.SeedOption = None,
    data: args.DataOption = Path(),
    parallel: Annotated[
        int | None, typer.Option("--parallel", min=1, help="Matches at once; default: leaves a core.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option("--resume", metavar="RUN_ID", help="Play what is missing of a run.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the tables and play nothing.")] = False,
    as_json: args.JsonOption = False,
) -> None:
    """Launch bots, play all tables between them, and show the standings."""
    from referee.cli import runs
    from referee.cli.local_arena import entries

    if resume is not None:
        if bots or option or time or matches is not None or seats is not None or seed is not None:
            raise UsageError(
                "--resume plays the run as it was planned; give only --data, --parallel and --json"
            )
        plan = runs.load(resume, data)
        found = runs.entries_of(plan, entries(plan.commands, plan.game))
    else:
        plan, found = _plan(bots or [], game, matches, seats, option, time, seed)
    how = How(data, parallel or args.spare_cores(), as_json)
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
) -> "tuple[RoundRobin, tuple[Entry, ...]]":
    from referee import games
    from referee.cli import runs
    from referee.cli.local_arena import entries
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
    )
    return plan, found


def _seats(info: "GameInfo", wanted: int | None, bots: int) -> int:
    size = wanted or min(info.max_seats, max(bots, info.min_seats))
    if not info.min_seats <= size <= info.max_seats:
        raise UsageError(f"{info.name} is for {args.seat_range(info)} seats, not for {size}")
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
    from rich.console import Console

    from referee.cli import runs
    from referee.cli.app import EXIT_NOT_STARTED, EXIT_PLAYED
    from referee.cli.interrupt import EXIT_INTERRUPTED, Interrupt
    from referee.cli.local_arena import LocalArena
    from referee.cli.round_robin import Player
    from referee.server.config import ArenaConfig

    resume = ["referee", "round-robin", "--resume", plan.run]
    interrupt = Interrupt(shlex.join(resume + (["--data", str(how.data)] if how.data != Path() else [])))
    interrupt.install()
    before = runs.Progress(plan, how.data)
    config = ArenaConfig(data=how.data, time_control=plan.time_control)
    outputs = runs.output_folder(how.data, plan.run)
    many = _at_once(found, plan.commands, how.parallel)
    progress = Console(stderr=True)
    async with LocalArena(config, many, plan.game, outputs, seed=plan.seed, restarts=RESTARTS) as local:
        with _bar(progress, plan.matches, len(before.done)) as told:
            player = Player(plan, local, before, told)
            await player.play(how.parallel, interrupt)
        reports = local.reports()
    _tell(plan, player.tally, reports, how)
    if interrupt.seen.is_set():
        interrupt.tell_again()
        return EXIT_INTERRUPTED
    return EXIT_PLAYED if player.tally.played or before.done else EXIT_NOT_STARTED


def _at_once(found: "tuple[Entry, ...]", commands: tuple[str, ...], parallel: int) -> "list[Entry]":
    """Has the house bots play as many matches at once as there are; others say for themselves."""
    from dataclasses import replace

    from referee.server.resolve import HOUSE_BOTS

    return [
        replace(entry, command=(*entry.command, "--matches", str(parallel)))
        if command in HOUSE_BOTS
        else entry
        for entry, command in zip(found, commands, strict=True)
    ]


@contextmanager
def _bar(console: "Console", total: int, done: int) -> "Iterator[Callable[[Tally], None]]":
    """Shows a progress bar on a terminal, and nothing elsewhere."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[forfeited]} forfeited, {task.fields[unplayed]} not played"),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
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
    import msgspec

    if how.as_json:
        value = {"run_id": plan.run, **msgspec.to_builtins(tally), "reports": msgspec.to_builtins(reports)}
        print(json.dumps(value, indent=2))
        return
    from rich.console import Console

    from referee.cli.match_result import explain
    from referee.cli.standings_command import show_standings

    show_standings(how.data, plan.game, Console())
    for pairing, reason in tally.unplayed.items():
        print(f"not played: {pairing}: {reason}", file=sys.stderr)
    explain(reports)
    again = f" --data {shlex.quote(str(how.data))}" if how.data != Path() else ""
    print(f"run {plan.run}: {tally.played} matches played now; replays under {how.data / 'replays'}")
    if tally.replays:
        print(f"look at one:   referee replay show {shlex.quote(tally.replays[-1])}")
        print(f"check it:      referee replay verify {shlex.quote(tally.replays[-1])}")
    print(f"the table:     referee standings{again}")
