"""Finished logs as they are handed out: found by their match, and found whole, or refused by name.

What runs, was suspended, or is sealed has no way out of here, whoever asks. Here files are read and
nothing is awaited: it is done in a thread.
"""

import stat
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import grpc

from referee.errors import RecordError
from referee.match.config import Setup
from referee.match.events import End
from referee.replay import packs
from referee.replay import record as lines
from referee.replay.reader import RUNNING, header, last_line
from referee.replay.signature import LONGEST, signature_path
from referee.server.logbook import find_log, is_sealed, place_of
from referee.server.refusal import Refusal, not_found
from referee.tournament.result import COUNTED

RUNS: Final = "a match is shown when it has ended"
UNKNOWN: Final = "no such match is known here"
SEALED: Final = "a match of a block is not shown before the last one of the block has ended"
HIDDEN: Final = "an anonymous match that came to nothing is not shown: its pairing is played again"
DAMAGED: Final = "the log of this match is no longer whole"
GONE: Final = "the log of this match is gone"

_STEP: Final = 256 * 1024
"""Bytes that are looked at in one step."""
_CHUNK: Final = 64 * 1024


class Sound(NamedTuple):
    """What is known of a log that is whole: how it begins and ends, and how many bytes it has."""

    setup: Setup
    end: End
    size: int

    @property
    def hidden(self) -> bool:
        """Whether its seats may never be told who they were: it was anonymous, and does not count."""
        return bool(self.setup.anonymous) and self.end.termination not in COUNTED


def finished(data: Path, match_id: str, *, known: bool = False) -> Path:
    """Returns where the log of a match lies that has ended, packed or not; raises `Refusal` for any other.

    `known` says that there is a result of the match, so that a missing log is a loss. A log moves from
    running to sealed to finished, and is looked for in this order, so that it is never missed.
    """
    place = place_of(data, match_id)
    if place is None:
        raise not_found(UNKNOWN)
    if place.with_name(match_id + RUNNING).exists():
        raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, RUNS)
    try:
        path = find_log(data, match_id)
    except RecordError:
        raise Refusal(grpc.StatusCode.DATA_LOSS, DAMAGED) from None
    if path is None:
        raise Refusal(grpc.StatusCode.DATA_LOSS, GONE) if known else not_found(UNKNOWN)
    if is_sealed(path):
        raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, SEALED)
    return path


def readable(data: Path, match_id: str) -> Path:
    """Returns where a log lies that may be shown; raises `Refusal` for any other.

    Only its two ends are looked at: whether all between them is whole remains to be found.
    """
    path = finished(data, match_id)
    try:
        setup, end = header(path), lines.end_of(last_line(path))
    except RecordError:
        raise Refusal(grpc.StatusCode.DATA_LOSS, DAMAGED) from None
    if path.is_symlink() or end is None or setup.match_id != match_id:
        raise Refusal(grpc.StatusCode.DATA_LOSS, DAMAGED)
    if Sound(setup, end, 0).hidden:
        raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, HIDDEN)
    return path


def opened(path: Path) -> BinaryIO:
    """Opens a finished log; raises `Refusal` for what is none: a link, a pipe, a damaged pack."""
    try:
        if path.is_symlink() or not stat.S_ISREG(packs.status(path).st_mode):
            raise Refusal(grpc.StatusCode.DATA_LOSS, DAMAGED)
        return packs.open_log(path)
    except FileNotFoundError:
        raise Refusal(grpc.StatusCode.DATA_LOSS, GONE) from None
    except (OSError, RecordError):
        raise Refusal(grpc.StatusCode.DATA_LOSS, DAMAGED) from None


def examined(file: BinaryIO, match_id: str, last_hash: str) -> Generator[bytes, None, Sound]:
    """Reads a log from its beginning to its end, in steps, and returns what it is when it is whole.

    It has to be that of the match, chained from line to line, with the end record last and nothing behind
    it; and `last_hash`, which the index has kept, has to be that of its last line unless it is empty.
    Raises `Refusal` for any other. What the records say is not played again: `referee replay verify`
    does that.
    """
    chain, setup = lines.GENESIS, None
    size = looked = 0
    line = b""
    while (read := file.readline(lines.LINE_LIMIT)) and read.endswith(b"\n"):
        line = read[:-1]
        setup = setup or _header(line)
        if setup is None or not line.startswith(b'{"prev":"%b",' % chain.encode()):
            break
        chain = lines.hash_of(line)
        size += len(read)
        looked += len(read)
        if looked >= _STEP:
            looked = 0
            yield b""
    end = lines.end_of(line)
    whole = not read and setup and setup.match_id == match_id and end and last_hash in {"", chain}
    if not (whole and setup and end):
        raise Refusal(grpc.StatusCode.DATA_LOSS, DAMAGED)
    return Sound(setup, end, size)


def shown(file: BinaryIO, match_id: str, last_hash: str) -> Generator[bytes, None, Sound]:
    """Does what `examined` does, and refuses a log that is never shown; the file is at its beginning then."""
    sound = yield from examined(file, match_id, last_hash)
    if sound.hidden:
        raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, HIDDEN)
    file.seek(0)
    return sound


def chunks(file: BinaryIO, size: int) -> Generator[bytes, None, None]:
    """Yields the next `size` bytes of a file; raises `Refusal` where it has fewer."""
    while size:
        chunk = file.read(min(_CHUNK, size))
        if not chunk:
            raise Refusal(grpc.StatusCode.DATA_LOSS, DAMAGED)
        size -= len(chunk)
        yield chunk


def signature(path: Path) -> bytes:
    """Returns the file with the signature of a log, nothing where there is none."""
    beside = signature_path(path)
    try:
        if beside.is_symlink():
            return b""
        with packs.open_log(beside) as file:
            return file.read(LONGEST)
    except (OSError, RecordError):
        return b""


def _header(line: bytes) -> Setup | None:
    try:
        return lines.Chain().read_header(line)
    except RecordError:
        return None
