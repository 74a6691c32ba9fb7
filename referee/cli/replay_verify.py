"""`referee replay verify`: checks logs by playing them again, several at a time."""

import os
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.replay_log import logs


def register(group: typer.Typer) -> None:
    """Adds `verify` to the commands of `referee replay`."""
    group.command("verify")(_verify)


def _verify(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Replay logs, packs, or folders of finished ones.")
    ],
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Ed25519 public key, PEM; each log has to be signed with its private key."
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=1, help="Logs that are checked at a time. Default: one a core."),
    ] = None,
) -> None:
    """Check logs: chain, shuffles, legality, clocks, penalties and scores are worked out anew.

    Of a folder all finished logs at any depth are checked; of a data folder those of its replays/.
    One line for each file, in the order of the files; a bad one names its first bad line. The exit
    status is 0 if all are good. The hash is that of the last line: it covers the whole log.
    """
    from referee.cli import replay_progress
    from referee.cli.interrupt import leave
    from referee.cli.replay_check import check_all
    from referee.cli.tables import console, say

    leave()
    out = console()
    found = [file for path in paths for file in logs(path)]
    good = True
    with (
        replay_progress.shown(out, len(found)) as on_done,
        closing(check_all(found, key, jobs or _cores(), on_done)) as every,
    ):
        for checked in every:
            say(out, checked.line, "green" if checked.good else "red")
            good &= checked.good
    if not good:
        raise typer.Exit(1)


def _cores() -> int:
    """Returns how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
