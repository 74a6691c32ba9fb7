"""Reads replay logs; never writes, and opens every file read-only.

A file is read line by line, and no further than its first bad line: whatever it is, no more of it comes into
memory than its good records and a line or two.
"""

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from referee.errors import RecordError
from referee.match.config import Setup
from referee.match.events import End, Record
from referee.replay import opening, packs
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
_READ = lines_of_log.LINE_LIMIT + 1
"""Bytes of the longest line with its newline; of a longer one no more is read."""
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
            return _parsed(file, _sidecar_secret(path))
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from None


def parse(data: bytes, secret: bytes | None = None) -> Log:
    """Returns the log that the bytes of a file hold, up to its first bad line."""
    return _parsed(io.BytesIO(data), secret)


def last_hash(path: Path) -> str:
    """Returns the hash of the last line of a file, of which no more is read than that takes.

    It covers the whole log as long as the chain holds, which only reading all of it tells.
    """
    return lines_of_log.hash_of(last_line(path))


def last_line(path: Path) -> bytes:
    """Returns the last line of a file, without its newline; no more is read than that takes."""
    try:
        with packs.open_log(path) as file:
            line = _ending(file)
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from None
    if line is None:
        raise RecordError(f"{path}: does not end in a line of a replay log")
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
    pack, found = place / packs.PACK, set[Path]()
    for _ in packs.looks(pack):
        found.update(place.glob(f"*{FINISHED}"))
        found.update(place / name for name in packs.contents(pack) if name.endswith(FINISHED))
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
            return _header(file, lines_of_log.Chain())
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


def _header(file: BinaryIO, chain: lines_of_log.Chain) -> Setup:
    line = file.readline(_READ)
    if len(line) == _READ and not line.endswith(b"\n"):
        raise chain.too_long()
    if not line.endswith(b"\n"):
        raise RecordError("no whole header", 1)
    return chain.read_header(line[:-1])


def _parsed(file: BinaryIO, sidecar: bytes | None) -> Log:
    chain = lines_of_log.Chain()
    setup = _header(file, chain)
    records: list[Record] = []
    fault = None
    last, size = chain.prev, file.tell()
    good = b""
    while (line := file.readline(_READ)).endswith(b"\n"):
        try:
            records.append(chain.read_record(line[:-1]))
        except RecordError as error:
            fault = _blame(error, line[:-1], last, file.readline(_READ))
            break
        good, last, size = line, chain.prev, size + len(line)
    if len(line) == _READ and fault is None and not line.endswith(b"\n"):
        fault = chain.too_long()
    ending = good[:-1] if fault is None else _ending(file, whole=True) or b""
    secret = lines_of_log.secret_of(ending) or sidecar
    return Log(setup, tuple(records), bool(line) and fault is None, fault, last, size, secret)


def _ending(file: BinaryIO, *, whole: bool = False) -> bytes | None:
    """Returns the last line of a file, or the last with its newline; None where it is too long for one."""
    size = file.seek(0, os.SEEK_END)
    for most in (_TAIL, 2 * _READ):
        file.seek(max(0, size - most))
        data = file.read(most)
        if whole:
            data = data[: data.rfind(b"\n") + 1]
        _, newline, line = data.removesuffix(b"\n").rpartition(b"\n")
        if newline or size <= most:
            return line
    return None


def _blame(error: RecordError, line: bytes, before: str, following: bytes) -> RecordError:
    """Returns the error with the line that was changed, which may be the one before.

    A line that is chained to other bytes than stand before it, and that the next line confirms,
    is as it was written: then the line before it was changed.
    """
    at = error.line - 1
    link = lines_of_log.link_of(line)
    if link is None or link.prev == before or link.n != at or not following.endswith(b"\n"):
        return error
    follows = lines_of_log.link_of(following[:-1])
    if follows is None or follows.prev != lines_of_log.hash_of(line):
        return error
    return RecordError(f"it was changed after line {at + 1} was chained to it", at)


def _sidecar_secret(path: Path) -> bytes | None:
    try:
        return bytes.fromhex(opening.content(secret_path(path), opening.KEY).decode("ascii"))
    except (OSError, ValueError):
        return None
