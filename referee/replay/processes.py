"""Finds what is kept of the processes that were launched for the seats of a match; private to their authors.

What launched bots print lies in `output/<run>/` under the data root: `NNN-name.txt` has both streams
of a process, `reports/NNN-name.err` stderr alone, `reports/NNN-name.json` the command and the end.
`reports/<match id>.json` says which process had which seat: by its mark, `launcher/NNN-name`, as files
of one name may be written anew by another launcher.
"""

import json
import re
import shlex
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from referee.replay.opening import SETTINGS, content
from referee.replay.reader import REPLAYS

OUTPUT: Final = "output"
"""The folder under the data root for what launched bots print."""
REPORTS: Final = "reports"
"""The folder in that of a run with what is kept of its processes and matches."""

_HEAD: Final = 64 * 1024
"""Bytes of an output before what was thrown away."""
_GAP: Final = re.compile(rb"\n\.\.\. truncated (\d+) bytes \.\.\.\n")
_MATCH_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Note(msgspec.Struct, frozen=True):
    """The marks of the processes of a match by seat, in the order in which they were started."""

    seats: dict[int, list[str]]


class Process(NamedTuple):
    """What is known of one process.

    Attributes:
        command: as it was run.
        folder: where it ran.
        output: the file with both of its streams; it may be gone.
        code: the exit code; None for one that a signal ended, that runs, or whose end nobody saw.
        signal: the number of the signal that ended it; None for none.
        stopped: it was running when the referee ended it.
        head: the beginning of its stderr.
        tail: the end of its stderr, where that is not in the head.
        dropped: the bytes between them that were thrown away.
    """

    command: str
    folder: str
    output: Path
    code: int | None
    signal: int | None
    stopped: bool
    head: str
    tail: str
    dropped: int


class _Known(msgspec.Struct, frozen=True, kw_only=True):
    launcher: str
    command: list[str]
    folder: str = ""
    code: int | None = None
    signal: int | None = None
    stopped: bool = False


def data_root(log: Path) -> Path | None:
    """Returns the data root that a log lies under; None for one that lies elsewhere."""
    folders = [folder for folder in log.absolute().parents if folder.name == REPLAYS]
    return folders[0].parent if folders else None


def find(data: Path, match_id: str, seat: int) -> tuple[Process, ...]:
    """Returns the processes that had a seat, in order; none for a bot that was not launched here.

    Of processes that did nothing wrong in the one match that they were launched for nothing is kept.
    """
    if not _MATCH_ID.fullmatch(match_id):
        return ()
    found: list[Process] = []
    for path in sorted((data / OUTPUT).glob(f"*/{REPORTS}/{match_id}.json")):
        try:
            marks = msgspec.json.decode(content(path, SETTINGS), type=Note).seats.get(seat, [])
        except (OSError, msgspec.MsgspecError):
            continue
        told = (_process(path.parent, *mark.partition("/")[::2]) for mark in marks)
        found += [process for process in told if process]
    return tuple(found)


def _process(folder: Path, launcher: str, name: str) -> Process | None:
    """Returns a process of this launcher; None where its files are gone, or are those of another one."""
    if Path(name).name != name:
        return None
    try:
        told = json.loads(content(folder / f"{name}.json", SETTINGS))  # in names that are not UTF-8, too
        known = msgspec.convert(told, type=_Known)
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError):
        return None
    if known.launcher != launcher:
        return None
    head, tail, dropped = _split(folder / f"{name}.err")
    return Process(
        command=shlex.join(known.command),
        folder=known.folder,
        output=folder.parent / f"{name}.txt",
        code=known.code,
        signal=known.signal,
        stopped=known.stopped,
        head=head,
        tail=tail,
        dropped=dropped,
    )


def _split(path: Path) -> tuple[str, str, int]:
    """Returns the beginning and the end of a capped file, and how many bytes lay between them."""
    try:
        data = content(path, SETTINGS)
    except OSError:
        return "", "", 0
    gap = _GAP.match(data, _HEAD)
    rest = data[gap.end() :] if gap else data[_HEAD:]
    return _text(data[:_HEAD]), _text(rest), int(gap[1]) if gap else 0


def _text(data: bytes) -> str:
    return data.decode(errors="backslashreplace")
