"""`referee replay drill`: puts a bot before the turns of a seat as they stand in a log."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import arguments as args
from referee.cli import roots
from referee.cli.printing import answer, json_of, refuse
from referee.cli.replay_explain import SeatOption, house_command, root_of
from referee.cli.replay_log import LogArgument, examined, naming
from referee.errors import LaunchError, RecordError, UsageError

if TYPE_CHECKING:
    from referee.engine.drill.values import Drill
    from referee.replay.reader import Log

EXAMPLES = args.examples(
    "referee replay drill replays/2026/01/31/0194….jsonl --seat 3 -- python3 mybot.py --depth 3",
    "referee replay drill replays/2026/01/31/0194….jsonl --seat 3 -- expert",
)


def register(group: typer.Typer) -> None:
    """Adds `drill` to the commands of `referee replay`."""
    group.command("drill", epilog=EXAMPLES)(_drill)


def _drill(
    file: LogArgument,
    seat: SeatOption,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- COMMAND...]",
            help="How the bot is started, or the name of a house or sample bot. Default: the bot that had the"
            " seat, where it was launched here.",
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="List all turns, not only those to look at.")] = False,
    data: roots.MaybeDataOption = None,
    as_json: args.JsonOption = False,
    quiet: args.QuietOption = False,
) -> None:
    """Ask a bot the logged turns of a seat, one after another, and list where its answers differ.

    It is told what the seat was told: observation, events, legal actions, time. Whatever it answers, the
    match goes on as in the log; where that is something else it hears Rejected with the action played.
    Listed are answers that differ from the log, are refused, late, missing, or needed the bank.
    """
    from referee.cli.app import EXIT_NOT_STARTED
    from referee.cli.loop import run
    from referee.cli.replay_drilled import show
    from referee.cli.tables import console
    from referee.engine.local import output_folder

    with naming(file):
        log = examined(file)
        if log.fault:
            raise log.fault
        _check(log, seat)
        bot = _command(log, seat, command, file, data)
        outputs = output_folder(data or Path(), _run_name())
        try:
            done = run(_play(log, seat, bot, outputs, quiet=quiet or as_json))
        except LaunchError as error:
            refuse(f"the drill could not start: {error}")
            raise typer.Exit(EXIT_NOT_STARTED) from None
    if as_json:
        answer(json_of(done))
    else:
        show(done, console(), whole=all_)


async def _play(log: "Log", seat: int, bot: tuple[str, ...], outputs: Path, *, quiet: bool) -> "Drill":
    from referee.cli.tables import console
    from referee.engine.drill.run import drill

    progress = console(stderr=True)
    if quiet or not progress.is_terminal:
        return await drill(log, seat, bot, outputs)
    with progress.status("waiting for the bot", spinner="line") as status:
        return await drill(log, seat, bot, outputs, lambda count: status.update(f"{count} turns asked"))


def _check(log: "Log", seat: int) -> None:
    if seat >= len(log.setup.seats):
        raise UsageError(f"--seat {seat}: the match has the seats 0 to {len(log.setup.seats) - 1}")
    if log.secret is None:
        raise RecordError("its turns cannot be dealt again without the secret, which is not beside it")


def _command(
    log: "Log", seat: int, command: list[str] | None, file: Path, data: Path | None
) -> tuple[str, ...]:
    """Returns what starts the bot; raises `UsageError` where nobody knows."""
    from referee.replay import processes
    from referee.server.resolve import resolve

    found = () if command else processes.find(root_of(file, data), log.setup.match_id, seat)
    if found:
        return tuple(shlex.split(found[-1].command))
    words = command or list(filter(None, [house_command(log, seat)]))
    if not words:
        raise UsageError(
            f"seat {seat}: its bot was not launched here; name a command, as in -- python3 mybot.py"
        )
    try:
        return tuple(resolve(words[0] if len(words) == 1 else shlex.join(words), log.setup.game))
    except LaunchError as error:
        raise UsageError(str(error)) from None


def _run_name() -> str:
    from referee.cli.runs import new_run

    return new_run("drill")
