"""The bots at the other seats: quick, legal, and the same every time."""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final

from grpc import aio

from referee import games
from referee.v1 import play_service_pb2 as pb
from referee.v1.play_service_pb2_grpc import PlayServiceStub

COUNT: Final = 3
"""As many as a usual table has seats beside one."""
NAMES: Final = tuple(f"partner-{number}" for number in range(1, COUNT + 1))
_PAUSE: Final = 0.2
_MANY: Final = 256
_LOST: Final = (aio.AioRpcError, asyncio.InvalidStateError)


class Partners:
    """Play the first legal action of every turn, over streams of their own, in this process."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, address: str, tokens: Sequence[str]) -> None:
        """Dials in with every token."""
        self._tasks = [asyncio.create_task(_partner(address, token)) for token in tokens]

    async def stop(self) -> None:
        """Ends all streams."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []


async def _partner(address: str, token: str) -> None:
    metadata = (("authorization", f"Bearer {token}"),)
    while True:
        async with aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            with contextlib.suppress(*_LOST):
                await _play(PlayServiceStub(channel).Play(None, metadata=metadata))
        await asyncio.sleep(_PAUSE)


async def _play(call: "aio.StreamStreamCall[pb.PlayRequest, pb.PlayResponse]") -> None:
    hello = pb.Hello(
        protocol_version=1,
        bot_version="1",
        games=games.names(),
        matches_at_once=_MANY,
        event_delivery=pb.EVENT_DELIVERY_NONE,
    )
    await call.write(pb.PlayRequest(frames=[pb.PlayRequestFrame(hello=hello)]))
    while isinstance(response := await call.read(), pb.PlayResponse):
        request = pb.PlayRequest()
        for frame in response.frames:
            if frame.HasField("turn"):
                act = request.frames.add().act
                act.match_id, act.turn_id, act.index = frame.turn.match_id, frame.turn.turn_id, 0
            elif frame.HasField("match_started"):
                request.frames.add().ready.match_id = frame.match_started.match_id
        if request.frames:
            await call.write(request)
