"""`referee replay pack` and `unpack`: the logs of finished days, each day in one compressed file."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.arguments import examples
from referee.cli.roots import DataOption
from referee.cli.words import many
from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.replay.packing import Moved

PACK_EXAMPLES = examples(
    "referee replay pack --data arena", "referee replay pack --data arena --older-than 30"
)
UNPACK_EXAMPLES = examples("referee replay unpack --data arena", "referee replay unpack 2026-07-28")
_KIB = 1024


def register(group: typer.Typer) -> None:
    """Adds `pack` and `unpack` to the commands of `referee replay`."""
    group.command("pack", epilog=PACK_EXAMPLES)(_pack)
    group.command("unpack", epilog=UNPACK_EXAMPLES)(_unpack)


def _pack(
    before: Annotated[
        str,
        typer.Option(
            metavar="DAY", help="Pack the days before this one, as in 2026-07-28. Default: today, in UTC."
        ),
    ] = "",
    older_than: Annotated[
        int | None, typer.Option(metavar="DAYS", min=0, help="Leave that many days before today as they are.")
    ] = None,
    data: DataOption = Path(),
) -> None:
    """Pack the logs of each finished day into one zip file, from which all commands read them as before.

    Signatures go along. A day is left alone while a match of it is not over. Logs that come later for a
    packed day are taken in by the next run. A server may go on meanwhile, and nothing is lost whenever
    this is killed. The exit status is 1 if a day could not be packed, or a file is no log that is called one.
    """
    from referee.replay.packing import pack_days

    today = datetime.now(UTC).date()
    limit = today if older_than is None else today - timedelta(days=min(older_than, today.toordinal() - 1))
    if before:
        if older_than is not None:
            raise UsageError("give --before or --older-than, not both")
        limit = _day(before)
        if limit > today:
            raise UsageError(
                f"--before {before}: {today} is not over, so nothing later than --before {today}"
            )
    _tell(data, pack_days(_with_replays(data), limit), "packed")


def _unpack(
    days: Annotated[
        list[str] | None, typer.Argument(metavar="DAY", help="A day, as in 2026-07-28. Default: all.")
    ] = None,
    data: DataOption = Path(),
) -> None:
    """Put packed logs back into files of their own and remove the packs."""
    from referee.replay.packing import unpack_days

    wanted = [_day(text) for text in days or ()]
    _tell(data, unpack_days(_with_replays(data), wanted), "unpacked")


def _with_replays(data: Path) -> Path:
    from referee.replay.reader import REPLAYS

    if not (data / REPLAYS).is_dir():
        raise UsageError(f"{data / REPLAYS}: no such folder; name the folder above it with --data")
    return data


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no day; write it like 2026-07-28") from None


def _tell(data: Path, every: Iterator["Moved"], done: str) -> None:
    """Prints a line for each day; ends with status 1 if one could not be moved."""
    from referee.cli.tables import console, say

    out, failed, count = console(), False, 0
    for count, moved in enumerate(every, start=1):  # noqa: B007  counted for the end
        name = moved.day.relative_to(data)
        if moved.problem:
            failed |= not moved.waits
            say(out, f"{name}: left as it is: {moved.problem}", "yellow" if moved.waits else "red")
            continue
        for odd in moved.odd:
            say(
                out,
                f"{name / odd}: stays: it is no finished log of the match that it is named by",
                "red",
            )
        failed |= bool(moved.odd)
        if not moved.packed:
            continue
        sizes = f"{_size(moved.plain)} in files, {_size(moved.packed)} in the pack"
        say(out, f"{name}: {many(moved.logs, 'log')} {done}; {sizes}", "green")
    if not count:
        say(out, f"{data}: there is nothing to be {done}")
    if failed:
        raise typer.Exit(1)


def _size(count: int) -> str:
    return f"{count / _KIB / _KIB:,.1f} MiB" if count >= _KIB * _KIB else f"{count / _KIB:,.1f} KiB"
