"""`referee standings challenge`: ranking points for matches won against house bots."""

from typing import TYPE_CHECKING

import typer

from referee.cli.printing import answer, json_of
from referee.cli.roots import MaybeDataOption, StoreOption
from referee.cli.standings_command import GameOption, JsonOption, TournamentOption, Wish, read

if TYPE_CHECKING:
    from rich.console import Console

    from referee.tournament.leaderboard import Challenger, Leaderboard


def challenge(
    context: typer.Context,
    data: MaybeDataOption = None,
    store: StoreOption = None,
    tournament: TournamentOption = None,
    game: GameOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the leaderboard of matches against house bots of one level."""
    from referee.cli.tables import console
    from referee.store import tables
    from referee.tournament.export import leaderboard_values

    wish = Wish(data, store, tournament, game, as_json=as_json).over(context.obj)
    found = read(
        wish,
        lambda opened, decisions: tables.leaderboards(
            opened, decisions, tournament=wish.tournament, game=wish.game
        ),
    )
    if wish.as_json:
        answer(json_of({"leaderboards": leaderboard_values(found)}))
    else:
        _print(found, wish, console())


def _print(boards: "tuple[Leaderboard, ...]", wish: Wish, console: "Console") -> None:
    from referee.cli.standings_table import title
    from referee.cli.tables import Column, name_column, say, show
    from referee.tournament.leaderboard import A_DAY, RANKING_POINTS

    if not boards:
        of = f" of {wish.tournament}" if wish.tournament else ""
        say(console, f"No challenge{of} was played; docs/formats.md tells what one is.")
    for board in boards:
        columns = (
            Column("", number=True),
            name_column(),
            Column("points", number=True),
            *(Column(level, number=True) for level in RANKING_POINTS),
        )
        say(console, title(board.key), "bold")
        show(console, columns, [_cells(row) for row in board.rows])
        worth = ", ".join(f"{points} for {level}" for level, points in RANKING_POINTS.items())
        say(
            console,
            f"points: {worth}, for each match won against house bots alone.\n"
            f"levels: won/played and the largest margin of a win; the first {A_DAY} matches of a day count.",
            "dim",
        )
        console.print()


def _cells(row: "Challenger") -> list[str]:
    from referee.cli.tables import NONE
    from referee.tournament.leaderboard import RANKING_POINTS

    tallies = [row.levels.get(level) for level in RANKING_POINTS]
    return [
        str(row.place),
        f"{row.name} (withdrawn)" if row.left else row.name,
        str(row.points),
        *(
            f"{tally.wins}/{tally.matches}" + ("" if tally.margin is None else f", by {tally.margin}")
            if tally
            else NONE
            for tally in tallies
        ),
    ]
