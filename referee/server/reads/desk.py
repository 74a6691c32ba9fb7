"""Where logs are read for those who ask: in turn, in a thread, and no more than matches allow."""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import grpc

from referee.match.config import SECOND
from referee.server.refusal import Refusal

if TYPE_CHECKING:
    from referee.server.host import Host

T = TypeVar("T")
Write: TypeAlias = Callable[[bytes], Awaitable[None]]
Pieces: TypeAlias = Iterator[bytes]
"""Work that is done in steps of some milliseconds: each makes a message, or nothing yet, which is empty."""

SHARE: Final = 10
"""While matches are played a step is followed by a rest of so many times as long as it took: all downloads
together never take more than a tenth of the time."""
SENDING: Final = 0.000_3
"""What a message of 64 KiB costs the event loop, in seconds, besides the making of it."""


class Desk:
    """Reads logs for all who ask, in turn.

    Attributes:
        spent: the seconds of computing that paced work has taken so far.
    """

    def __init__(self, host: "Host") -> None:
        self.spent = 0.0
        self._host = host
        self._turn = asyncio.Semaphore(1)
        self._parties: Counter[str] = Counter()
        """Downloads by address."""

    @property
    def busy(self) -> int:
        """How many downloads there are."""
        return self._parties.total()

    @contextlib.contextmanager
    def place(self, address: str) -> Iterator[None]:
        """Lets a download in; raises `Refusal` where there are as many as there may be."""
        limits = self._host.config.limits
        if self._parties[address] >= limits.downloads_per_address:
            full = "your address has"
        elif self.busy >= limits.downloads:
            full = "this server has"
        else:
            full = ""
        if full:
            raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{full} as many downloads as it may at once")
        self._parties[address] += 1
        try:
            yield
        finally:
            self._parties -= Counter((address,))

    async def at_once(self, work: Callable[[], T]) -> T:
        """Does some work in its turn, and returns what comes of it."""
        async with self._turn:
            return await _finished(work)

    async def paced(self, work: Callable[[], T], sending: float = 0) -> T:
        """Does the same, and rests after it while matches are played, as if it sent for `sending` seconds."""
        async with self._turn:
            done, spent = await _finished(lambda: _timed(work))
            spent += sending
            self.spent += spent
            if self._host.matches:
                await asyncio.sleep((SHARE - 1) * spent)
            return done

    async def pour(self, pieces: Pieces, write: Write) -> None:
        """Makes and writes the messages, one by one; one that is slow to read holds up nobody else."""
        while (piece := await self.paced(lambda: next(pieces, None), SENDING)) is not None:
            if piece:
                await write(piece)


def in_time(write: Write, limit: int, late: str) -> Write:
    """Returns a way to write that takes at most `limit` microseconds; what is late raises `Refusal`."""

    async def write_in_time(data: bytes) -> None:
        try:
            async with asyncio.timeout(limit / SECOND):
                await write(data)
        except TimeoutError:
            raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, late) from None
        except Exception:  # noqa: BLE001  gRPC has a type of its own for it, which it keeps to itself
            raise asyncio.CancelledError from None  # whoever called has left

    return write_in_time


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    """Does some work; returns what comes of it, and the seconds of computing that it took."""
    began = time.thread_time()
    done = work()
    return done, time.thread_time() - began


async def _finished(work: Callable[[], T]) -> T:
    """Works in a thread, and does not leave it alone: who is called off waits until the step is done."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
