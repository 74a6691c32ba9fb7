"""`referee standings`: what all finished matches were worth."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.roots import MaybeDataOption, StoreOption
from referee.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from referee.store.indexing import Report
    from referee.tournament.standings import Standings

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


def show_standings(data: Path, store: str | None, game: str | None, console: "Console") -> None:
    """Prints the standings of a data root, or of one game, with a legend."""
    from referee.cli.program import command
    from referee.cli.standings_table import print_standings
    from referee.cli.tables import say

    tables = load(data, store, game)
    if not tables:
        say(console, f"No finished match under {data}; `{command('match', '--help')}` tells how to play one.")
    for table in tables:
        print_standings(table, console)


def of_run(run: str, data: Path, store: str | None) -> "list[Standings]":
    """Returns the tables of one run alone, in which its matches count although they are unrated."""
    from dataclasses import replace

    from referee.cli.runs import results
    from referee.tournament.standings import fold

    played = results(run, data, store)
    distinct = [result for result in played if len({seat.bot for seat in result.seats}) == len(result.seats)]
    return list(fold([replace(result, rated=True) for result in distinct]))


def show_run(run: str, data: Path, store: str | None, console: "Console") -> None:
    """Prints the tables of one run alone."""
    from referee.cli.standings_table import print_standings

    for table in of_run(run, data, store):
        print_standings(table, console)


def _standings(
    context: typer.Context,
    data: MaybeDataOption = None,
    store: StoreOption = None,
    game: GameOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what all finished matches were worth."""
    context.obj = (data, store, game, as_json)
    if context.invoked_subcommand is None:
        _print(data or Path(), store, game, as_json=as_json)


def _show(
    context: typer.Context,
    data: MaybeDataOption = None,
    store: StoreOption = None,
    game: GameOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the standings."""
    before = context.obj
    _print(data or before[0] or Path(), store or before[1], game or before[2], as_json=as_json or before[3])


def _rebuild(
    context: typer.Context,
    data: MaybeDataOption = None,
    store: StoreOption = None,
    game: GameOption = None,
    as_json: JsonOption = False,
) -> None:
    """Drop the index of results, fill it again from the replay logs, and show the standings."""
    from referee.replay.reader import REPLAYS
    from referee.store.store import Store

    before = context.obj
    root, url = data or before[0] or Path(), store or before[1]
    if not (root / REPLAYS).is_dir():
        raise UsageError(f"{root / REPLAYS}: no such folder; name the folder above it with --data")
    with Store.under(root, url) as opened:
        report = opened.rebuild(root)
        kept = opened.count()
    print(f"index rebuilt: {kept} matches, {_changes(report)}", file=sys.stderr)
    _print(root, url, game or before[2], as_json=as_json or before[3])


def _print(data: Path, store: str | None, game: str | None, *, as_json: bool) -> None:
    from referee.cli.tables import console
    from referee.tournament.export import to_json

    if as_json:
        print(to_json(load(data, store, game)))
    else:
        show_standings(data, store, game, console())


def load(data: Path, store: str | None, game: str | None) -> "list[Standings]":
    """Returns the tables of a data root, or of one game; says on stderr which logs were left out."""
    from referee import games
    from referee.replay.reader import scan
    from referee.store.store import Store
    from referee.tournament.standings import fold

    if game is not None:
        games.find(game)
    if not data.is_dir():
        raise UsageError(f"{data}: no such folder; name the folder of the matches with --data")
    if not Store.exists(data, store) and not any(scan(data)):
        return []  # nothing is made where there is nothing to keep
    with Store.under(data, store) as opened:
        for line in opened.sync(data).refused:
            print(f"referee: {line}", file=sys.stderr)
        return list(fold(opened.each_result(game=game)))


def _changes(report: "Report") -> str:
    return f"{report.added} new, {report.dropped} gone with their logs, {len(report.refused)} logs left out"
