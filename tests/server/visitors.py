"""Bots that keep nothing: they play for weeks in the process of a test without growing it."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from grpc import aio

from referee.v1 import play_service_pb2 as pb

Answer = Callable[[pb.Turn], pb.Act]


def first(turn: pb.Turn) -> pb.Act:
    """Plays the first legal action."""
    return pb.Act(match_id=turn.match_id, turn_id=turn.turn_id, index=0)


def hopeless(turn: pb.Turn) -> pb.Act:
    """Answers what is no action."""
    return pb.Act(match_id=turn.match_id, turn_id=turn.turn_id, index=1_000_000)


class Visitor:
    """A bot that comes, plays and goes; `ended` counts the matches whose end it heard of."""

    def __init__(self, address: str, token: str, answer: Answer = first) -> None:
        self.ended = 0
        self._token = token
        self._answer = answer
        # Raw bytes need none of the serialisers that the stubs ask for.
        self._channel: Any = aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])

    async def stay(self, matches: int, **hello: Any) -> None:
        """Plays until it has heard the end of so many matches; then it leaves in good order."""
        said = {"protocol_version": 1, "games": ["mexican_train"], **hello}
        call = self._channel.stream_stream("/referee.v1.PlayService/Play")(
            metadata=(("authorization", f"Bearer {self._token}"),)
        )
        until, leaving = self.ended + matches, False
        with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError), contextlib.ExitStack() as last:
            last.callback(call.cancel)
            await _say(call, pb.PlayRequestFrame(hello=pb.Hello(**said)))
            while isinstance(data := await call.read(), bytes):
                said_now = [a for got in pb.PlayResponse.FromString(data).frames for a in self._hear(got)]
                if self.ended >= until and not leaving:
                    leaving = True
                    said_now.append(pb.PlayRequestFrame(leave=pb.Leave()))
                if said_now:
                    await _say(call, *said_now)

    async def close(self) -> None:
        """Ends the connection."""
        await self._channel.close()

    def _hear(self, got: pb.PlayResponseFrame) -> list[pb.PlayRequestFrame]:
        arm = got.WhichOneof("frame")
        if arm == "match_started":
            return [pb.PlayRequestFrame(ready=pb.Ready(match_id=got.match_started.match_id))]
        if arm == "turn":
            return [pb.PlayRequestFrame(act=self._answer(got.turn))]
        if arm == "ping":
            return [pb.PlayRequestFrame(pong=pb.Pong(ping_id=got.ping.ping_id))]
        self.ended += arm == "match_ended"
        return []


async def _say(call: Any, *frames: pb.PlayRequestFrame) -> None:
    await call.write(pb.PlayRequest(frames=frames).SerializeToString())
