"""Bots that lose their stream and come back, over real gRPC."""

import asyncio
import os
import sys
from pathlib import Path

import grpc

from referee.match import events as ev
from referee.match.config import SECOND, Penalties, TimeControl
from referee.replay.reader import read
from referee.replay.verify import verify
from referee.server.config import Limits
from referee.v1 import play_service_pb2 as pb
from tests.server.client import (
    CALM,
    act,
    finish,
    frame,
    opened,
    records,
    room,
    run,
    until,
)


def test_t9_only_the_seat_to_act_loses_time_by_a_disconnect(tmp_path: Path) -> None:
    """A leaves in its turn and is late; the bank of every other seat stays to the microsecond."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            control = TimeControl(base=2 * SECOND, bank=SECOND // 4)
            who, _, others, playing = await opened(
                hall, time_control=control, penalties=Penalties(strikes=1), options={"target": 30}
            )
            seat = next(iter(who.matches.values())).seat
            await who.close()
            outcome = await finish(playing, *others)

            assert [record.seat for record in records(outcome, ev.Dropped)] == [seat]
            (late,) = [record for record in records(outcome, ev.Default) if record.cause == "late"]
            assert (late.seat, late.bank) == (seat, 0)
            assert {record.bank for record in records(outcome, ev.Act)} == {control.bank}
            assert verify(read(outcome.replay)).ok  # type: ignore[arg-type]

    run(play())


def test_d8_a_reconnect_in_ones_own_turn_gets_the_same_turn_with_the_time_left(tmp_path: Path) -> None:
    """The new stream takes over at once; turn id and legal actions stay, the clock ran on."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            name = "abcd"[who.matches[turn.match_id].seat]
            again = await hall.bot(name, auto=False)
            started = await again.expect("match_started")
            same = await again.expect("turn")

            assert started.resumed
            assert (same.turn_id, same.legal_actions) == (turn.turn_id, turn.legal_actions)
            assert same.observation == turn.observation
            assert 0 < same.clock.remaining_duration.ToMicroseconds() <= CALM.base  # a stall gives time back
            code, _ = await who.status()
            assert code == grpc.StatusCode.ABORTED
            assert who.goodbye
            assert who.goodbye.reason == pb.GOODBYE_REASON_TAKEN_OVER

            outcome = await finish(playing, again, *others)
            assert not records(outcome, ev.Default)
            assert len(records(outcome, ev.Rejoined)) == 1
            assert not records(outcome, ev.Dropped)
            assert verify(read(outcome.replay)).ok  # type: ignore[arg-type]

    run(play())


def test_events_so_far_are_told_again_to_who_wants_them(tmp_path: Path) -> None:
    """After a reconnect all events of the match come again, with the same numbers."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            await who.send(act(turn))
            await hall.first_turn(others)
            name = "abcd"[who.matches[turn.match_id].seat]
            again = await hall.bot(name, auto=False, event_delivery=pb.EVENT_DELIVERY_AT_ONCE)
            numbers = [(await again.expect("event")).event_id for _ in range(2)]

            assert numbers == [1, 2]

            await finish(playing, again, *others)
            assert [event.event_id for event in again.all("event")] == list(
                range(1, len(again.all("event")) + 1)
            )

    run(play())


def test_the_fourth_takeover_in_a_minute_is_refused(tmp_path: Path) -> None:
    """An instance may change streams three times; the stream that it has then stays."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            for _ in range(3):
                await hall.bot("a")
            kept = await hall.bot("a")
            late = hall.silent("a")
            await late.send(frame(hello=pb.Hello(**late._hello)))
            code, _ = await late.status()

            assert code == grpc.StatusCode.RESOURCE_EXHAUSTED
            assert late.goodbye
            assert late.goodbye.reason == pb.GOODBYE_REASON_TOO_MANY_TAKEOVERS
            assert hall.host.lobby.members["a/a", "default"].stream is not None
            assert kept.goodbye is None

    run(play())


def test_honest_drops_are_no_takeovers(tmp_path: Path) -> None:
    """A bot whose stream is lost again and again gets back into its match each time."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            name = "abcd"[who.matches[turn.match_id].seat]
            for _ in range(6):
                await who.close()
                await until(lambda: hall.host.lobby.members[f"{name}/{name}", "default"].stream is None)
                who = await hall.bot(name, auto=False)
                again = await who.expect("turn")
                assert again.turn_id == turn.turn_id

            outcome = await finish(playing, who, *others)
            assert outcome.termination == "completed"

    run(play())


def test_version_and_games_stay_while_matches_run(tmp_path: Path) -> None:
    """A stream with another version does not take over a seat; the old stream keeps it."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            name = "abcd"[who.matches[turn.match_id].seat]
            changed = hall.silent(name, bot_version="2")
            await changed.send(frame(hello=pb.Hello(**changed._hello)))
            code, _ = await changed.status()

            assert code == grpc.StatusCode.FAILED_PRECONDITION

            outcome = await finish(playing, who, *others)
            assert outcome.termination == "completed"

    run(play())


def test_a_bot_of_many_matches_is_told_all_again_however_little_may_wait_for_it(tmp_path: Path) -> None:
    """What the referee itself has to say all at once does not make a slow reader of the bot."""

    async def play() -> None:
        limits = Limits(queue_frames=8, queue_bytes=60_000)
        async with room(tmp_path, limits=limits) as hall:
            kinds = (pb.EVENT_DELIVERY_AT_ONCE, pb.EVENT_DELIVERY_WITH_TURN)
            about = [{"matches_at_once": 40, "event_delivery": kind} for kind in (*kinds, *kinds)]
            clients = [await hall.bot(name, **each) for name, each in zip("abcd", about, strict=True)]
            playing = [hall.play(options={"target": 100}, seed=seed) for seed in range(40)]
            await until(lambda: len(clients[0].all("turn")) > 400)
            for name, each in zip("abcd", about, strict=True):
                clients.append(await hall.bot(name, **each))
            outcomes = await asyncio.gather(*playing)
            await until(lambda: all(client.goodbye for client in clients[:4]))

            goodbyes = [client.goodbye and client.goodbye.reason for client in clients]
            assert goodbyes == [pb.GOODBYE_REASON_TAKEN_OVER] * 4 + [None] * 4
            assert all(outcome.termination == "completed" for outcome in outcomes)
            assert not any(records(outcome, ev.Dropped) for outcome in outcomes)

    run(play())


def test_a_new_version_of_the_kit_comes_in_once_the_matches_of_the_old_one_are_over(tmp_path: Path) -> None:
    """Until then it waits, and does not end."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots(auto=False, bot_version="0")
            playing = hall.play()
            await until(lambda: hall.host.matches)
            environment = {"REFEREE_ADDRESS": hall.address, "REFEREE_TOKEN": hall.tokens["a"]}
            newer = await asyncio.create_subprocess_exec(
                *(sys.executable, "sample_bots/python/first_bot.py", "--verbose"),
                env={**os.environ, **environment},
                stderr=asyncio.subprocess.PIPE,
            )
            assert newer.stderr
            try:
                told = (await newer.stderr.readline()).decode()
                assert "waits for the matches of its earlier version" in told
                assert hall.host.matches
                playing.cancel()
                told = (await newer.stderr.readline()).decode()
                assert f"connected to {hall.address} as a" in told
            finally:
                newer.kill()
                await newer.wait()

    run(play())
