"""The status that a stream ended with, whatever was being written meanwhile."""

from typing import Any, NamedTuple

import grpc
import grpc.aio


class Status(NamedTuple):
    """A status and what was said with it."""

    code: grpc.StatusCode
    details: str


class LastStatus:
    """Keeps the status that the referee gave.

    A write that fails since the stream has just ended makes asyncio gRPC put INTERNAL in the place of
    the status that had come, and the bot would knock again at a door that was shut for good. So each
    status is noted in the moment in which it comes.
    """

    def __init__(self, call: "grpc.aio.StreamStreamCall[Any, Any]") -> None:
        self._call = call
        self._came: list[Status] = []
        call.add_done_callback(self._note)

    async def wait(self) -> Status:
        """Waits for the end of the stream and returns its status."""
        came = [*self._came, await self._status()]
        return next((each for each in came if each.code is not grpc.StatusCode.INTERNAL), came[-1])

    def _note(self, _: Any) -> None:
        try:
            self._status().send(None)
        except StopIteration as known:  # at once, since the call is done
            self._came.append(known.value)

    async def _status(self) -> Status:
        return Status(await self._call.code(), await self._call.details())
