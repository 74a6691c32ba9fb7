"""Reads replay logs; never writes, and opens every file read-only."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.errors import RecordError
from referee.match.config import Setup
from referee.match.events import End, Record
from referee.replay import packs
from referee.replay import record as lines_of_log

REPLAYS = "replays"
"""The folder of the logs under the data root."""
FINISHED = ".jsonl"
"""How the name of a finished log ends."""
RUNNING = ".jsonl.part"
"""How the name of a log ends whose match is not over."""
SEALED = ".jsonl.sealed"
"""How the name of a log ends whose match is over, but not the block that it is a part of."""

_TAIL = 16 * 1024
"""Bytes in which the last line of a finished log is looked for first."""
_DAY = "[0-9][0-9][0-9][0-9]/[0-9][0-9]/[0-9][0-9]"


@dataclass(frozen=True, slots=True)
class Log:
    """What a replay log holds, up to its first bad line.

    Attributes:
        setup: the header.
        records: the records in order, `n` from 1.
        torn: whether bytes without a newline follow the last whole line (a crash in a write).
        fault: what is wrong with the first bad line, or None; nothing after it was read.
        last_hash: the hash of the last good line; the store keeps it.
        size: the bytes of the good lines.
        secret: opens the commitment; from the end record in the last line, even if a line before
            it is bad, else from the sidecar of a running match, else None.
    """

    setup: Setup
    records: tuple[Record, ...]
    torn: bool
    fault: RecordError | None
    last_hash: str
    size: int
    secret: bytes | None

    @property
    def end(self) -> End | None:
        """The end record, or None while there is none."""
        last = self.records[-1] if self.records else None
        return last if isinstance(last, End) else None

    @property
    def ended(self) -> bool:
        """Whether the log has its end record."""
        return self.end is not None


def read(path: Path) -> Log:
    """Returns the log of a file; raises `RecordError` that names the first bad line.

    A log that is not finished, or torn, is no error: see `Log.ended` and `Log.torn`.
    """
    log = examine(path)
    if log.fault is not None:
        raise log.fault
    return log


def examine(path: Path) -> Log:
    """Returns the log of a file up to its first bad line; raises only if there is no good header."""
    try:
        with packs.open_log(path) as file:
            data = file.read()
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from None
    return parse(data, _sidecar_secret(path))


def parse(data: bytes, secret: bytes | None = None) -> Log:
    """Returns the log that the bytes of a file hold, up to its first bad line."""
    *lines, tail = data.split(b"\n")
    if not lines:
        raise RecordError("no whole header", 1)
    chain = lines_of_log.Chain()
    setup = chain.read_header(lines[0])
    records: list[Record] = []
    fault = None
    size = len(lines[0]) + 1
    for line in lines[1:]:
        before = chain.prev
        try:
            records.append(chain.read_record(line))
        except RecordError as error:
            fault = _blame(error, lines, before)
            break
        size += len(line) + 1
    last_hash = lines_of_log.hash_of(lines[len(records)])
    secret = lines_of_log.secret_of(lines[-1]) or secret
    return Log(setup, tuple(records), bool(tail) and fault is None, fault, last_hash, size, secret)


def last_hash(path: Path) -> str:
    """Returns the hash of the last line of a file, of which no more is read than that takes.

    It covers the whole log as long as the chain holds, which only reading all of it tells.
    """
    return lines_of_log.hash_of(last_line(path))


def last_line(path: Path) -> bytes:
    """Returns the last line of a file, without its newline; no more is read than that takes."""
    try:
        with packs.open_log(path) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL))
            _, newline, line = file.read().removesuffix(b"\n").rpartition(b"\n")
            if not newline and size > _TAIL:
                file.seek(0)
                line = file.read().removesuffix(b"\n").rpartition(b"\n")[2]
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from None
    return line


def scan(root: Path) -> Iterator[Path]:
    """Returns the finished logs under a data root, packed or not, oldest day first, by id within a day."""
    for day in days(root):
        yield from logs_in(day)


def days(root: Path) -> list[Path]:
    """Returns the folders of the days under a data root, oldest first."""
    return sorted((root / REPLAYS).glob(_DAY))


def logs_in(place: Path) -> list[Path]:
    """Returns the finished logs in a pack or a folder, that of its pack included, by name."""
    if packs.is_pack(place):
        return sorted(place / name for name in packs.contents(place) if name.endswith(FINISHED))
    found = set(place.glob(f"*{FINISHED}"))
    found.update(place / name for name in packs.contents(place / packs.PACK) if name.endswith(FINISHED))
    found.update(place.glob(f"*{FINISHED}"))  # again: a log may have left the pack after the first look
    return sorted(found)


def unfinished(root: Path) -> Iterator[Path]:
    """Returns the logs under a data root whose matches are running or were cut off."""
    yield from sorted((root / REPLAYS).glob(f"{_DAY}/*{RUNNING}"))


def sealed(root: Path) -> Iterator[Path]:
    """Returns the sealed logs under a data root."""
    yield from sorted((root / REPLAYS).glob(f"{_DAY}/*{SEALED}"))


def header(path: Path) -> Setup:
    """Returns the header of a log, of which no more is read; raises `RecordError` for none."""
    try:
        with packs.open_log(path) as file:
            return lines_of_log.Chain().read_header(file.readline().removesuffix(b"\n"))
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from None


def secret_path(path: Path) -> Path:
    """Returns where the secret of a running match is kept: beside its log, by the same id."""
    return path.with_name(match_id_of(path) + ".secret")


def match_id_of(path: Path) -> str:
    """Returns the id of the match whose log has this name, in whatever state that is."""
    return path.name.removesuffix(RUNNING).removesuffix(SEALED).removesuffix(FINISHED)


def finished_path(path: Path) -> Path:
    """Returns the name that a log has in the end."""
    return path.with_name(match_id_of(path) + FINISHED)


def _blame(error: RecordError, lines: Sequence[bytes], before: str) -> RecordError:
    """Returns the error with the line that was changed, which may be the one before.

    A line that is chained to other bytes than stand before it, and that the next line confirms,
    is as it was written: then the line before it was changed.
    """
    at = error.line - 1
    link = lines_of_log.link_of(lines[at])
    if link is None or link.prev == before or link.n != at or at + 1 == len(lines):
        return error
    following = lines_of_log.link_of(lines[at + 1])
    if following is None or following.prev != lines_of_log.hash_of(lines[at]):
        return error
    return RecordError(f"it was changed after line {at + 1} was chained to it", at)


def _sidecar_secret(path: Path) -> bytes | None:
    try:
        return bytes.fromhex(secret_path(path).read_text("ascii"))
    except (OSError, ValueError):
        return None
