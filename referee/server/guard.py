"""Finds matches that make no progress, so that they end and stop none of the others.

A match makes progress when its work is done and a clock of it can run out; that its bots are connected
and answer pings is none. Work that never comes to its end holds up everything, since all matches of a
process share one thread. A timer of the processor time that the process uses rings every few seconds;
where it finds the same piece of work twice, that is ended by an exception. Time in which the process
was stopped, or others had the processor, does not count.
"""

import signal
import threading
import traceback
from types import FrameType
from typing import Any, Final

import structlog

from referee.match.config import SECOND

LIMIT: Final = 5.0
"""Seconds of processor time between two rings; a piece of work may take as much, and is ended before
it has taken twice that."""

_log = structlog.get_logger("referee.guard")


IDLE: Final = 30 * SECOND
"""How long a match may have no clock that can run out, in microseconds."""


class Idle:
    """Tells of one match whether it waits for nothing."""

    def __init__(self) -> None:
        self._since: int | None = None

    def is_over(self, deadline: int | None, now: int) -> bool:
        """Says whether there has been no deadline for too long; asked every now and then."""
        if deadline is not None:
            self._since = None
        elif self._since is None:
            self._since = now
        return self._since is not None and now - self._since > IDLE


def give_up(_now: int) -> None:
    """Raises that a match waits for nothing."""
    raise RuntimeError("the match goes on, and no clock of it runs")


class HungError(Exception):
    """A piece of work on a match did not come to its end."""


class Guard:
    """Watches over what the thread of the event loop does."""

    def __init__(self) -> None:
        self._count = 0
        self._at_work = 0
        """The number of the piece of work that is being done, 0 while there is none."""
        self._found = 0
        self._beats = self._beats_found = 0
        self._before: Any = None

    def start(self) -> None:
        """Begins, where signals are to be had: in the main thread, and not on Windows."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            return
        self._before = signal.signal(signal.SIGVTALRM, self._rang)
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT, LIMIT)

    def stop(self) -> None:
        """Ends, and leaves the signal as it was."""
        if self._before is not None:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, self._before)
            self._before = None

    def beat(self) -> None:
        """Notes that the event loop runs."""
        self._beats += 1

    def enter(self) -> None:
        """Begins a piece of work."""
        self._count += 1
        self._at_work = self._count

    def leave(self) -> None:
        """Ends it."""
        self._at_work = 0

    def _rang(self, _signal: int, frame: FrameType | None) -> None:
        if self._at_work and self._at_work == self._found:
            self._at_work = 0
            raise HungError("work on a match did not come to its end")
        if self._beats and self._beats == self._beats_found and not self._at_work:
            _log.error("the event loop hangs", where="".join(traceback.format_stack(frame)))
        self._found, self._beats_found = self._at_work, self._beats
