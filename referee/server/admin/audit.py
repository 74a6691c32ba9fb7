"""The audit log: a line of JSON for each call of the operator, with who, what, when and the outcome.

It also holds the answers to calls that are to be done once, so that a call which is repeated after a
restart gets the first answer. Times are microseconds since the Unix epoch.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.errors import LogWriteError

AUDIT: Final = "audit.jsonl"
"""The file in the data root."""


class Call(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call. `answer` is the serialised answer in hexadecimal, of calls that have a request id."""

    at: int
    who: str
    method: str
    request: dict[str, Any]
    outcome: str
    request_id: str = ""
    digest: str = ""
    """The SHA-256 of method and request, in hexadecimal."""
    answer: str = ""
    repeated: bool = False
    """Whether it was answered by what an earlier call with its request id had done."""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Call).decode


class AuditLog:
    """The file; one thread writes at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._torn = _ends_torn(path)

    def write(self, call: Call) -> None:
        """Adds a call; it is on disk when this returns. Raises `LogWriteError`."""
        line = b"\n" * self._torn + _encode(call) + b"\n"
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                done = os.write(descriptor, line)
                while done < len(line):
                    done += os.write(descriptor, line[done:])
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            self._torn = True
            raise LogWriteError(f"{self.path}: cannot be written: {error.strerror}") from None
        self._torn = False

    def calls(self, since: int) -> Iterator[Call]:
        """Yields the calls since a time; lines that a crash or a person spoiled are left out."""
        try:
            with self.path.open("rb") as file:
                for line in file:
                    try:
                        call = _decode(line)
                    except (msgspec.MsgspecError, ValueError):
                        continue
                    if call.at >= since:
                        yield call
        except FileNotFoundError:
            return
        except OSError as error:
            raise LogWriteError(f"{self.path}: cannot be read: {error.strerror}") from None


def _ends_torn(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            if not file.seek(0, os.SEEK_END):
                return False
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"
    except OSError:
        return False
