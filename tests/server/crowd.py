"""A crowd in a process of its own: bots that play, and spectators of whom some are slow or stall.

Usage: `python -m tests.server.crowd ADDRESS PROMPT SLOW STALLED TOKEN...`. Each spectator watches the
match that runs, and the next one when it has ended or the spectator was cut off. Twice a second a line
of JSON tells what came of it so far, until the process is killed.
"""

import asyncio
import contextlib
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from grpc import aio

from referee.v1 import arena_service_pb2 as pb
from referee.v1 import match_pb2
from tests.server.visitors import Visitor, first

GAME = "block_dominoes"
SLOW, STALLED = 2.0, 15.0
"""How long a spectator waits before it reads another message, in seconds."""
_EVERY = 0.5
_PATIENCE = 0.1
_SMALL = [("grpc.use_local_subchannel_pool", 1), ("grpc.http2.bdp_probe", 0)]
"""Keeps a connection of its own from taking in more than 64 KiB that nobody reads."""


@dataclass
class Told:
    """What the crowd was told: messages of gRPC, the frames in them, and how its calls ended, by kind."""

    messages: int = 0
    frames: int = 0
    ends: Counter[str] = field(default_factory=Counter)


class Crowd:
    """All spectators together."""

    def __init__(self, address: str) -> None:
        self.told = Told()
        self._address = address

    async def watch(self, kind: str, wait: float) -> None:
        """Watches one match after another, waiting so long before each message but the first."""
        channel: Any
        async with aio.insecure_channel(self._address, options=_SMALL) as channel:
            list_matches = channel.unary_unary("/referee.v1.ArenaService/ListMatches")
            watch_match = channel.unary_stream("/referee.v1.ArenaService/WatchMatch")
            asked = pb.ListMatchesRequest(state=match_pb2.MATCH_STATE_RUNNING).SerializeToString()
            while True:
                found = pb.ListMatchesResponse.FromString(await list_matches(asked)).matches
                if not found:
                    await asyncio.sleep(_PATIENCE)
                    continue
                call = watch_match(pb.WatchMatchRequest(match_id=found[0].match_id).SerializeToString())
                with contextlib.suppress(aio.AioRpcError):
                    async for data in call:
                        self.told.messages += 1
                        self.told.frames += len(pb.WatchMatchResponse.FromString(data).frames)
                        await asyncio.sleep(wait)
                self.told.ends[f"{kind} {(await call.code()).name}"] += 1


async def main(address: str, prompt: str, slow: str, stalled: str, *tokens: str) -> None:
    """Plays and watches until the process is killed."""
    crowd = Crowd(address)
    kinds = {"prompt": (int(prompt), 0.0), "slow": (int(slow), SLOW), "stalled": (int(stalled), STALLED)}
    bots = [Visitor(address, token, first) for token in tokens]
    everybody = [bot.stay(sys.maxsize, games=[GAME]) for bot in bots]
    everybody += [crowd.watch(kind, wait) for kind, (count, wait) in kinds.items() for _ in range(count)]
    running = asyncio.gather(*everybody)
    while not running.done():
        print(json.dumps(vars(crowd.told)), flush=True)
        await asyncio.wait({running}, timeout=_EVERY)
    await running


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
