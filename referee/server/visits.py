"""Calls that last: who is let in once may stay only while the token is good."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable

import grpc

from referee.server.auth import Identity
from referee.server.refusal import Refusal


class Visits:
    """The calls that were let in by a token, and have not ended."""

    def __init__(self) -> None:
        self._open: dict[asyncio.Timeout, Identity] = {}

    @contextlib.asynccontextmanager
    async def during(self, who: Identity | None) -> AsyncIterator[None]:
        """Lets a call go on while its token is good, then raises `Refusal` in it; None has no token."""
        if who is None:
            yield
            return
        try:
            async with asyncio.timeout(None) as stay:
                self._open[stay] = who
                try:
                    yield
                finally:
                    del self._open[stay]
        except TimeoutError:
            if not stay.expired():
                raise
            raise Refusal(grpc.StatusCode.UNAUTHENTICATED, "the token was revoked") from None

    def going(self) -> tuple[asyncio.Timeout, ...]:
        """Returns the calls that go on now, for `keep`."""
        return tuple(self._open)

    def keep(self, calls: Iterable[asyncio.Timeout], is_good: Callable[[Identity], bool]) -> None:
        """Ends those of some calls whose token is good no more; some of them may have ended already."""
        for stay in calls:
            who = self._open.get(stay)
            if who and not is_good(who) and not stay.expired():
                stay.reschedule(asyncio.get_running_loop().time())
