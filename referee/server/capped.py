"""A file that keeps the first and the last part of an output of any length."""

import contextlib
import os
from pathlib import Path

HEAD = 64 * 1024
"""Bytes that are kept from the beginning of an output."""
TAIL = 64 * 1024
"""Bytes that are kept from its end."""


class CappedFile:
    """Takes bytes without end and never holds more than the head and two tails of them.

    What was written so far can be read from the file at any time. A disk that refuses a write costs
    the rest of the output, and nothing else: whoever is being recorded must not notice.
    """

    def __init__(self, path: Path, head: int = HEAD, tail: int = TAIL) -> None:
        self._head = head
        self._tail = tail
        self.dropped = 0
        """Bytes that were left out; final when it is closed."""
        self._kept = 0
        """Bytes after the head and the marker."""
        self._first = 0
        """Bytes of the head so far."""
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self._failed = False

    def write(self, data: bytes) -> None:
        """Adds bytes; a middle that no longer fits is replaced by a marker that counts it."""
        if self._failed:
            return
        try:
            room = self._head - self._first
            self._first += self._append(data[:room])
            self._kept += self._append(data[room:])
            if self._kept > 2 * self._tail:
                self._compact()
        except OSError:
            self._failed = True

    def close(self) -> None:
        """Leaves the head, the marker and the tail in the file; harmless when repeated."""
        if self._file < 0:
            return
        if self._kept > self._tail and not self._failed:
            with contextlib.suppress(OSError):
                self._compact()
        os.close(self._file)
        self._file = -1

    def _append(self, data: bytes) -> int:
        left = memoryview(data)
        while left:
            left = left[os.write(self._file, left) :]
        return len(data)

    def _compact(self) -> None:
        end = os.lseek(self._file, 0, os.SEEK_END)
        tail = os.pread(self._file, self._tail, end - self._tail)
        self.dropped += self._kept - len(tail)
        os.ftruncate(self._file, self._head)
        os.lseek(self._file, 0, os.SEEK_END)
        self._append(b"\n... truncated %d bytes ...\n" % self.dropped)
        self._kept = self._append(tail)
