"""Streams that end, hang, take over or say too much, over real gRPC."""

import asyncio
from pathlib import Path
from typing import Self

import grpc
from grpc import aio

from referee.match import events as ev
from referee.match.config import SECOND, Penalties, TimeControl
from referee.replay.reader import read
from referee.replay.verify import verify
from referee.server.app import OPTIONS
from referee.server.config import Limits
from referee.v1 import play_service_pb2 as pb
from tests.server.client import (
    PATIENCE,
    Client,
    act,
    finish,
    frame,
    opened,
    ready,
    records,
    request,
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


def test_t14_silence_before_the_first_turn_ends_at_the_start_limit(tmp_path: Path) -> None:
    """A bot that is never ready costs the match, unrated, and only itself a fault."""

    async def play() -> None:
        control = TimeControl(start=SECOND // 5)
        async with room(tmp_path, time_control=control) as hall:
            silent = await hall.bot("a", auto=False)
            others = await hall.bots("bcd")
            outcome = await asyncio.wait_for(hall.play(), PATIENCE)

            assert (outcome.termination, outcome.missing) == ("no_show", ("a",))
            assert outcome.end
            assert outcome.end.at_fault == (0,)
            assert "seat 0" in outcome.note
            for client in (silent, *others):
                ended = await client.expect("match_ended")
                assert not ended.placements
                assert bool(ended.faults) == (client is silent)
                assert not client.all("turn")
            assert verify(read(outcome.replay)).ok  # type: ignore[arg-type]

    run(play())


def test_d1_streams_that_are_cut_off_leave_nothing(tmp_path: Path) -> None:
    """After many bots that vanish there are as many tasks and members as before."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            first = await hall.bot("a")
            await first.close()
            await until(lambda: not hall.host.streams)
            before = len(asyncio.all_tasks())
            for _ in range(500):
                client = await hall.bot("a", instance_id="fresh")
                await client.close()
            await until(lambda: not hall.host.streams and not hall.host.lobby.members)
            await until(lambda: len(asyncio.all_tasks()) <= before)

    run(play())


class Proxy:
    """Forwards TCP both ways until it is paused; then bytes vanish and nobody is told."""

    def __init__(self, target: str) -> None:
        self.address = ""
        self._target = target
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._server: asyncio.Server | None = None
        self._pumps: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self._server.close()
        for pump in self._pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)

    def pause(self) -> None:
        """Lets nothing through any more."""
        self._flowing.clear()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, _, port = self._target.partition(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            self._pumps.add(asyncio.ensure_future(self._pump(source, sink)))

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65536):
            await self._flowing.wait()
            sink.write(data)


def test_d2_a_connection_that_went_dead_is_noticed_and_costs_its_turn_only(tmp_path: Path) -> None:
    """Without a FIN the keepalive finds the loss; the bot comes back on another path and plays on."""

    async def play() -> None:
        settings = {"keepalive": SECOND, "keepalive_timeout": SECOND}
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


def test_d3_a_bot_that_never_reads_is_dropped_and_nobody_waits_for_it(tmp_path: Path) -> None:
    """The queue of a stream is bounded and a write has a deadline; the others end their match."""

    async def play() -> None:
        limits = Limits(queue_frames=64, write=SECOND // 2, acts_per_second=1_000_000)
        async with room(tmp_path, limits=limits) as hall:
            conduct = Penalties(strays=1_000_000, strikes=1)
            token = hall.arena.add_guest("d", owner="d")
            options = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65536)]
            deaf = Client(hall.address, token, auto=False, options=options)
            await deaf.hello()
            others = await hall.bots("abc", auto=False)
            playing = hall.play(penalties=conduct, time_control=TimeControl(base=SECOND, bank=0))
            started = await deaf.expect("match_started")
            await deaf.send(ready(started))
            deaf._reader.cancel()
            for other in others:
                other.auto = True
                await other.send(ready(await other.expect("match_started")))
            stray = frame(act=pb.Act(match_id=started.match_id, turn_id=999, index=0))
            member = hall.host.lobby.members["d/d", "default"]
            try:
                while member.stream:
                    await deaf.send(*[stray] * 200)
            except (aio.AioRpcError, asyncio.InvalidStateError):
                pass
            outcome = await finish(playing, *others)

            assert outcome.termination == "completed"
            assert [record.seat for record in records(outcome, ev.Dropped)] == [started.seat]
            assert all(not place.faults for place in outcome.end.places if place.seat != started.seat)  # type: ignore[union-attr]
            await deaf.close()

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
            assert 0 < same.clock.remaining_duration.ToMicroseconds() < 20 * SECOND
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
