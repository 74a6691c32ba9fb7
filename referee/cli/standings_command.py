"""`referee standings`: what all finished matches were worth."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeVar

import typer

from referee.cli.printing import answer, refuse, warn
from referee.cli.roots import MaybeDataOption, StoreOption
from referee.cli.words import many
from referee.errors import RecordError, StoreUnwritableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from referee.store.indexing import Report
    from referee.store.store import Store
    from referee.store.tables import Decided
    from referee.tournament.standings import Standings

T = TypeVar("T")

_SHOWN = 5
"""How many names are told where one is unknown."""

GameOption = Annotated[
    str | None, typer.Option("--game", metavar="GAME", help="Only the tables of this game.")
]
TournamentOption = Annotated[
    str | None,
    typer.Option(
        "--tournament",
        metavar="NAME",
        help="Only the tables of this tournament, ladder or run; if it is unrated, with its matches counted.",
    ),
]
CrosstableOption = Annotated[
    bool, typer.Option("--crosstable", help="Show how each bot did against each other one, too.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, the same bytes for the same logs.")]


class Wish(NamedTuple):
    """Which tables are wanted, of what, and how."""

    data: Path | None
    store: str | None
    tournament: str | None = None
    game: str | None = None
    crosstable: bool = False
    as_json: bool = False

    @property
    def root(self) -> Path:
        """The data root."""
        return self.data or Path()

    def over(self, before: "Wish") -> "Wish":
        """Returns the wish with what was said before where it says nothing."""
        said = {name: value for name, value in self._asdict().items() if value}
        return before._replace(**said)


def register(app: typer.Typer) -> None:
    """Adds `standings` with its commands; by itself it does what `show` does."""
    from referee.cli import standings_signed
    from referee.cli.leaderboard_command import challenge

    group = typer.Typer(
        help="Show what all finished matches were worth; without a command, as `show` does.",
        subcommand_metavar="[COMMAND] [ARGS]...",
    )
    group.callback(invoke_without_command=True)(_standings)
    group.command("show")(_show)
    group.command("challenge")(challenge)
    group.command("rebuild")(_rebuild)
    standings_signed.register(group)
    app.add_typer(group, name="standings")


def show_standings(data: Path, store: str | None, game: str | None, console: "Console") -> None:
    """Prints the standings of a data root, or of one game, with a legend."""
    _show_tables(Wish(data, store, game=game), console)


def of_run(run: str, data: Path, store: str | None) -> "list[Standings]":
    """Returns the tables of one run alone, in which its matches count although they are unrated."""
    return load(data, store, None, run)


def show_run(run: str, data: Path, store: str | None, console: "Console") -> None:
    """Prints the tables of one run alone."""
    _show_tables(Wish(data, store, tournament=run), console)


def _standings(
    context: typer.Context,
    data: MaybeDataOption = None,
    store: StoreOption = None,
    tournament: TournamentOption = None,
    game: GameOption = None,
    crosstable: CrosstableOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show what all finished matches were worth."""
    context.obj = Wish(data, store, tournament, game, crosstable, as_json)
    if context.invoked_subcommand is None:
        _print(context.obj)


def _show(
    context: typer.Context,
    data: MaybeDataOption = None,
    store: StoreOption = None,
    tournament: TournamentOption = None,
    game: GameOption = None,
    crosstable: CrosstableOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show the standings."""
    _print(Wish(data, store, tournament, game, crosstable, as_json).over(context.obj))


def _rebuild(
    context: typer.Context,
    data: MaybeDataOption = None,
    store: StoreOption = None,
    tournament: TournamentOption = None,
    game: GameOption = None,
    crosstable: CrosstableOption = False,
    as_json: JsonOption = False,
) -> None:
    """Drop the index of results, fill it again from the replay logs, and show the standings."""
    from referee.cli.app import EXIT_REFEREE_FAILED
    from referee.replay.reader import REPLAYS
    from referee.store.store import Store
    from referee.store.tables import decided

    wish = Wish(data, store, tournament, game, crosstable, as_json).over(context.obj)
    if not (wish.root / REPLAYS).is_dir():
        raise UsageError(f"{wish.root / REPLAYS}: no such folder; name the folder above it with --data")
    with Store.under(wish.root, wish.store) as opened:
        report = opened.rebuild(wish.root)
        kept = opened.count()
    warn(f"index rebuilt: {many(kept, 'match', 'matches')}, {_changes(report)}")
    _print(wish)
    if decided(wish.root).broken:
        raise typer.Exit(EXIT_REFEREE_FAILED)


def _print(wish: Wish) -> None:
    from referee.cli.tables import console
    from referee.tournament.export import to_json

    if wish.as_json:
        tables = load(wish.root, wish.store, wish.game, wish.tournament)
        answer(to_json(tables, crosstable=wish.crosstable))
    else:
        _show_tables(wish, console())


def _show_tables(wish: Wish, console: "Console") -> None:
    from referee.cli.program import command
    from referee.cli.standings_crosstable import print_crosstable
    from referee.cli.standings_table import print_standings
    from referee.cli.tables import say

    tables = load(wish.root, wish.store, wish.game, wish.tournament)
    if not tables:
        of = f" of {wish.tournament}" if wish.tournament else ""
        hint = f"`{command('match', '--help')}` tells how to play one"
        say(console, f"No finished match{of} under {wish.root}; {hint}.")
    for table in tables:
        print_standings(table, console)
        if wish.crosstable:
            print_crosstable(table, console)
    if tables and not any(table.matches for table in tables):
        say(console, _why_empty(wish))


def _why_empty(wish: Wish) -> str:
    """Says why no match counts in what was asked for, and where there is more."""
    from referee.cli.compare_command import KEPT
    from referee.cli.program import command
    from referee.store.decision_log import TOURNAMENTS

    if not wish.tournament:
        hint = command("standings", "--tournament", "NAME", data=wish.data, store=wish.store)
        return f"No match counts here. The tables of unrated tournaments and runs: {hint}"
    if (wish.root / TOURNAMENTS / wish.tournament / KEPT).exists():
        again = command("compare", "--resume", wish.tournament, data=wish.data, store=wish.store)
        return (
            f"The matches of a comparison count in no table, as a bot holds several seats: {again} tells"
            " what they came to"
        )
    return f"No match of {wish.tournament} counts: the lines above say why"


def load(data: Path, store: str | None, game: str | None, tournament: str | None = None) -> "list[Standings]":
    """Returns the tables of a data root, of one game or of a tournament, ladder or run alone.

    Says on stderr which logs were left out.
    """
    from referee.store import tables

    def made(opened: "Store", decisions: "Decided") -> "tuple[Standings, ...]":
        if tournament is not None:
            return tables.tables_of(opened, decisions, tournament, game=game)
        return tables.tables(opened, decisions, game=game)

    return list(read(Wish(data, store, tournament, game), made))


def read(wish: Wish, make: "Callable[[Store, Decided], tuple[T, ...]]") -> "tuple[T, ...]":
    """Returns what is made of the store and the decisions of a data root, which is nothing without matches.

    Says on stderr which logs were left out; raises `RecordError` where the decisions about the tournament
    that is wanted cannot be trusted.
    """
    from referee import games
    from referee.cli.tables import first
    from referee.replay.reader import scan
    from referee.store import tables
    from referee.store.store import Store

    data, store = wish.root, wish.store
    if wish.game is not None:
        games.find(wish.game)
    if not data.is_dir():
        raise UsageError(f"{data}: no such folder; name the folder of the matches with --data")
    decisions = tables.decided(data)
    if wish.tournament is not None and wish.tournament in decisions.broken:
        raise RecordError(decisions.broken[wish.tournament])
    if not Store.exists(data, store) and not any(scan(data)):
        _check_known(wish, set())
        return ()  # nothing is made where there is nothing to keep
    with Store.under(data, store) as opened:
        left_out = [*_synced(opened, data), *decisions.broken.values()]
        for line in first(left_out, "like these", "put these right first"):
            refuse(line)
        found = make(opened, decisions)
        if not found:
            _check_known(wish, opened.series())
        return found


def _synced(opened: "Store", data: Path) -> "tuple[str, ...]":
    """Brings the index up to the logs if it can be written, and returns what was left out."""
    try:
        return opened.sync(data).refused
    except StoreUnwritableError as error:
        return (f"{error}; logs that are not in it yet are left out",)


def _check_known(wish: Wish, played: set[str]) -> None:
    """Raises `UsageError` for the name of a tournament, ladder or run that there is not."""
    from difflib import get_close_matches

    from referee.store.decision_log import TOURNAMENTS

    begun = {path.name for path in (wish.root / TOURNAMENTS).glob("*/")}
    known = sorted(begun | played)
    if not wish.tournament or wish.tournament in known:
        return
    near = get_close_matches(wish.tournament, known, n=1)
    some = ", ".join(known[-_SHOWN:]) + (" and others" if len(known) > _SHOWN else "")
    there_are = f"there are {some}" if known else "there is none; name the folder with --data"
    hint = f"did you mean {near[0]}?" if near else there_are
    raise UsageError(f"no tournament, ladder or run {wish.tournament!r} under {wish.root}; {hint}")


def _changes(report: "Report") -> str:
    left_out = many(len(report.refused), "log")
    return f"{report.added} new, {report.dropped} gone with their logs, {left_out} left out"
