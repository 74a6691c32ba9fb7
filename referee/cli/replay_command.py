"""`referee replay`: shows a finished or running match, and checks logs by playing them again."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import replay_pack

if TYPE_CHECKING:
    from rich.console import Console

    from referee.errors import RecordError
    from referee.replay.reader import Log
    from referee.replay.signature import Verifier


def register(app: typer.Typer) -> None:
    """Adds `replay` with its commands."""
    group = typer.Typer(help="Show, check and pack the logs of matches.", no_args_is_help=True)
    group.command("show")(_show)
    group.command("verify")(_verify)
    replay_pack.register(group)
    app.add_typer(group, name="replay")


def _show(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A replay log, finished (.jsonl) or running (.jsonl.part).")
    ],
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
    from referee.errors import RecordError
    from referee.replay.show import story

    try:
        log = _examined(file)
        told = None if as_json else story(log)
    except RecordError as error:
        raise RecordError(_named(file, error)) from None
    if told is None:
        sys.stdout.write(_json(log))
    else:
        print_story(told, console())
    if log.fault:
        raise typer.Exit(1)


def _verify(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Replay logs, or folders of finished ones.")
    ],
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Ed25519 public key, PEM; each log has to be signed with its private key."
        ),
    ] = None,
) -> None:
    """Check logs: chain, shuffles, legality, clocks, penalties and scores are worked out anew.

    Of a folder all finished logs at any depth are checked; of a data folder those of its replays/.
    One line for each file; a bad one names its first bad line. The exit status is 0 if all are good.
    The hash is that of the last line: it covers the whole log.
    """
    from referee.cli.tables import console
    from referee.replay.signature import Verifier

    out = console()
    verifier = Verifier.load(key) if key else None
    good = [_check(file, out, verifier) for path in paths for file in _logs(path)]
    if not all(good):
        raise typer.Exit(1)


def _logs(path: Path) -> list[Path]:
    """Returns a file as it is and the finished logs of a folder or pack; raises `UsageError` without any."""
    from referee.errors import UsageError
    from referee.replay.files import logs_under
    from referee.replay.reader import FINISHED

    found = logs_under(path)
    if not found:
        raise UsageError(f"{path}: no finished replay log (*{FINISHED}) lies under this folder")
    return found


def _examined(file: Path) -> "Log":
    """Returns the log of a file; raises `RecordError` for one that is sealed, or will be."""
    from referee.errors import RecordError
    from referee.replay.reader import RUNNING, SEALED, examine

    log = examine(file)
    if log.setup.block and file.name.endswith((RUNNING, SEALED)):
        raise RecordError("its deals are met in other matches of its block; read it when the last has ended")
    return log


def _check(file: Path, console: "Console", verifier: "Verifier | None") -> bool:
    """Prints the line of a file and says whether it is good; its signature counts with a verifier."""
    from referee.cli.tables import say
    from referee.errors import RecordError
    from referee.replay.verify import verify

    try:
        log = _examined(file)
        verdict = verify(log)
        if verdict.ok and verifier:
            verifier.check(file, log.last_hash)
    except RecordError as error:
        say(console, _named(file, error), "red")
        return False
    if verdict.ok and log.end:
        signed = "signed, " if verifier else ""
        told = f"good: {verdict.records} records, {log.end.termination}, {signed}hash {log.last_hash}"
    else:
        told = str(verdict)
    say(console, f"{file}: {told}", "green" if verdict.ok else "red")
    return verdict.ok


def _named(file: Path, error: "RecordError") -> str:
    """Returns what is wrong with a file, which its name begins."""
    return str(error) if str(error).startswith(f"{file}:") else f"{file}: {error}"


def _json(log: "Log") -> str:
    import msgspec

    whole = {
        "header": log.setup,
        "records": log.records,
        "ended": log.ended,
        "torn": log.torn,
        "fault": str(log.fault) if log.fault else None,
        "last_hash": log.last_hash,
    }
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode() + "\n"
