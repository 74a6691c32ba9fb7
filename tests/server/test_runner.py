"""The runner's clock: delays of the referee, and what is judged when."""

import asyncio
import time
from collections.abc import Callable

from referee.match.config import SECOND
from referee.server import runner as runners
from referee.server.runner import Runner
from tests.server.client import run, until


class Waiting:
    """Something with one deadline that keeps what the runner told it until that was judged."""

    def __init__(self, deadline: int) -> None:
        self.due: int | None = None
        self.at: int | None = deadline
        self.expired: list[int] = []
        self.stalls: list[int] = []

    def deadline(self) -> int | None:
        """Returns the deadline until it was judged."""
        return self.at

    def expire(self, now: int) -> None:
        """Notes when it was judged."""
        self.expired.append(now)
        self.at = None

    def stalled(self, duration: int, now: int) -> None:
        """Moves the deadline."""
        del now
        if self.at is not None:
            self.stalls.append(duration)
            self.at += duration


def block(seconds: float) -> Callable[[], None]:
    """Returns a callback that holds up the event loop: the referee itself stands still."""

    def hold() -> None:
        time.sleep(seconds)

    return hold


def ignore(_: int) -> None:
    """Does nothing."""


def test_each_deadline_is_judged_once_and_not_before_its_time() -> None:
    """One timer serves all; a deadline that moved away is judged where it went."""

    async def play() -> None:
        runner = Runner(ignore, ignore)
        runner.start()
        now = runner.now()
        all_of_them = [Waiting(now + 1000 * delay) for delay in (30, 10, 20, 10)]
        deadlines = [one.at for one in all_of_them]
        for one in all_of_them:
            runner.add(one)
        moved = Waiting(now + 5_000)
        runner.add(moved)
        moved.at = moved_to = now + 40_000
        runner.watch(moved)
        await until(lambda: moved.expired and all(one.expired for one in all_of_them))
        runner.stop()

        for one, deadline in zip([*all_of_them, moved], [*deadlines, moved_to], strict=True):
            (judged,) = one.expired
            assert deadline is not None
            assert judged >= deadline + sum(one.stalls)

    run(play())


def test_a_deadline_that_comes_nearer_is_judged_there() -> None:
    """A match is looked at again when its next turn has less time than the last one."""

    async def play() -> None:
        runner = Runner(ignore, ignore)
        runner.start()
        one = Waiting(runner.now() + 3600 * SECOND)
        runner.add(one)
        one.at = runner.now() + 10_000
        runner.watch(one)
        await until(lambda: one.expired)
        runner.stop()

    run(play())


def test_t8_a_stall_moves_every_deadline_before_any_is_judged() -> None:
    """A deadline that passed while the loop stood still is not judged at its old time."""

    async def play() -> None:
        told: list[int] = []
        runner = Runner(ignore, told.append)
        runner.start()
        before = Waiting(runner.now() + 50_000)
        after = Waiting(runner.now() + 3600 * SECOND)
        deadline = before.at
        for one in (before, after):
            runner.add(one)
        asyncio.get_running_loop().call_soon(block(0.4))
        await until(lambda: before.expired)
        runner.stop()

        assert deadline
        assert sum(before.stalls) >= 300_000
        assert before.expired[0] >= deadline + sum(before.stalls)
        assert told == after.stalls
        assert told[: len(before.stalls)] == before.stalls
        assert not after.expired

    run(play())


def test_t1_what_is_read_after_a_delay_counts_from_before_it() -> None:
    """The stamp of a read is the time at which the loop was last known to be on time."""

    async def play() -> None:
        runner = Runner(ignore, ignore)
        runner.start()
        loop = asyncio.get_running_loop()
        stamps: list[tuple[int, int, int]] = []

        def read(started: int) -> None:
            stamps.append((started, runner.stamp(), runner.now()))

        def stand_still() -> None:
            started = runner.now()
            block(0.2)()
            loop.call_soon(read, started)

        loop.call_soon(stand_still)
        await until(lambda: stamps)
        runner.stop()
        ((started, stamp, now),) = stamps

        assert now - started >= 200_000
        assert stamp <= started + runners.BEAT + runners.TOLERANCE

    run(play())


def test_reads_that_are_pending_at_the_deadline_come_before_the_judgement() -> None:
    """What the loop has ready when the timer fires is stamped within the deadline."""

    async def play() -> None:
        runner = Runner(ignore, ignore)
        runner.start()
        one = Waiting(runner.now() + 20_000)
        deadline = one.at or 0
        runner.add(one)
        stamps: list[int] = []
        original = runner._expired

        def expired_with_a_read_pending() -> None:
            asyncio.get_running_loop().call_soon(lambda: stamps.append(runner.stamp()))
            original()

        runner._expired = expired_with_a_read_pending  # type: ignore[method-assign]
        runner._timer_due = 0
        runner._arm()
        await until(lambda: one.expired)
        runner.stop()

        assert stamps
        assert one.stalls or stamps[0] < deadline <= one.expired[0]

    run(play())
