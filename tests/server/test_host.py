"""What the host does when something of its own fails, and what it takes up again."""

import asyncio
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.errors import LogWriteError, RefereeError, StoreUnavailableError, UsageError
from referee.match import events as ev
from referee.match.config import SECOND
from referee.replay.reader import read, scan, secret_path, unfinished
from referee.replay.verify import verify
from referee.server.app import Arena
from referee.server.config import ArenaConfig
from referee.server.host import MatchRequest
from referee.store.store import Store
from referee.v1 import match_pb2
from referee.v1 import play_service_pb2 as pb
from tests.server.client import (
    CALM,
    GAME,
    PATIENCE,
    act,
    finish,
    opened,
    ready,
    records,
    room,
    run,
    running_log,
    until,
)


async def health(address: str) -> int:
    """Returns what the health service says of the server."""
    channel: Any
    async with aio.insecure_channel(address) as channel:
        answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
    return int(answer.status)


def test_a_log_that_cannot_be_written_voids_its_match_and_stops_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not in the log is told to nobody; the others play on, and nothing more is started."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots(matches_at_once=2, auto=True)
            other = await finish(hall.play(), *clients)
            for client in clients:
                client.auto = False
            playing = hall.play(options={"target": 10})
            await until(lambda: all(len(client.matches) == 2 for client in clients))
            live = hall.live

            def full(*_: object) -> None:
                raise LogWriteError("no space left")

            monkeypatch.setattr(live.writer, "flush", full)
            for client in clients:
                client.auto = True
                await client.send(ready(list(client.matches.values())[-1]))
            outcome = await asyncio.wait_for(playing, PATIENCE)

            assert other.termination == "completed"
            assert (outcome.termination, outcome.replay, outcome.end) == ("void", None, None)
            for client in clients:
                ended = await client.expect("match_ended", lambda end: end.match_id == outcome.match_id)
                assert not ended.placements
                assert not [turn for turn in client.all("turn") if turn.match_id == outcome.match_id]
            with pytest.raises(RefereeError, match="no more matches"):
                await hall.play()
            for client in clients:
                assert (await client.expect("goodbye")).reason == pb.GOODBYE_REASON_DRAINING
            assert hall.arena.failed == "no space left"
            assert await health(hall.address) == health_pb2.HealthCheckResponse.NOT_SERVING

    run(play())


def test_an_end_that_cannot_be_kept_is_void(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last word follows the fsync: where that fails nobody is told that the match was completed."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, _turn, others, playing = await opened(hall)

            def full(*_: object) -> None:
                raise LogWriteError("no space left")

            monkeypatch.setattr(hall.live.writer, "finish", full)
            outcome = await finish(playing, who, *others)

            assert (outcome.termination, outcome.replay) == ("void", None)
            for client in (who, *others):
                ended = await client.expect("match_ended")
                assert ended.termination == match_pb2.TERMINATION_VOID
                assert not ended.placements

    run(play())


def test_p2_a_finished_match_is_in_the_store_when_its_outcome_is(tmp_path: Path) -> None:
    """The index has the result, and the log that it points to is whole."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots()
            outcome = await finish(hall.play(pairing_id="p1"), *clients)
            with Store.under(tmp_path) as store:
                (result,) = store.results()

            assert outcome.replay
            assert (result.match_id, result.pairing_id) == (outcome.match_id, "p1")
            assert result.last_hash == read(outcome.replay).last_hash

    run(play())


def test_p2_a_result_that_could_not_be_kept_is_kept_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the database is gone matches are played; the index catches up without a restart."""

    def gone(*_: object) -> None:
        raise StoreUnavailableError("the database is gone")

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients, index = await hall.bots(), hall.host.index
            assert index
            with monkeypatch.context() as patch:
                patch.setattr(Store, "add_result", gone)
                patch.setattr(Store, "sync", gone)
                outcomes = [await finish(hall.play(pairing_id=f"p/{n}"), *clients) for n in range(2)]
                index.catch_up()
                await index.settled()
            index.catch_up()
            await index.settled()
            with Store.under(tmp_path) as store:
                kept = [result.match_id for result in store.results()]

            assert [outcome.termination for outcome in outcomes] == ["completed"] * 2
            assert kept == [outcome.match_id for outcome in outcomes]

    run(play())


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"bots": ("a", "b")}, "4 seats"),
        ({"bots": ("a", "b", "c", "c")}, "two seats"),
        ({"game": "block_domino"}, "block_dominoes"),
        ({"options": {"goal": 3}}, "goal"),
    ],
)
def test_a_match_that_cannot_be_is_refused_in_one_line(
    tmp_path: Path, asked: dict[str, object], problem: str
) -> None:
    """Whoever asks is told what is wrong."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            request = MatchRequest(**{"game": GAME, "bots": ("a", "b", "c", "d"), **asked})  # type: ignore[arg-type]
            with pytest.raises(RefereeError, match=problem):
                await hall.arena.play(request)

    run(play())


def test_a_bot_sits_twice_by_two_instances_of_an_unrated_match(tmp_path: Path) -> None:
    """Each seat has a process of its own."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients = [await hall.bot("a", instance_id=str(number)) for number in range(2)]
            clients += await hall.bots("bc")
            outcome = await finish(hall.play("aabc", rated=False), *clients)

            assert outcome.termination == "completed"
            assert outcome.replay
            seats = read(outcome.replay).setup.seats
            assert [seat.bot for seat in seats[:2]] == ["a/a", "a/a"]
            assert {seat.instance for seat in seats[:2]} == {"0", "1"}

    run(play())


def test_plain_text_to_the_world_has_to_be_asked_for(tmp_path: Path) -> None:
    """Plain text is for loopback unless it is asked for."""
    with pytest.raises(UsageError, match="--insecure"):
        Arena(ArenaConfig(data=tmp_path, host="0.0.0.0"))  # noqa: S104


async def cut_off(data: Path) -> tuple[dict[str, str], ev.Turn]:
    """Leaves a match in the middle of a turn, as a killed process would; returns tokens and turn."""
    with Store.under(data) as store:
        tokens = {name: store.add_bot(name) for name in "abcd"}
    copy = data / "copy"
    async with room(data) as hall:
        hall.tokens = dict(tokens)
        who, turn, others, playing = await opened(hall)
        await who.send(act(turn))
        await hall.first_turn(others)
        path = running_log(data)
        for source in (path, secret_path(path)):
            copy.mkdir(exist_ok=True)
            shutil.copy2(source, copy / source.name)
        playing.cancel()
        await until(lambda: not hall.host.matches)
    (finished,) = scan(data)
    finished.unlink()
    for kept in copy.iterdir():
        shutil.move(kept, finished.parent / kept.name)
    asked = [record for record in read(running_log(data)).records if isinstance(record, ev.Turn)]
    return tokens, asked[-1]


def test_a_match_cut_off_a_short_while_ago_goes_on(tmp_path: Path) -> None:
    """The pending turn keeps its id and its time; the outage is one record, and nobody is late."""

    async def play() -> None:
        tokens, asked = await cut_off(tmp_path)
        async with room(tmp_path, recover=True) as hall:
            live = hall.live
            clients = []
            for name, token in tokens.items():
                hall.tokens[name] = token
                clients.append(await hall.bot(name, auto=False))
            started = [await client.expect("match_started") for client in clients]
            who, turn = await hall.first_turn(clients)

            assert all(one.resumed for one in started)
            assert turn.turn_id == asked.turn
            assert turn.clock.remaining_duration.ToMicroseconds() <= asked.budget
            for client in clients:
                client.auto = True
            await who.send(act(turn))
            await asyncio.wait_for(asyncio.shield(live.ended), PATIENCE)
            assert live.match.end
            assert live.match.end.termination == "completed"
        (path,) = scan(tmp_path)
        log = read(path)

        assert verify(log).ok
        assert sum(isinstance(record, ev.Resumed) for record in log.records) == 1
        assert not [record for record in log.records if isinstance(record, ev.Default)]
        with Store.under(tmp_path) as store:
            assert [result.match_id for result in store.results()] == [log.setup.match_id]

    run(play())


def test_t8_the_way_back_after_an_outage_is_charged_to_nobody(tmp_path: Path) -> None:
    """The clock of the pending turn starts when its seat has it again, with the time that it had."""

    async def play() -> None:
        tokens, asked = await cut_off(tmp_path)
        async with room(tmp_path, recover=True) as hall:
            live = hall.live
            hall.tokens = dict(tokens)
            limit = live.deadline()
            assert limit is not None
            assert 0 < limit - hall.host.runner.now() <= CALM.join
            live.expire(limit - 1)
            assert live.deadline() == limit
            assert live.match.remaining(limit)[0] == asked.budget
            back = [await hall.bot(name, auto=False) for name in "abcd"]
            who, turn = await hall.first_turn(back)
            question = live.match.open_turn

            assert question
            assert question.start is not None
            assert who.matches[turn.match_id].seat == question.seat == asked.seat
            assert turn.turn_id == question.turn == asked.turn
            assert turn.clock.remaining_duration.ToMicroseconds() == asked.budget
            assert live.match.deadline() == live.match._journal.clock(question.start + asked.budget + 1)

    run(play())


def test_t8_a_bot_that_does_not_come_back_after_an_outage_is_late_in_the_end(tmp_path: Path) -> None:
    """It has as long as it may take to join, and then the time of its turn."""

    async def play() -> None:
        _, asked = await cut_off(tmp_path)
        async with room(tmp_path, recover=True) as hall:
            live = hall.live
            limit = live.deadline()
            assert limit is not None
            live.expire(limit)
            assert live.match.open_turn
            assert live.match.open_turn.turn == asked.turn
            assert live.deadline() == limit + asked.budget + 1
            live.expire(limit + asked.budget)
            assert live.match.open_turn.turn == asked.turn
            live.expire(limit + asked.budget + 1)

            assert live.match.conduct.faults[asked.seat] == {"late": 1}

    run(play())


def test_a_match_whose_bot_cannot_come_back_is_void(tmp_path: Path) -> None:
    """Whoever was revoked, or launched by the process that is gone, does not lose by that."""

    async def play() -> None:
        await cut_off(tmp_path)
        with Store.under(tmp_path) as store:
            store.revoke_bot("c")
        async with room(tmp_path, recover=True) as hall:
            assert not hall.host.matches
        (path,) = scan(tmp_path)
        log = read(path)

        assert verify(log).ok
        assert log.end
        assert (log.end.termination, log.end.note) == ("void", "the referee was gone, and c cannot come back")

    run(play())


def test_a_match_cut_off_long_ago_is_void(tmp_path: Path) -> None:
    """Past the window it ends without a result; its log is whole and in the index."""

    async def play() -> None:
        await cut_off(tmp_path)
        path = running_log(tmp_path)
        written = path.stat().st_mtime_ns // 1000
        async with room(tmp_path, recover=True, wall=lambda: written + 61 * SECOND) as hall:
            assert not hall.host.matches
        (path,) = scan(tmp_path)
        log = read(path)

        assert verify(log).ok
        assert log.end
        assert log.end.termination == "void"
        assert "61 s" in log.end.note
        assert not list(unfinished(tmp_path))
        with Store.under(tmp_path) as store:
            assert [result.termination for result in store.results()] == ["void"]

    run(play())


def test_a_log_that_another_process_writes_is_left_alone(tmp_path: Path) -> None:
    """Two servers on one data root do not take each other's matches."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, _turn, others, playing = await opened(hall)
            os.utime(running_log(tmp_path), (0, 0))
            async with room(tmp_path, recover=True) as second:
                assert not second.host.matches
            outcome = await finish(playing, who, *others)

            assert outcome.termination == "completed"

    run(play())


def test_a_log_with_a_bad_line_is_named_and_left(tmp_path: Path) -> None:
    """What cannot be trusted is not continued, and costs nothing else."""

    async def play() -> None:
        await cut_off(tmp_path)
        path = running_log(tmp_path)
        lines = path.read_bytes().split(b"\n")
        path.write_bytes(b"\n".join([*lines[:3], *lines[4:]]))
        before = path.read_bytes()
        async with room(tmp_path, recover=True) as hall:
            assert not hall.host.matches
        assert path.read_bytes() == before

    run(play())


def test_a_launched_bot_whose_process_ended_forfeits_while_the_match_goes_on(tmp_path: Path) -> None:
    """Nobody waits for the clock of a seat that can never answer."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            seat = who.matches[turn.match_id].seat
            await who.close()
            hall.arena.absent("abcd"[seat], "exited with status 1")
            outcome = await finish(playing, *others)

            assert [record.seat for record in records(outcome, ev.Gone)] == [seat]
            assert outcome.termination == "completed"
            assert outcome.end
            assert outcome.end.places[seat].forfeited
            assert {record.cause for record in records(outcome, ev.Default)} == {"forfeited"}

    run(play())
