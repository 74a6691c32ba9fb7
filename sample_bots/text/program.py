"""A command as a process: what is written to it and read from it, and never waited for beyond a deadline."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

PIECE = 65536
"""The most bytes that are written or read at a time, and that are kept of what was read."""
GRACE = 1.0
"""Seconds in which a command may end by itself once nothing more is asked."""
_TICK = 0.1
"""Seconds after which a command is found to have ended that left its output open to another one."""


class NoAnswerError(Exception):
    """Says in one line why a command gives no answer."""


class TimeUpError(NoAnswerError):
    """Says that a command did not answer in time."""


class EndedError(NoAnswerError):
    """Says how a command ended; `good` if its status was 0."""

    def __init__(self, status: int | None) -> None:
        if status is None:
            how = "closed its output"
        else:
            how = f"ended with status {status}" if status >= 0 else f"was ended by {_name(-status)}"
        super().__init__(how)
        self.good = status == 0


class Program:
    """A running command, in a process group of its own so that it ends with all that it has started.

    Raises `NoAnswerError` where it cannot be started.
    """

    def __init__(self, words: Sequence[str]) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "REFEREE_TOKEN"}
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                process_group=0,
                bufsize=0,
            )
        except OSError as error:
            raise NoAnswerError(f"cannot be started: {error.strerror}") from None
        assert self._process.stdin is not None  # noqa: S101 -- both are pipes
        assert self._process.stdout is not None  # noqa: S101 -- both are pipes
        self._input, self._output = self._process.stdin, self._process.stdout
        self._unsent, self._unread = bytearray(), bytearray()
        self._is_last = False
        for pipe in (self._input, self._output):
            os.set_blocking(pipe.fileno(), False)

    def send(self, text: str, *, last: bool = False) -> None:
        """Has a text written as soon as the command reads it; after the last one its input ends."""
        self._unsent += text.encode("utf-8", "replace")
        self._is_last = last
        with suppress(NoAnswerError):
            self._exchange(0)

    def line(self, until: float) -> str:
        """Returns the next line that is not empty; raises `NoAnswerError`."""
        while True:
            line, end, rest = self._unread.partition(b"\n")
            if end and line.strip():
                self._unread = rest
                return _text(line)
            if end:
                self._unread = rest
                continue
            if len(line) >= PIECE:
                raise NoAnswerError(f"printed {PIECE} bytes without an end of line")
            try:
                self._exchange(until)
            except EndedError:
                if not self._unread.strip():
                    raise
                self._unread += b"\n"

    def last_line(self, until: float) -> str:
        """Returns the last line that is not empty, once the command has ended; raises `NoAnswerError`."""
        while True:
            try:
                self._exchange(until)
            except EndedError as ended:
                lines = [line for line in self._unread.split(b"\n") if line.strip()]
                if ended.good and lines:
                    return _text(lines[-1])
                raise ended if not ended.good else NoAnswerError("ended and printed nothing") from None
            del self._unread[:-PIECE]

    def drop(self) -> list[str]:
        """Returns the lines that it has printed up to now without being asked, and forgets them.

        Raises `EndedError` where it can be asked no more.
        """
        with suppress(TimeUpError):
            self._exchange(0)
        *lines, self._unread = self._unread.split(b"\n")
        return [_text(line) for line in lines if line.strip()]

    def close(self) -> None:
        """Lets the command end by itself for a moment, and then ends it."""
        self._input.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        self.kill()

    def kill(self) -> None:
        """Ends the command, and all that it has started, at once."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._input.close()
        self._output.close()

    def _exchange(self, until: float) -> None:
        """Writes and reads what can be written and read by then; raises `NoAnswerError` if nothing can."""
        wait = min(max(0.0, until - time.monotonic()), _TICK)
        writing = [] if self._input.closed or not (self._unsent or self._is_last) else [self._input]
        readable, writable, _ = select.select([self._output], writing, [], wait)
        if writable:
            self._write()
        if readable:
            read = os.read(self._output.fileno(), PIECE)
            if not read:
                raise EndedError(self._status())
            self._unread += read
        elif not writable and self._process.poll() is not None:
            raise EndedError(self._process.returncode)
        elif time.monotonic() >= until:
            raise TimeUpError("did not answer in time")

    def _write(self) -> None:
        try:
            del self._unsent[: os.write(self._input.fileno(), self._unsent[:PIECE])]
        except BrokenPipeError:  # it does not want to know; it may answer all the same
            self._unsent.clear()
            self._is_last = True
        if self._is_last and not self._unsent:
            self._input.close()

    def _status(self) -> int | None:
        """Returns the status of a command whose output is at its end; None if it goes on without."""
        try:
            return self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return None


def _text(line: bytes | bytearray) -> str:
    return line.decode("utf-8", "replace")


def _name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
