"""The decisions log of a tournament or ladder: one chained, append-only file.

A line is a JSON object whose first member `prev` is the SHA-256 of the line before, as in a replay
log. A decision is on disk when `append` returns. Several processes may append to one file: each
locks it for as long as that takes. A line that a crash left half written is cut off by the next
append; it was never told to anybody.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from referee.errors import LogBusyError, LogWriteError, RecordError
from referee.replay.files import LACKING, make_folder, sync_folder, write_all
from referee.replay.opening import descriptor as opened
from referee.replay.opening import open_regular
from referee.replay.record import GENESIS, LINE_LIMIT, hash_of
from referee.tournament.decision import Decision, Opened

TOURNAMENTS = "tournaments"
"""The folder of tournaments and ladders under the data root, one folder each."""
DECISIONS = "decisions.jsonl"
"""The file of decisions in it."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Decision).decode


def decisions_path(root: Path, tournament: str) -> Path:
    """Returns where the decisions about a tournament lie under a data root."""
    return root / TOURNAMENTS / tournament / DECISIONS


class DecisionLog:
    """The decisions about one tournament, for writing and reading; one thread uses it at a time.

    It reads each line once: what others appended since is all that is read again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._decisions: list[Decision] = []
        self._forgotten = 0
        self._size = 0
        self._prev = GENESIS
        self._torn = 0

    def append(self, *decisions: Decision) -> None:
        """Adds decisions; they are on disk when it returns, and none of them is there where it fails.

        Raises `LogWriteError` for trouble with the file and `RecordError` for a log that was changed.
        """
        if not decisions:
            return
        with self._locked() as descriptor:
            self._catch_up()
            if not self.count and not isinstance(decisions[0], Opened):
                raise RecordError(f"{self.path}: the decisions of a tournament begin with its opening")
            os.ftruncate(descriptor, self._size)
            prev = self._prev
            lines = []
            for decision in decisions:
                line = b'{"prev":"%b",%b' % (prev.encode(), _encode(decision)[1:])
                prev = hash_of(line)
                lines.append(line + b"\n")
            try:
                write_all(descriptor, b"".join(lines))
                os.fsync(descriptor)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(descriptor, self._size)
                raise

    def read(self) -> list[Decision]:
        """Returns all decisions in order, none where there is no file; raises `RecordError` by line."""
        if self._forgotten:
            return DecisionLog(self.path).read()
        self._catch_up()
        return list(self._decisions)

    def since(self, count: int) -> list[Decision]:
        """Returns the decisions after the first `count`; raises `RecordError` by line."""
        self._catch_up()
        if count < self._forgotten:
            return self.read()[count:]
        return self._decisions[count - self._forgotten :]

    def forget(self) -> None:
        """Frees the memory of all that was read; what comes after it is still read only once."""
        self._forgotten += len(self._decisions)
        self._decisions.clear()

    @property
    def torn(self) -> int:
        """How many bytes of a line that was not written to its end stood after the last one read."""
        return self._torn

    @property
    def count(self) -> int:
        """Returns how many decisions were read so far."""
        return self._forgotten + len(self._decisions)

    @property
    def last_hash(self) -> str:
        """The hash of the last line that was read; 64 zeros where there was none."""
        return self._prev

    def _catch_up(self) -> None:
        """Reads the lines that are not known yet; all of them where the file is another one."""
        try:
            with open_regular(self.path) as file:
                if os.fstat(file.fileno()).st_size < self._size:
                    self._begin_anew()
                file.seek(self._size)
                self._take(file)
        except FileNotFoundError:
            self._begin_anew()
            return
        except OSError as error:
            kind = LogBusyError if error.errno in LACKING else RecordError
            raise kind(f"{self.path}: {error.strerror}") from None

    def _take(self, file: BinaryIO) -> None:
        """Takes the lines from here to the end of the file, or to the first that is none."""
        while (read := file.readline(LINE_LIMIT + 1)).endswith(b"\n"):
            line = read[:-1]
            self._decisions.append(_read(self.path, line, self._prev, self.count + 1))
            self._prev = hash_of(line)
            self._size += len(read)
        if len(read) > LINE_LIMIT:
            raise RecordError(f"{self.path}: more than {LINE_LIMIT} bytes are no decision", self.count + 1)
        self._torn = len(read)

    def _begin_anew(self) -> None:
        self._decisions, self._forgotten, self._size, self._prev, self._torn = [], 0, 0, GENESIS, 0

    @contextmanager
    def _locked(self) -> Iterator[int]:
        try:
            make_folder(self.path.parent)
            fresh = not self.path.exists()
            descriptor = opened(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield descriptor
                if fresh:
                    sync_folder(self.path.parent)
            finally:
                os.close(descriptor)
        except OSError as error:
            if error.errno in LACKING:
                raise LogBusyError(
                    f"{self.path}: {error.strerror}; let the process have more with ulimit -n"
                ) from None
            raise LogWriteError(
                f"{error.filename or self.path}: cannot be written: {error.strerror};"
                " free some space, or choose another folder with --data"
            ) from None


def digest(data: bytes) -> str:
    """Returns the SHA-256 of a tournament's file, as `Opened` has it."""
    return hashlib.sha256(data).hexdigest()


def _read(path: Path, line: bytes, prev: str, number: int) -> Decision:
    """Returns the decision of a line; `prev` is the hash of the line before."""
    head = b'{"prev":"%b",' % prev.encode()
    if not line.startswith(head):
        raise RecordError(f"{path}: the chain is broken; a line before it was changed or removed", number)
    try:
        decision = _decode(line)
    except (msgspec.MsgspecError, ValueError) as error:
        raise RecordError(f"{path}: no decision: {error}", number) from None
    if line != head + _encode(decision)[1:]:
        raise RecordError(f"{path}: the decision is not in canonical form", number)
    return decision
