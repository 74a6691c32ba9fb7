"""The bots of the wire benchmark: they answer every turn with its first legal action.

Usage: `python -m benchmarks.wire_client ADDRESS MATCHES_AT_ONCE DECISIONS [RECORDING]`, tokens on
standard input, one stream each. After a warm-up of as many decisions prints `start`, then plays the
decisions and prints `stop SECONDS DECISIONS MESSAGES`. With a recording, the messages that the first
stream hears in that time are written to it.
"""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any, Final

import uvloop
from grpc import aio

from referee.v1 import play_service_pb2 as pb

_EOF: Final[Any] = aio.EOF  # type: ignore[attr-defined]  # the stubs do not know it


class Tally:
    """Counts decisions over all streams and says when the measured window begins and ends."""

    def __init__(self, decisions: int) -> None:
        self.decisions = decisions
        self.count = -decisions
        self.messages = 0
        self.began = 0.0
        self.done = asyncio.Event()

    @property
    def measuring(self) -> bool:
        """Says whether the window is open."""
        return self.count >= 0 and not self.done.is_set()

    def add(self, answers: int) -> None:
        """Counts one message with so many answers."""
        before = self.count
        self.count += answers
        if before < 0 <= self.count:
            self.began, self.messages, self.count = time.perf_counter(), 0, 0
            print("start", flush=True)
        self.messages += 1
        if self.count >= self.decisions and not self.done.is_set():
            self.done.set()
            print("stop", time.perf_counter() - self.began, self.count, self.messages, flush=True)


async def _play(channel: Any, token: str, matches: int, tally: Tally, kept: list[bytes] | None) -> None:
    method = channel.stream_stream("/referee.v1.PlayService/Play")
    call = method(metadata=(("authorization", f"Bearer {token}"),))
    hello = pb.Hello(protocol_version=1, games=["block_dominoes"], matches_at_once=matches)
    await call.write(pb.PlayRequest(frames=[pb.PlayRequestFrame(hello=hello)]).SerializeToString())
    while (data := await call.read()) is not _EOF:
        request = pb.PlayRequest()
        answers = 0
        for frame in pb.PlayResponse.FromString(data).frames:
            if frame.HasField("turn"):
                turn = frame.turn
                request.frames.add().act.MergeFrom(
                    pb.Act(match_id=turn.match_id, turn_id=turn.turn_id, action=turn.legal_actions[0])
                )
                answers += 1
            elif frame.HasField("match_started"):
                request.frames.add().ready.match_id = frame.match_started.match_id
        if request.frames:
            await call.write(request.SerializeToString())
        if answers:
            if kept is not None and tally.measuring:
                kept.append(data)
            tally.add(answers)


async def _main(address: str, matches: int, decisions: int, recording: Path | None) -> None:
    tally = Tally(decisions)
    kept: list[bytes] | None = [] if recording else None
    tokens = sys.stdin.read().split("\n")
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels: list[Any] = [aio.insecure_channel(address, options) for _ in tokens]
    plays = [
        asyncio.ensure_future(_play(channel, token, matches, tally, None if at else kept))
        for at, (channel, token) in enumerate(zip(channels, tokens, strict=True))
    ]
    over = asyncio.ensure_future(tally.done.wait())
    done, _ = await asyncio.wait([over, *plays], return_when=asyncio.FIRST_COMPLETED)
    for play in plays:
        play.cancel()
    if over not in done:
        sys.exit(f"a stream ended early: {done}")
    if recording and kept is not None:
        recording.write_text("\n".join(data.hex() for data in kept))
    for channel in channels:
        await channel.close()


if __name__ == "__main__":
    path = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    uvloop.run(_main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), path))
