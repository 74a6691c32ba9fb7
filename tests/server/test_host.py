"""What the host does when something of its own fails, and which matches it takes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.errors import LogWriteError, RefereeError, StoreUnavailableError, UsageError
from referee.match import events as ev
from referee.replay.reader import read
from referee.server.app import Arena
from referee.server.config import ArenaConfig
from referee.server.host import MatchOutcome, MatchRequest
from referee.store.store import Store
from referee.v1 import match_pb2
from referee.v1 import play_service_pb2 as pb
from tests.patience import PATIENCE
from tests.server.client import (
    GAME,
    finish,
    opened,
    ready,
    records,
    room,
    run,
    until,
)
from tests.server.keeping import held


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


def test_p2_a_match_that_has_ended_is_no_more_called_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever cancels it while its result is kept is told what became of it, and it counts."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            begun = held(monkeypatch)
            await hall.bots()
            playing = hall.play()
            await until(begun.is_set)
            playing.cancel()
            outcome = await playing

            assert outcome.termination == "completed"
            assert outcome.replay
            assert read(outcome.replay).end == outcome.end

    run(play())


def test_a_match_that_ends_in_the_moment_in_which_it_is_called_off_has_ended(tmp_path: Path) -> None:
    """It is told with its result, though who waits for it had not heard of its end."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            playing: asyncio.Task[MatchOutcome]
            hall.host.on_over.append(lambda live: live.ended.add_done_callback(lambda _: playing.cancel()))
            await hall.bots()
            playing = hall.play()

            assert (await playing).termination == "completed"

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
