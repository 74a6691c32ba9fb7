"""Spectators that read slowly, or not at all: what becomes of them, and that the match feels nothing."""

import asyncio
import contextlib
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from referee.match.config import SECOND
from referee.server.config import Limits
from referee.server.watch.gallery import Gallery
from referee.server.watch.past import Past
from referee.v1 import arena_service_pb2 as pb
from tests.server.client import finish, room, run, until
from tests.server.spectator import Spectator
from tests.server.watching import caught_up, step, table

TIGHT = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 4096)]
"""Options of a connection that takes in little that nobody reads."""


def _was_told(spectator: Spectator, event_id: int) -> bool:
    """Says whether a spectator has come as far as to an event."""
    return bool(spectator.events) and spectator.events[-1] >= event_id


def test_a_spectator_that_does_not_read_is_cut_off_and_the_match_goes_on(tmp_path: Path) -> None:
    """It falls behind what is kept, or its write takes too long; the bots notice nothing."""

    async def play() -> None:
        limits = Limits(spectator_bytes=50_000, write=2 * SECOND)
        async with room(tmp_path, watch_delay=0, limits=limits) as hall:
            bots = await hall.bots()
            playing = hall.play(options={"target": 10_000})
            await until(lambda: hall.host.matches)
            (match_id,) = hall.host.matches
            request = pb.WatchMatchRequest(match_id=match_id).SerializeToString()
            channel: Any
            async with aio.insecure_channel(hall.address, options=TIGHT) as channel:
                call = channel.unary_stream("/referee.v1.ArenaService/WatchMatch")(request)
                await until(lambda: hall.live.show)
                await until(lambda: hall.live.show is None)
                assert hall.host.matches
                with contextlib.suppress(aio.AioRpcError):
                    async for _ in call:
                        pass
                assert await call.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
            playing.cancel()
            assert not any(bot.goodbye for bot in bots)

    run(play())


def test_a_spectator_that_is_behind_when_the_match_ends_is_told_its_end(tmp_path: Path) -> None:
    """It waits for what it is sent, reads on in time, and hears all the rest, with the result."""

    async def play() -> None:
        async with room(tmp_path, watch_delay=0) as hall:
            bots = await hall.bots()
            playing = hall.play(options={"target": 1_000})
            await until(lambda: hall.host.matches)
            request = pb.WatchMatchRequest(match_id=hall.live.match.setup.match_id).SerializeToString()
            channel: Any
            async with aio.insecure_channel(hall.address, options=TIGHT) as channel:
                call = channel.unary_stream("/referee.v1.ArenaService/WatchMatch")(request)
                await until(lambda: hall.live.show)
                outcome = await finish(playing, *bots)
                told = [
                    frame async for data in call for frame in pb.WatchMatchResponse.FromString(data).frames
                ]
                assert await call.code() == grpc.StatusCode.OK
            assert outcome.end
            assert [place.score for place in told[-1].ended.placements] == [
                place.score for place in outcome.end.places
            ]
            events = [frame.event.event_id for frame in told if frame.HasField("event")]
            assert events == list(range(told[0].started.event_id + 1, events[-1] + 1))

    run(play())


@pytest.mark.parametrize("times", [1, 100], ids=["once", "always"])
def test_a_spectator_that_comes_back_is_not_blamed_for_a_slow_read_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """More is told meanwhile than is kept: the log is read again, and who cannot be told may come back."""
    read, reads = Gallery._read, 0

    async def play() -> None:
        async with room(tmp_path, watch_delay=0, limits=Limits(spectator_bytes=4_000)) as hall:
            seats, playing, match_id = await table(hall, options={"target": 1_000})
            first = Spectator(hall.address, match_id)
            await until(lambda: first.frames)

            async def overtake() -> None:
                show = hall.live.show
                assert show
                at = show.place()
                while at and show.after(at[0]) is not None:
                    await step(hall, seats)
                    if told := show.place():
                        await until(partial(_was_told, first, told[1].event_id))

            async def slow(gallery: Gallery, *asked: Any) -> Past:
                nonlocal reads
                reads += 1
                found = await read(gallery, *asked)
                if reads <= times:
                    await overtake()
                return found

            await overtake()
            monkeypatch.setattr(Gallery, "_read", slow)
            again = Spectator(hall.address, match_id, last_event_id=1)
            if times == 1:
                await until(lambda: again.call.done() or caught_up(again, first.events[1:]))
                assert not again.call.done()
                assert reads == 2
                assert again.events == list(range(2, 2 + len(again.events)))
            else:
                assert await again.code == grpc.StatusCode.UNAVAILABLE
                assert "come back later" in await again.details
                assert 1 < reads < times
            await again.close()
            await first.close()
            playing.cancel()
            await asyncio.wait({playing})

    run(play())
