"""`referee standings`: what all finished matches were worth."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from referee.store.store import Report
    from referee.tournament.standings import Standings

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        envvar="REFEREE_DATA",
        metavar="FOLDER",
        help="Folder of replays/ and referee.db. Default: the working folder.",
    ),
]
GameOption = Annotated[
    str | None, typer.Option("--game", metavar="GAME", help="Only the tables of this game.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, the same bytes for the same logs.")]


def register(app: typer.Typer) -> None:
    """Adds `standings` with `show`, which is what it does by itself, and `rebuild`."""
    group = typer.Typer(
        help="Show what all finished matches were worth; without a command, as `show` does.",
        subcommand_metavar="[COMMAND] [ARGS]...",
    )
    group.callback(invoke_without_command=True)(_standings)
    group.command("show")(_show)
    group.command("rebuild")(_rebuild)
    app.add_typer(group, name="standings")


def show_standings(data: Path, game: str | None, console: "Console") -> None:
    """Prints the standings of a data root, or of one game, with a legend."""
    from referee.cli.program import command
    from referee.cli.standings_table import print_standings
    from referee.cli.tables import say

    tables = load(data, game)
    if not tables:
        say(console, f"No finished match under {data}; `{command('match', '--help')}` tells how to play one.")
    for table in tables:
        print_standings(table, console)


def of_run(run: str, data: Path) -> "list[Standings]":
    """Returns the tables of one run alone, in which its matches count although they are unrated."""
    from dataclasses import replace

    from referee.cli.runs import results
    from referee.tournament.standings import fold

    played = results(run, data)
    distinct = [result for result in played if len({seat.bot for seat in result.seats}) == len(result.seats)]
    return list(fold([replace(result, rated=True) for result in distinct]))


def show_run(run: str, data: Path, console: "Console") -> None:
    """Prints the tables of one run alone."""
    from referee.cli.standings_table import print_standings

    for table in of_run(run, data):
        print_standings(table, console)


def _standings(
    context: typer.Context, data: DataOption = None, game: GameOption = None, as_json: JsonOption = False
) -> None:
    """Show what all finished matches were worth."""
    context.obj = (data, game, as_json)
    if context.invoked_subcommand is None:
        _print(data or Path(), game, as_json=as_json)


def _show(
    context: typer.Context, data: DataOption = None, game: GameOption = None, as_json: JsonOption = False
) -> None:
    """Show the standings."""
    before = context.obj
    _print(data or before[0] or Path(), game or before[1], as_json=as_json or before[2])


def _rebuild(
    context: typer.Context, data: DataOption = None, game: GameOption = None, as_json: JsonOption = False
) -> None:
    """Drop the index of results, fill it again from the replay logs, and show the standings."""
    from referee.replay.reader import REPLAYS
    from referee.store.store import Store

    before = context.obj
    root = data or before[0] or Path()
    if not (root / REPLAYS).is_dir():
        raise UsageError(f"{root / REPLAYS}: no such folder; name the folder above it with --data")
    with Store.under(root) as store:
        report = store.rebuild(root)
        kept = len(store.results())
    print(f"index rebuilt: {kept} matches, {_changes(report)}", file=sys.stderr)
    _print(root, game or before[1], as_json=as_json or before[2])


def _print(data: Path, game: str | None, *, as_json: bool) -> None:
    from referee.cli.tables import console
    from referee.tournament.export import to_json

    if as_json:
        print(to_json(load(data, game)))
    else:
        show_standings(data, game, console())


def load(data: Path, game: str | None) -> "list[Standings]":
    """Returns the tables of a data root, or of one game; says on stderr which logs were left out."""
    from referee import games
    from referee.replay.reader import scan
    from referee.store.store import FILE, Store
    from referee.tournament.standings import fold

    if game is not None:
        games.find(game)
    if not data.is_dir():
        raise UsageError(f"{data}: no such folder; name the folder of the matches with --data")
    if not (data / FILE).exists() and not any(scan(data)):
        return []  # nothing is made where there is nothing to keep
    with Store.under(data) as store:
        for line in store.sync(data).refused:
            print(f"referee: {line}", file=sys.stderr)
        results = store.results()
    return [table for table in fold(results) if game in {None, table.key.game}]


def _changes(report: "Report") -> str:
    return f"{report.added} new, {report.dropped} gone with their logs, {len(report.refused)} logs left out"
