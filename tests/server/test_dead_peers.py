"""Streams that are cut off, hang or are not read, over real gRPC."""

import asyncio
import contextlib
import threading
from pathlib import Path
from typing import Any

import pytest
from grpc import aio

from referee.match import events as ev
from referee.match.config import SECOND, Penalties
from referee.server.config import Limits
from referee.server.stream import Connection
from referee.v1 import play_service_pb2 as pb
from tests.server.client import (
    Client,
    finish,
    frame,
    opened,
    ready,
    records,
    room,
    run,
    until,
)
from tests.server.proxy import Proxy


class Moody(Client):
    """A bot that reads only while `listening` is set, and keeps each message that it read."""

    def __init__(self, address: str, token: str, **about: Any) -> None:
        self.listening = asyncio.Event()
        self.listening.set()
        self.messages: list[bytes] = []
        # Its own library reads little ahead.
        options = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65536)]
        super().__init__(address, token, auto=False, options=options, **about)

    async def _read(self) -> None:
        with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):
            while isinstance(data := await self.call.read(), bytes):
                self.messages.append(data)
                for got in pb.PlayResponse.FromString(data).frames:
                    self._take(got)
                self._came.set()
                await self.listening.wait()


def stray(match_id: str) -> pb.PlayRequestFrame:
    """Returns an act that is refused."""
    return frame(act=pb.Act(match_id=match_id, turn_id=999, index=0))


UNLIMITED = 1_000_000_000
TALKATIVE = Penalties(strays=UNLIMITED)
"""Refused acts cost nothing, however many they are."""


@pytest.mark.parametrize("repeats", [50, pytest.param(500, marks=pytest.mark.soak)])
def test_d1_streams_that_are_cut_off_in_a_turn_leave_nothing(tmp_path: Path, repeats: int) -> None:
    """A bot vanishes while frames are on their way to it: handler, tasks and threads go each time."""

    async def play() -> None:
        limits = Limits(acts_per_second=1_000_000, returns=UNLIMITED)
        async with room(tmp_path, limits=limits) as hall:
            who, turn, others, playing = await opened(hall, penalties=TALKATIVE)
            seat = who.matches[turn.match_id].seat
            name = "abcd"[seat]
            member = hall.host.lobby.members[f"{name}/{name}", "default"]
            tasks, threads = len(asyncio.all_tasks()), threading.active_count()
            for _ in range(repeats):
                stream = member.stream
                await who.send(*[stray(turn.match_id)] * 50)
                await who.close()
                await until(lambda gone=stream: member.stream is None and gone not in hall.host.streams)  # type: ignore[misc]
                who = await hall.bot(name, auto=False, event_delivery=pb.EVENT_DELIVERY_AT_ONCE)
                assert (await who.expect("turn")).turn_id == turn.turn_id
            await until(lambda: len(asyncio.all_tasks()) <= tasks)
            await until(lambda: threading.active_count() <= threads)
            assert len(hall.host.streams) == 4

            outcome = await finish(playing, who, *others)
            assert outcome.termination == "completed"
            assert len(records(outcome, ev.Dropped)) == repeats
            assert {record.seat for record in records(outcome, ev.Dropped)} == {seat}
            assert not records(outcome, ev.Default)

    run(play())


def test_d2_a_connection_that_went_dead_is_noticed_and_costs_its_turn_only(tmp_path: Path) -> None:
    """Without a FIN the keepalive finds the loss; the bot comes back on another path and plays on."""

    async def play() -> None:
        settings = {"keepalive": SECOND, "keepalive_timeout": 4 * SECOND}  # the others do answer in time
        async with room(tmp_path, **settings) as hall, Proxy(hall.address) as proxy:
            clients = await hall.bots("abc", auto=False)
            token = hall.arena.add_guest("d", owner="d")
            hall.tokens["d"] = token
            far = await Client(proxy.address, token, auto=False).hello()
            playing = hall.play(options={"target": 30})
            for client in (*clients, far):
                await client.send(ready(await client.expect("match_started")))
            who, turn = await hall.first_turn([*clients, far])
            proxy.pause()
            member = hall.host.lobby.members["d/d", "default"]
            await until(lambda: member.stream is None)

            assert len(hall.host.matches) == 1
            back = await hall.bot("d")
            outcome = await finish(playing, *clients, back, also=turn if who is not far else None)
            seat = far.matches[outcome.match_id or ""].seat

            assert outcome.termination == "completed"
            assert [record.seat for record in records(outcome, ev.Dropped)] == [seat]
            assert not records(outcome, ev.Default)
            await far.close()

    run(play())


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (
            {"write": 2 * SECOND, "queue_frames": UNLIMITED, "queue_bytes": UNLIMITED},
            "a write took too long",
        ),
        ({"write": UNLIMITED, "queue_frames": 64, "queue_bytes": UNLIMITED}, "too many frames wait"),
        ({"write": UNLIMITED, "queue_frames": UNLIMITED, "queue_bytes": 65536}, "too many bytes wait"),
    ],
    ids=["write_deadline", "queue_frames", "queue_bytes"],
)
def test_d3_a_bot_that_does_not_read_is_dropped_by_each_of_the_limits(
    tmp_path: Path, limits: dict[str, int], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deadline of a write and bounds of the queue each suffice; it may come back, and the match is played."""
    closed: list[tuple[int, str, int, int]] = []
    close = Connection.close

    def noted(self: Connection, reason: int, note: str, code: str = "") -> None:
        waiting = sum(len(data) for data, *_ in self._queue)
        closed.append((reason, note, len(self._queue), waiting))
        close(self, reason, note, code)

    async def play() -> None:
        async with room(tmp_path, limits=Limits(acts_per_second=1_000_000, **limits)) as hall:
            hall.tokens["d"] = hall.arena.add_guest("d", owner="d")
            deaf = Moody(hall.address, hall.tokens["d"])
            hall.clients.append(await deaf.hello())
            others = await hall.bots("abc", auto=False)
            playing = hall.play(penalties=TALKATIVE)
            started = await deaf.expect("match_started")
            await deaf.send(ready(started))
            deaf.listening.clear()
            for other in others:
                other.auto = True
                await other.send(ready(await other.expect("match_started")))
            member = hall.host.lobby.members["d/d", "default"]
            monkeypatch.setattr(Connection, "close", noted)
            with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):
                while member.stream:
                    await deaf.send(*[stray(started.match_id)] * 200)
            reason, note, frames, size = closed[0]
            again = await hall.bot("d")
            outcome = await finish(playing, again, *others)

            assert reason == pb.GOODBYE_REASON_SLOW_CONSUMER
            assert why in note
            assert frames <= limits["queue_frames"] + 16
            assert size <= limits["queue_bytes"] + 1024
            assert outcome.termination == "completed"
            assert outcome.end
            assert [record.seat for record in records(outcome, ev.Dropped)] == [started.seat]
            assert all(not place.faults for place in outcome.end.places if place.seat != started.seat)
            assert not records(outcome, ev.Default)
            assert not any(other.goodbye for other in others)

    run(play())


def test_frames_are_cut_to_messages_of_the_limit_for_a_bot_that_reads_slowly(tmp_path: Path) -> None:
    """What waits for it comes in messages that are no larger, unless one frame alone is."""
    limit, count = 2_000, 200

    async def play() -> None:
        async with room(tmp_path, limits=Limits(acts_per_second=1_000_000, response_bytes=limit)) as hall:
            hall.tokens["d"] = hall.arena.add_guest("d", owner="d")
            slow = Moody(hall.address, hall.tokens["d"])
            hall.clients.append(await slow.hello())
            others = await hall.bots("abc", auto=False)
            playing = hall.play(penalties=TALKATIVE)
            started = await slow.expect("match_started")
            slow.listening.clear()
            member = hall.host.lobby.members["d/d", "default"]
            await slow.send(ready(started), *[stray(started.match_id)] * count)
            for other in others:
                await other.send(ready(await other.expect("match_started")))
            await until(lambda: len(hall.live.match.conduct.faults[started.seat]) > 0)
            assert member.stream
            while len(slow.all("rejected")) < count:
                slow.listening.set()
                await asyncio.sleep(0)
                slow.listening.clear()
            slow.listening.set()
            counts = [len(pb.PlayResponse.FromString(message).frames) for message in slow.messages]
            playing.cancel()

            assert sum(map(len, slow.messages)) > 4 * limit
            assert max(counts) > 2
            for frames, message in zip(counts, slow.messages, strict=True):
                assert len(message) <= limit or frames == 1

    run(play())
