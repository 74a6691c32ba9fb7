"""The spectators of the watching benchmark, each on a connection of its own.

Usage: `python -m benchmarks.watching_client ADDRESS NUMBER`. They watch the match that runs, and the
next one when it has ended; when the standard input ends they do, and print how many bytes each was
told a second.
"""

import asyncio
import sys
import time
from typing import Any

import uvloop
from grpc import aio

from referee.v1 import arena_service_pb2 as pb
from referee.v1 import match_pb2

PATIENCE = 0.1
"""Seconds between two looks for a match."""


class Crowd:
    """What the spectators know together: how much they were told."""

    def __init__(self, address: str) -> None:
        self.told = 0
        self._address = address

    async def watch(self) -> None:
        """Watches one match after another."""
        channel: Any
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with aio.insecure_channel(self._address, options) as channel:
            service = "/referee.v1.ArenaService"
            list_matches = channel.unary_unary(f"{service}/ListMatches")
            watch_match = channel.unary_stream(f"{service}/WatchMatch")
            asked = pb.ListMatchesRequest(state=match_pb2.MATCH_STATE_RUNNING).SerializeToString()
            while True:
                found = pb.ListMatchesResponse.FromString(await list_matches(asked)).matches
                if not found:
                    await asyncio.sleep(PATIENCE)
                    continue
                request = pb.WatchMatchRequest(match_id=found[0].match_id).SerializeToString()
                async for data in watch_match(request):
                    self.told += len(data)


async def _main(address: str, number: int) -> None:
    crowd = Crowd(address)
    watching = [asyncio.ensure_future(crowd.watch()) for _ in range(number)]
    began = time.perf_counter()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(crowd.told / number / (time.perf_counter() - began), flush=True)
    for one in watching:
        one.cancel()
    await asyncio.gather(*watching, return_exceptions=True)


if __name__ == "__main__":
    uvloop.run(_main(sys.argv[1], int(sys.argv[2])))
