"""`referee replay show`: a match, whole or as one viewer saw it, for people or as JSON."""

from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.replay_log import LogArgument, examined, naming
from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.replay.reader import Log


def register(group: typer.Typer) -> None:
    """Adds `show` to the commands of `referee replay`."""
    group.command("show")(_show)


def _show(
    file: LogArgument,
    seat: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=0,
            help="Show exactly what this seat was told: its turns, its events, its own refusals and clock.",
        ),
    ] = None,
    spectator: Annotated[bool, typer.Option("--spectator", help="Show what spectators were told.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the same as one JSON object: header and records, or frames.")
    ] = False,
) -> None:
    """Show a match: seats, deals with all hands, actions with think times, faults, what was left, result.

    All hands and drawn tiles are shown, also those of a running match, unless other matches of its block
    have the same deals. With --seat or --spectator nothing is shown but what that viewer was told.
    """
    from referee.cli import replay_viewer

    if seat is not None and spectator:
        raise UsageError("give --seat or --spectator, not both")
    with naming(file):
        log = examined(file)
        if seat is not None:
            _check_seat(log, seat)
            good = replay_viewer.show_seat(log, seat, as_json=as_json)
        elif spectator:
            good = replay_viewer.show_spectator(log, as_json=as_json)
        else:
            good = replay_viewer.show_all(log, as_json=as_json)
    if not good:
        raise typer.Exit(1)


def _check_seat(log: "Log", seat: int) -> None:
    if seat >= len(log.setup.seats):
        raise UsageError(f"--seat {seat}: the match has the seats 0 to {len(log.setup.seats) - 1}")
