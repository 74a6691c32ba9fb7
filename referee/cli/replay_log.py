"""Which logs the commands of `referee replay` read, and how they name what is wrong with one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.errors import RecordError, UsageError

if TYPE_CHECKING:
    from referee.replay.reader import Log

LogArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A replay log, finished (.jsonl) or running (.jsonl.part).")
]


def examined(file: Path) -> "Log":
    """Returns the log of a file up to its first bad line; raises `RecordError` for one that is sealed.

    A running match of a block is as good as sealed: its deals are met in other matches.
    """
    from referee.replay.reader import RUNNING, SEALED, examine

    log = examine(file)
    if log.setup.block and file.name.endswith((RUNNING, SEALED)):
        raise RecordError("its deals are met in other matches of its block; read it when the last has ended")
    return log


def logs(path: Path) -> list[Path]:
    """Returns a file as it is and the finished logs of a folder or pack; raises `UsageError` without any."""
    from referee.replay.files import logs_under
    from referee.replay.reader import FINISHED

    found = logs_under(path)
    if not found:
        raise UsageError(f"{path}: no finished replay log (*{FINISHED}) lies under this folder")
    return found


def named(file: Path, error: RecordError) -> str:
    """Returns what is wrong with a file, which its name begins."""
    return str(error) if str(error).startswith(f"{file}:") else f"{file}: {error}"


@contextmanager
def naming(file: Path) -> Iterator[None]:
    """Has every `RecordError` inside name its file."""
    try:
        yield
    except RecordError as error:
        raise RecordError(named(file, error)) from None


def parted(file: Path, log: "Log") -> str:
    """Returns how a branch is not that of its parent, where the log of that lies in the same data folder."""
    from referee.replay.branches import differs
    from referee.replay.processes import data_root
    from referee.server.logbook import find_log

    branch, root = log.setup.branch, data_root(file)
    path = find_log(root, branch.match_id) if branch and root else None
    return differs(log, examined(path)) if path else ""
