"""The bots of one match of the disturbance benchmark; each answers with its first legal action.

Usage: `python -m benchmarks.disturbance_client ADDRESS DECISIONS TOKEN...` measures that many
decisions after a warm-up of a tenth of them and prints median and p99 of their latency. With `calm`,
`flood` or `big` for DECISIONS they are neighbours, and with the last two the first bot disturbs;
they end when the standard input does, and print how many acts the first one sent a second. Both print
a line when they have begun to play.
"""

import asyncio
import json
import statistics
import sys
import time
from typing import Any, Final

import uvloop
from grpc import aio

from referee.v1 import play_service_pb2 as pb

_EOF: Final[Any] = aio.EOF  # type: ignore[attr-defined]  # the stubs do not know it
PAUSE = 0.001
"""Seconds that a bot thinks."""
PACE = 0.01
"""Seconds between two bursts of a bot that disturbs."""
BURSTS = {"calm": (0, 0), "flood": (10, 5), "big": (1, 200 * 1024)}
"""Acts in a burst, and the length of their text."""


class Table:
    """What the bots of the match know together: when the last act was sent, and how long turns took."""

    def __init__(self, needed: int) -> None:
        self.latencies: list[float] = []
        self.full = asyncio.Event()
        self.begun = asyncio.Event()
        self.sent = 0
        self._needed = needed
        self._acted = 0.0

    def acts(self) -> None:
        """Notes that an act is about to be sent."""
        self._acted = time.perf_counter()

    def asked(self) -> None:
        """Notes that a turn has come."""
        self.begun.set()
        if self._acted and not self.full.is_set():
            self.latencies.append((time.perf_counter() - self._acted) * 1e6)
            if self._needed and len(self.latencies) >= self._needed:
                self.full.set()

    def pauses(self) -> None:
        """Notes that the next turn follows from no act."""
        self._acted = 0.0


class Bot:
    """One seat; with a burst it disturbs too, and comes back when its stream is closed for that."""

    def __init__(self, channel: Any, token: str, table: Table, burst: tuple[int, int]) -> None:
        self._method = channel.stream_stream("/referee.v1.PlayService/Play")
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._table = table
        self._burst = burst
        self._turn: pb.Turn | None = None
        self._writing = asyncio.Lock()  # a call takes one write at a time

    async def play(self) -> None:
        """Plays over one stream after another."""
        while True:
            try:
                await self._stream()
            except (aio.AioRpcError, asyncio.InvalidStateError):
                self._turn = None
                await asyncio.sleep(PACE)

    async def _stream(self) -> None:
        call = self._method(metadata=self._metadata)
        await self._send(call, hello=pb.Hello(protocol_version=1, games=["block_dominoes"]))
        disturbing = asyncio.ensure_future(self._disturb(call))
        try:
            while (data := await call.read()) is not _EOF:
                for frame in pb.PlayResponse.FromString(data).frames:
                    await self._heard(call, frame)
        finally:
            disturbing.cancel()

    async def _heard(self, call: Any, frame: pb.PlayResponseFrame) -> None:
        if frame.HasField("match_started"):
            self._table.pauses()
            await self._send(call, ready=pb.Ready(match_id=frame.match_started.match_id))
        elif frame.HasField("turn"):
            turn = self._turn = frame.turn
            self._table.asked()
            await asyncio.sleep(PAUSE)
            self._table.acts()
            await self._send(call, act=pb.Act(match_id=turn.match_id, turn_id=turn.turn_id, index=0))

    async def _disturb(self, call: Any) -> None:
        acts, length = self._burst
        while acts:
            await asyncio.sleep(PACE)
            if self._turn is None:
                continue
            old = pb.Act(match_id=self._turn.match_id, turn_id=self._turn.turn_id - 1, text="x" * length)
            for _ in range(acts):
                await self._send(call, act=old)
                self._table.sent += 1

    async def _send(self, call: Any, **arm: Any) -> None:
        data = pb.PlayRequest(frames=[pb.PlayRequestFrame(**arm)]).SerializeToString()
        async with self._writing:
            await call.write(data)


async def _main(address: str, what: str, tokens: list[str]) -> None:
    decisions = int(what) if what.isdigit() else 0
    table = Table(decisions + decisions // 10)
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels: list[Any] = [aio.insecure_channel(address, options) for _ in tokens]
    bursts = [BURSTS.get(what, (0, 0)), *[(0, 0)] * (len(tokens) - 1)]
    bots = [Bot(*about[:2], table, about[2]) for about in zip(channels, tokens, bursts, strict=True)]
    plays = [asyncio.ensure_future(bot.play()) for bot in bots]
    await table.begun.wait()
    began = time.perf_counter()
    print("begun", flush=True)
    if decisions:
        await table.full.wait()
        measured = table.latencies[-decisions:]
        figures = [statistics.median(measured), statistics.quantiles(measured, n=100)[98]]
        print(json.dumps(figures), flush=True)
    else:
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        print(table.sent / (time.perf_counter() - began), flush=True)
    for play in plays:
        play.cancel()
    for channel in channels:
        await channel.close()


if __name__ == "__main__":
    uvloop.run(_main(sys.argv[1], sys.argv[2], sys.argv[3:]))
