"""A spectator: one call of `WatchMatch`, and what it is told; and the other public reads."""

import asyncio
from typing import Any

from google.protobuf.message import Message
from grpc import aio

from referee.v1 import arena_service_pb2 as pb
from tests.patience import PATIENCE


class Spectator:
    """Watches one match.

    Attributes:
        frames: all that came.
        received: the bytes of all messages that came.
    """

    def __init__(self, address: str, match_id: str, last_event_id: int = 0, token: str = "") -> None:
        self.frames: list[pb.WatchMatchFrame] = []
        self.received = b""
        channel: Any = aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        self._channel = channel
        self.call = channel.unary_stream("/referee.v1.ArenaService/WatchMatch")(
            pb.WatchMatchRequest(match_id=match_id, last_event_id=last_event_id).SerializeToString(),
            metadata=(("authorization", f"Bearer {token}"),) if token else (),
        )
        self._reader = asyncio.ensure_future(self._read())

    @property
    def started(self) -> pb.WatchStarted:
        """The first frame."""
        assert self.frames[0].HasField("started")
        return self.frames[0].started

    @property
    def events(self) -> list[int]:
        """The numbers of the events that came."""
        return [frame.event.event_id for frame in self.frames if frame.HasField("event")]

    def all(self, arm: str) -> list[Any]:
        """Returns all frames with this arm that came so far."""
        return [getattr(found, arm) for found in self.frames if found.WhichOneof("frame") == arm]

    @property
    def code(self) -> Any:
        """A wait for the status with which the call ends."""
        return asyncio.wait_for(self.call.code(), PATIENCE)

    @property
    def details(self) -> Any:
        """A wait for the text of that status."""
        return asyncio.wait_for(self.call.details(), PATIENCE)

    async def close(self) -> None:
        """Leaves."""
        self.call.cancel()
        self._reader.cancel()
        await asyncio.wait({self._reader})
        await self._channel.close()

    async def _read(self) -> None:
        try:
            async for data in self.call:
                self.received += data
                self.frames += pb.WatchMatchResponse.FromString(data).frames
        except (aio.AioRpcError, asyncio.CancelledError):
            pass


async def ask(address: str, service: str, method: str, request: Message, answer: type[Any]) -> Any:
    """Calls a unary method of a service of the contract and returns its answer."""
    channel: Any
    async with aio.insecure_channel(address) as channel:
        call = channel.unary_unary(
            f"/referee.v1.{service}/{method}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=answer.FromString,
        )
        return await asyncio.wait_for(call(request), PATIENCE)
