"""Streams that end, hang, take over or say too much, over real gRPC."""

import asyncio
from pathlib import Path

import grpc

from referee.match.config import SECOND, TimeControl
from referee.replay.reader import read
from referee.replay.verify import verify
from referee.server.app import OPTIONS
from referee.server.config import Limits
from referee.v1 import play_service_pb2 as pb
from tests.patience import PATIENCE
from tests.server.client import (
    finish,
    frame,
    opened,
    request,
    room,
    run,
    start_runs_out,
    until,
)


def test_t14_silence_before_the_first_turn_ends_at_the_start_limit(tmp_path: Path) -> None:
    """A bot that is never ready costs the match, unrated, and only itself a fault."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            silent = await hall.bot("a", auto=False)
            others = await hall.bots("bcd")
            playing = hall.play()
            await until(lambda: hall.host.matches)
            await start_runs_out(hall.live)
            outcome = await asyncio.wait_for(playing, PATIENCE)

            assert (outcome.termination, outcome.missing) == ("no_show", ("a",))
            assert outcome.end
            assert outcome.end.at_fault == (0,)
            assert (outcome.end.note, outcome.note) == (
                "not ready in time: seat 0",
                "not ready in time: a",
            )
            for client in (silent, *others):
                ended = await client.expect("match_ended")
                assert not ended.placements
                assert bool(ended.faults) == (client is silent)
                assert not client.all("turn")
            assert verify(read(outcome.replay)).ok  # type: ignore[arg-type]

    run(play())


def test_d15_a_bot_that_never_joins_ends_the_wait(tmp_path: Path) -> None:
    """At the join limit there is no match, and the absent bot is named."""

    async def play() -> None:
        async with room(tmp_path, time_control=TimeControl(join=SECOND // 5)) as hall:
            others = await hall.bots("bcd")
            outcome = await asyncio.wait_for(hall.play(), PATIENCE)

            assert (outcome.match_id, outcome.replay) == (None, None)
            assert (outcome.termination, outcome.missing) == ("no_show", ("a",))
            assert not any(other.matches for other in others)

    run(play())


def test_d15_an_absent_bot_ends_the_wait_at_once(tmp_path: Path) -> None:
    """Who is known never to come is not waited for; the reason is in the note."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots("bcd")
            playing = hall.play()
            hall.arena.absent("a", "it exited with 1")
            outcome = await asyncio.wait_for(playing, PATIENCE)

            assert (outcome.termination, outcome.missing) == ("no_show", ("a",))
            assert "it exited with 1" in outcome.note

    run(play())


def test_calling_a_match_off_voids_it(tmp_path: Path) -> None:
    """Cancelling the wait for a match ends it as void; its bots are told and its log is whole."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, _, others, playing = await opened(hall)
            live = hall.live
            playing.cancel()
            for client in (who, *others):
                ended = await client.expect("match_ended")
                assert not ended.placements
            await until(playing.done)

            assert live.match.end
            assert live.match.end.termination == "void"
            assert verify(read(live.writer.path)).ok

    run(play())


def test_d19_messages_above_the_limit_end_their_stream_with_a_clear_status(tmp_path: Path) -> None:
    """A large message gets a goodbye, a huge one a status; the match of the others goes on."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, _turn, others, playing = await opened(hall)
            for name, size, told in (("x", 300_000, True), ("y", 3_900_000, False), ("z", 5_000_000, False)):
                big = await hall.bot(name)
                await big.raw(request(frame(act=pb.Act(match_id="m", text="x" * size))))
                code, details = await big.status()

                assert code == grpc.StatusCode.RESOURCE_EXHAUSTED
                assert details
                assert bool(big.goodbye) == told
            outcome = await finish(playing, who, *others)
            assert outcome.termination == "completed"

    run(play())


def test_a_stream_that_never_says_hello_is_closed(tmp_path: Path) -> None:
    """It holds no place for longer than its limit."""

    async def play() -> None:
        async with room(tmp_path, limits=Limits(hello=SECOND // 5)) as hall:
            mute = hall.silent("a")
            code, _ = await mute.status()

            assert code == grpc.StatusCode.INVALID_ARGUMENT
            assert mute.goodbye
            assert mute.goodbye.reason == pb.GOODBYE_REASON_BAD_HELLO
            assert not hall.host.lobby.members

    run(play())


def test_leave_ends_the_stream_after_the_last_match(tmp_path: Path) -> None:
    """A bot that leaves finishes what it plays and gets OK; one that plays nothing goes at once."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, _, others, playing = await opened(hall)
            await who.send(frame(leave=pb.Leave()))
            await finish(playing, who, *others)
            code, _ = await who.status()

            assert code == grpc.StatusCode.OK
            assert who.goodbye
            assert who.goodbye.reason == pb.GOODBYE_REASON_LEFT
            assert who.all("match_ended")

    run(play())


def test_d18_default_clients_and_those_that_ping_every_10_s_are_welcome() -> None:
    """The server allows pings without calls, and more often than every 10 seconds."""
    options = dict(OPTIONS)

    assert options["grpc.keepalive_permit_without_calls"] == 1
    assert options["grpc.http2.max_pings_without_data"] == 0
    assert options["grpc.http2.min_recv_ping_interval_without_data_ms"] < 10_000
    assert options["grpc.so_reuseport"] == 0


def test_several_turns_come_in_one_message(tmp_path: Path) -> None:
    """A bot with many matches gets what is ready together, and may answer together."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots(matches_at_once=16)
            outcomes = await asyncio.gather(*(hall.play(seed=seed) for seed in range(16)))

            assert {outcome.termination for outcome in outcomes} == {"completed"}
            assert len({outcome.match_id for outcome in outcomes}) == 16
            assert all(len(client.matches) == 16 for client in clients)

    run(play())
