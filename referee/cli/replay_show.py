"""`referee replay show`: a finished or running match for people, or as JSON."""

from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.replay_log import LogArgument, examined, naming, print_json

if TYPE_CHECKING:
    from referee.replay.reader import Log


def register(group: typer.Typer) -> None:
    """Adds `show` to the commands of `referee replay`."""
    group.command("show")(_show)


def _show(
    file: LogArgument,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print header and records as one JSON object.")
    ] = False,
) -> None:
    """Show a match: seats, deals with all hands, actions with think times, faults, what was left, result.

    All hands and drawn tiles are shown, also those of a running match, unless other matches of its block
    have the same deals.
    """
    from referee.cli.replay_table import print_story
    from referee.cli.tables import console
    from referee.replay.show import story

    with naming(file):
        log = examined(file)
        told = None if as_json else story(log)
    if told is None:
        print_json(_json(log))
    else:
        print_story(told, console())
    if log.fault:
        raise typer.Exit(1)


def _json(log: "Log") -> bytes:
    import msgspec

    whole = {
        "header": log.setup,
        "records": log.records,
        "ended": log.ended,
        "torn": log.torn,
        "fault": str(log.fault) if log.fault else None,
        "last_hash": log.last_hash,
    }
    return msgspec.json.format(msgspec.json.encode(whole), indent=2)
