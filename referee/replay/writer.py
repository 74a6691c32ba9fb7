"""Writes replay logs; no other code writes a file of the record.

While a match runs its log is `<id>.jsonl.part` and the secret of its deals lies beside it, readable
by the owner only; at the end its signature does, if there is a key. Buffered records go to the system
in one write per flush; they are forced to disk before the match starts and at its end. The ended log
of a match of a block is sealed: `<id>.jsonl.sealed`, and locked by whoever plays the block, until its
deals are met by nobody any more; see `seals`. Every trouble
with a file is a `LogWriteError`, and a writer that met one takes nothing more: a host that cannot
write plays nothing. Where only descriptors are lacking it is a `LogBusyError`, and the host goes on.
"""

import contextlib
import errno
import fcntl
import os
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from referee.errors import LogBusyError, LogWriteError, RecordError
from referee.match.config import Setup
from referee.match.events import Record
from referee.replay import opening, packs
from referee.replay.files import LACKING, make_folder, open_up, sync_folder, sync_names, write_all, write_new
from referee.replay.reader import REPLAYS, RUNNING, SEALED, Log, finished_path, read, secret_path
from referee.replay.record import LINE_LIMIT, Chain
from referee.replay.signature import Signer, signature_path

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEW = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class LogWriter:
    """The log of one running match.

    Attributes:
        path: the file as it is named now.
    """

    def __init__(
        self, path: Path, descriptor: int, chain: Chain, signer: Signer | None, *, in_block: bool = False
    ) -> None:
        self.path = path
        self._in_block = in_block
        self._fd = descriptor
        self._chain = chain
        self._signer = signer
        self._buffer: list[bytes] = []
        self._size = 0

    @classmethod
    def create(cls, root: Path, setup: Setup, secret: bytes, signer: Signer | None = None) -> "LogWriter":
        """Starts the log of a match; header, secret and folder are on disk when it returns.

        Raises `LogWriteError` for trouble with a file and for a match id that already has a log.
        """
        path = _part_path(root, setup)
        with _named(path):
            make_folder(path.parent)
            writer = cls(path, _open_new(path), Chain(), signer, in_block=bool(setup.block))
            try:
                _lock(writer._fd, path)
                writer._begin(setup, secret)
            except BaseException:
                writer.abandon()
                secret_path(path).unlink(missing_ok=True)
                path.unlink(missing_ok=True)
                raise
        return writer

    @classmethod
    def reopen(cls, path: Path, signer: Signer | None = None) -> tuple["LogWriter", Log]:
        """Continues a `.jsonl.part` after a crash, without its torn last line if it has one.

        Returns the writer and what the log holds; raises `RecordError` for a log with a bad line and
        `LogWriteError` for trouble with the file or when another process is writing it.
        """
        with _named(path):
            descriptor = opening.descriptor(path, os.O_WRONLY | os.O_APPEND)
            try:
                _lock(descriptor, path)
                log = read(path)
                _cut(descriptor, log.size)
            except BaseException:
                os.close(descriptor)
                raise
        last = log.records[-1].t if log.records else 0
        chain = Chain(log.last_hash, 1 + len(log.records), last, ended=log.ended, schema=log.setup.schema)
        writer = cls(path, descriptor, chain, signer, in_block=bool(log.setup.block))
        writer._size = log.size
        return writer, log

    def again(self) -> tuple["LogWriter", Log]:
        """Gives up what was not flushed and continues the log behind what was; see `reopen`."""
        self.abandon()
        return LogWriter.reopen(self.path, self._signer)

    @property
    def last_hash(self) -> str:
        """The hash of the last appended line."""
        return self._chain.prev

    def append(self, record: Record) -> None:
        """Takes the next record; it reaches the file with the next `flush`."""
        self._buffer.append(self._chain.record(record) + b"\n")

    def flush(self) -> None:
        """Hands all that was appended to the system; call it before a message that follows from it."""
        if not self._buffer:
            return
        data = b"".join(self._buffer)
        self._buffer.clear()
        if self._fd < 0:
            raise _closed(self.path)
        found = os.fstat(self._fd)
        if found.st_size != self._size or not found.st_nlink:
            self.abandon()
            raise LogWriteError(
                f"{self.path}: another program changed or removed this log while it was written"
            )
        try:
            write_all(self._fd, data)
        except OSError as error:
            self.abandon()
            raise _trouble(error, self.path) from None
        self._size += len(data)

    def touch(self) -> None:
        """Shows by the time of the file that its match runs: an outage is counted from there."""
        if self._fd >= 0:
            with contextlib.suppress(OSError):  # the next record will tell
                os.utime(self._fd)

    def finish(self) -> Path:
        """Forces the ended log and its signature to disk, gives it its final name and returns that.

        No log has that name before its signature is there, or while its secret lies beside it: that
        stands in the end record. A log of a block is sealed, and stays locked until `unseal` or `abandon`.
        Where that fails the log is left without the end, since nobody is told of it then.
        """
        if not self._chain.ended:
            raise RecordError(f"{self.path}: a log without its end record cannot be finished")
        before = self._size
        self.flush()
        final = finished_path(self.path)
        named = final.with_name(final.stem + SEALED) if self._in_block else final
        with self._guarded(before):
            if not self._in_block:
                os.fchmod(self._fd, 0o644)
            os.fsync(self._fd)
            if self._signer:
                write_new(signature_path(final), self._signer.line(self.last_hash), 0o644)
            with contextlib.suppress(OSError):
                secret_path(final).unlink()
            self.path.rename(named)
            self.path = named
        sync_names(final.parent)
        if not self._in_block:
            self.abandon()
        return named

    def unseal(self) -> Path:
        """Gives a sealed log its final name, for everybody to read, and returns that."""
        with self._guarded():
            self.path = open_up(self._fd, self.path)
        self.abandon()
        return self.path

    def abandon(self) -> None:
        """Closes the file and leaves it as it is, with its secret, for `reopen`."""
        descriptor, self._fd = self._fd, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _begin(self, setup: Setup, secret: bytes) -> None:
        final = finished_path(self.path)
        for known in (final, final.with_name(final.stem + SEALED)):
            if packs.exists(known):
                raise _duplicate(known)
        if not os.fstat(self._fd).st_nlink:
            raise LogWriteError(f"{self.path}: another process removed this log while it was made")
        write_new(secret_path(final), secret.hex().encode() + b"\n", 0o600)
        header = self._chain.header(setup) + b"\n"
        write_all(self._fd, header)
        self._size = len(header)
        os.fsync(self._fd)
        sync_folder(final.parent)

    @contextlib.contextmanager
    def _guarded(self, size: int | None = None) -> Iterator[None]:
        """Closes the log for good at the first trouble: what follows would leave a gap.

        With `size` it is first cut to that, and is that of a running match again.
        """
        if self._fd < 0:
            raise _closed(self.path)
        try:
            with _named(self.path):
                yield
        except LogWriteError:
            if size is not None:
                self._take_back(size)
            self.abandon()
            raise

    def _take_back(self, size: int) -> None:
        final = finished_path(self.path)
        running = final.with_name(final.stem + RUNNING)
        with contextlib.suppress(OSError):
            if self.path != running:
                self.path = self.path.rename(running)
            if secret_path(running).exists():  # else it stands in the end record alone
                os.ftruncate(self._fd, size)


def remove_headless(path: Path) -> bool:
    """Removes a `.jsonl.part` that never had a whole header, with its secret; says whether it was one.

    A crash left it before anybody was told of its match. Raises `LogWriteError` for trouble with the
    file or when another process is writing it.
    """
    with _named(path), os.fdopen(opening.descriptor(path, os.O_RDWR), "r+b") as file:
        _lock(file.fileno(), path)
        if file.readline(LINE_LIMIT + 1).endswith(b"\n") or file.read(1):
            return False
        secret_path(path).unlink(missing_ok=True)  # first: without its log nobody would find it again
        path.unlink()
        sync_folder(path.parent)
    return True


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turns trouble with a file into one line that names it."""
    try:
        yield
    except OSError as error:
        raise _trouble(error, path) from None


def _trouble(error: OSError, path: Path) -> LogWriteError:
    if error.errno in LACKING:
        advice = "let the process have more with ulimit -n"
        return LogBusyError(f"{error.filename or path}: cannot be opened: {error.strerror}; {advice}")
    advice = "free some space" if error.errno in _FULL else "choose another folder with --data"
    return LogWriteError(f"{error.filename or path}: cannot be written: {error.strerror}; {advice}")


def _closed(path: Path) -> LogWriteError:
    return LogWriteError(f"{path}: this log is closed; nothing more is taken")


def _part_path(root: Path, setup: Setup) -> Path:
    if str(uuid.UUID(setup.match_id)) != setup.match_id:
        raise ValueError(f"match id {setup.match_id!r} is not written as a UUID")
    day = _EPOCH + timedelta(microseconds=setup.created)
    return root / REPLAYS / f"{day:%Y/%m/%d}" / f"{setup.match_id}{RUNNING}"


def _open_new(path: Path) -> int:
    try:
        return os.open(path, _NEW, 0o600)
    except FileExistsError:
        raise _duplicate(path) from None


def _cut(descriptor: int, size: int) -> None:
    """Cuts off what is torn and leaves the time of the file: an outage is counted from there."""
    found = os.fstat(descriptor)
    if found.st_size != size:
        os.ftruncate(descriptor, size)
        os.utime(descriptor, ns=(found.st_atime_ns, found.st_mtime_ns))
    os.fsync(descriptor)


def _duplicate(path: Path) -> LogWriteError:
    return LogWriteError(f"{path}: this match id already has a log; every match needs its own id")


def _lock(descriptor: int, path: Path) -> None:
    """Keeps a second process from continuing the same log; ends with the descriptor."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise LogWriteError(f"{path}: another process is writing this log") from None
