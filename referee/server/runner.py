"""Owns the clock: times what comes in, and wakes matches when something runs out.

The only reader of the monotonic clock. Two rules keep the referee's own delay off the bots' clocks.
A heartbeat tells whether the event loop is on time; what is read while it is not gets the time at
which it was last known to be. And nothing that ran out is judged before the reads that are pending
at that moment were taken, with the deadline as their latest stamp. When the loop stood still for
long, every deadline moves by that time before anything is judged; a match that asks something new
meanwhile is told of the delay first.
"""

import asyncio
import heapq
import time
import weakref
from collections.abc import Callable
from typing import Final, Protocol

import structlog

from referee.match.config import SECOND
from referee.server.guard import Guard

BEAT: Final = 20_000
"""How often the loop shows that it is on time, in microseconds."""
TOLERANCE: Final = 10_000
"""How late a beat may be before the loop counts as behind."""
DRAIN: Final = 10_000
"""How long reads may take to come through once a loop that was behind runs again."""
STALL: Final = 100_000
"""Delays from here on move every deadline and are logged in every running match."""
CHORES_EVERY: Final = 5
"""How many beats lie between two calls of the chores."""

_SLACK: Final = 256
"""How many deadlines of matches that are over may wait in the queue, besides as many as are running."""

_log = structlog.get_logger("referee.runner")


class Timed(Protocol):
    """Something with deadlines: a running match."""

    due: int | None
    """The deadline that the runner has in its queue; only the runner writes it."""

    def deadline(self) -> int | None:
        """Returns when `expire` has something to judge, or None."""

    def expire(self, now: int) -> None:
        """Judges what ran out."""

    def stalled(self, duration: int, now: int) -> None:
        """Moves every deadline."""


class Runner:
    """The clock of one server, with one timer for all its matches."""

    def __init__(self, chores: Callable[[int], None], on_stall: Callable[[int], None]) -> None:
        self.running: set[Timed] = set()
        self.guard = Guard()
        self._chores = chores
        self._on_stall = on_stall
        self._queue: list[tuple[int, int, weakref.ref[Timed]]] = []
        """The deadlines that were set, also of matches that are over: those are not kept alive by it."""
        self._entries = 0
        self._beats = 0
        self._beat_due = self._latest_stamp = self.now() + BEAT
        self._draining = False
        self._told: dict[Timed, int] = {}
        """When matches were told of a delay that is not over yet."""
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due = 0
        self._heartbeat: asyncio.TimerHandle | None = None

    def now(self) -> int:
        """Returns the monotonic clock in whole microseconds."""
        return time.monotonic_ns() // 1000

    def stamp(self) -> int:
        """Returns when something that was just read arrived: now, or earlier if the loop is behind."""
        return min(time.monotonic_ns() // 1000, self._latest_stamp)

    def start(self) -> None:
        """Starts the heartbeat in the running loop."""
        self._beat_due = self._latest_stamp = self.now() + BEAT
        self._schedule_beat()
        self.guard.start()

    def stop(self) -> None:
        """Stops heartbeat and timer."""
        self.guard.stop()
        for handle in (self._heartbeat, self._timer):
            if handle:
                handle.cancel()
        self._heartbeat = self._timer = None

    def add(self, match: Timed) -> None:
        """Takes a match under watch."""
        self.running.add(match)
        self.watch(match)

    def remove(self, match: Timed) -> None:
        """Lets go of a match."""
        self.running.discard(match)
        self._told.pop(match, None)
        match.due = None
        if len(self._queue) > _SLACK + 2 * len(self.running):
            self._queue = [entry for entry in self._queue if self._is_set(entry)]
            heapq.heapify(self._queue)

    def _is_set(self, entry: "tuple[int, int, weakref.ref[Timed]]") -> bool:
        match = entry[2]()
        return match is not None and match.due == entry[0]

    def watch(self, match: Timed) -> None:
        """Looks at the deadline of a match again; needed when it may have come nearer."""
        deadline = match.deadline()
        if deadline is None or (match.due is not None and match.due <= deadline):
            return
        match.due = deadline
        self._entries += 1
        heapq.heappush(self._queue, (deadline, self._entries, weakref.ref(match)))
        if self._queue[0][1] == self._entries:
            self._arm()

    def asking(self, match: Timed, now: int) -> None:
        """Tells a match of a delay that is not over yet, before a clock starts in it or time is told.

        What waited to be read has been taken in it then, and it may end before the loop has caught up.
        """
        delay = now - self._told.get(match, self._beat_due)
        if delay >= STALL and match in self.running:
            self._told[match] = now
            match.stalled(delay, now)

    # The heartbeat

    def _schedule_beat(self) -> None:
        delay = max(0, self._beat_due - self.now()) / SECOND
        self._heartbeat = asyncio.get_running_loop().call_later(delay, self._beat)

    def _beat(self) -> None:
        self.guard.beat()
        now = self.now()
        if now - self._beat_due > TOLERANCE:
            self._draining = True
            loop = asyncio.get_running_loop()
            self._heartbeat = loop.call_later(DRAIN / SECOND, self._caught_up)
            return
        self._beat_due = now + BEAT
        if not self._draining:
            self._latest_stamp = self._beat_due
        self._beats += 1
        self._schedule_beat()  # first: whatever the chores meet, the clock goes on
        if self._beats % CHORES_EVERY == 0:
            self._chores(now)

    def _caught_up(self) -> None:
        """Goes on after a delay, once the reads that waited were taken."""
        now = self.now()
        delay = now - self._beat_due
        self._beat_due = self._latest_stamp = now + BEAT
        self._draining = False
        try:
            if delay >= STALL:
                self._stalled(delay, now)
        finally:
            self._told.clear()
            self._schedule_beat()
            self._arm()

    def _stalled(self, duration: int, now: int) -> None:
        if self.running:  # it costs nobody anything else, as while a server starts
            _log.warning("REFEREE_STALL", microseconds=duration, matches=len(self.running))
        self._on_stall(duration)
        for match in tuple(self.running):
            left = min(duration, now - self._told.get(match, 0))
            if left >= STALL:
                match.stalled(left, now)

    # The timer

    def _arm(self) -> None:
        if not self._queue:
            return
        due = self._queue[0][0]
        if self._timer:
            if self._timer_due == due:
                return
            self._timer.cancel()
        self._timer_due = due
        delay = max(0, due - self.now()) / SECOND
        self._timer = asyncio.get_running_loop().call_later(delay, self._expired)

    def _expired(self) -> None:
        """Holds the clock at the deadline and lets the pending reads in before anything is judged."""
        self._timer = None
        now = self.now()
        if self._draining or now - self._beat_due > TOLERANCE:
            return  # `_caught_up` arms the timer again, after every deadline was moved
        ripe: list[tuple[Timed, int]] = []
        while self._queue and self._queue[0][0] <= now:
            due, _, found = heapq.heappop(self._queue)
            match = found()
            if match is not None and match.due == due:
                match.due = None
                ripe.append((match, due))
                self._latest_stamp = min(self._latest_stamp, due - 1)
        if ripe:
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self._judge, ripe)
        self._arm()

    def _judge(self, ripe: list[tuple[Timed, int]]) -> None:
        """Judges what ran out; a deadline that was set meanwhile waits for the reads before its own time."""
        if not self._draining:
            self._latest_stamp = self._beat_due
        now = self.now()
        for match, due in ripe:
            deadline = match.deadline()
            if match in self.running and deadline is not None and deadline <= due:
                match.expire(now)
            if match in self.running:
                self.watch(match)
