"""`referee replay explain`: why a seat lost points, for the author of its bot."""

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import arguments as args
from referee.cli import roots
from referee.cli.replay_log import LogArgument, examined, naming

if TYPE_CHECKING:
    from referee.replay.processes import Process
    from referee.replay.reader import Log

SeatOption = Annotated[
    int, typer.Option("--seat", metavar="NUMBER", min=0, help="The seat, counted from 0.", show_default=False)
]
EXAMPLES = args.examples("referee replay explain replays/2026/01/31/0194….jsonl --seat 3")


def register(group: typer.Typer) -> None:
    """Adds `explain` to the commands of `referee replay`."""
    group.command("explain", epilog=EXAMPLES)(_explain)


def _explain(
    file: LogArgument, seat: SeatOption, data: roots.MaybeDataOption = None, as_json: args.JsonOption = False
) -> None:
    """Explain why a seat lost points: place, faults with the turn as the bot saw it, time, its stderr.

    What its process printed is found where the match was played, in the data folder of the log or the one
    that --data names.
    """
    from referee.cli import replay_explained
    from referee.cli.printing import answer, json_of
    from referee.cli.tables import console
    from referee.replay import processes
    from referee.replay.report import report

    with naming(file):
        log = examined(file)
        if log.fault:
            raise log.fault
        found = processes.find(root_of(file, data), log.setup.match_id, seat)
        told = report(log, seat)
        if told.reproduce:
            told = told._replace(reproduce=_again(log, seat, file, data, found[-1] if found else None))
    if as_json:
        answer(json_of(replay_explained.as_values(log, told, found)))
    else:
        replay_explained.show(log, told, found, console())


def _again(log: "Log", seat: int, file: Path, data: Path | None, process: "Process | None") -> str:
    """Returns the command that puts the bot before the same turns, wherever it is typed.

    It runs where the bot ran, as its command may name files from there, and leaves what the bot prints in
    the data folder of the log.
    """
    from referee.cli.program import command, joined
    from referee.replay.processes import data_root

    root = data or data_root(file)
    kept = ["--data", os.path.abspath(root)] if root else []  # noqa: PTH100  links stay what they are
    bot = shlex.split(process.command) if process else [house_command(log, seat) or "COMMAND"]
    words = ["replay", "drill", os.path.abspath(file), "--seat", str(seat), *kept, "--", *bot]  # noqa: PTH100
    line = command(*words, elsewhere=True)
    if process and Path(process.folder).is_absolute():
        return f"({joined(['cd', '--', process.folder])} && {line})"
    return line


def root_of(file: Path, data: Path | None) -> Path:
    """Returns the data folder that a log belongs to, unless another one was named."""
    from referee.replay.processes import data_root

    return data or data_root(file) or Path()


def house_command(log: "Log", seat: int) -> str:
    """Returns the name of the house bot that had a seat; empty where none had it."""
    from referee.store.bots import HOUSE_BOTS

    if not 0 <= seat < len(log.setup.seats):
        return ""
    info = log.setup.seats[seat]
    return (
        info.owner if info.owner in HOUSE_BOTS and info.bot.startswith(f"{info.owner}/{info.owner}") else ""
    )
