"""Watching a match that is played: what a spectator is told, when, and what it costs the match: nothing."""

import asyncio
import contextlib
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from referee.games.block_dominoes import view
from referee.match.config import Penalties
from referee.match.machine import Match
from referee.replay.reader import finished_path, read
from referee.server.config import Limits
from referee.server.host import MatchOutcome
from referee.server.watch.telling import Teller
from referee.v1 import arena_service_pb2 as pb
from referee.v1 import match_pb2
from tests.server.client import Client, Room, act, finish, opened, ready, room, run, until
from tests.server.spectator import Spectator
from tests.server.test_blocks import play as play_part

DELAY = 8


def was_asked(client: Client, turn: int) -> bool:
    """Says whether a turn has come to its bot."""
    return any(told.turn_id == turn for told in client.all("turn"))


def has_moved(match: Match, plies: int) -> bool:
    """Says whether another action was played."""
    return match.plies > plies


async def step(hall: Room, clients: list[Client], count: int = 1) -> None:
    """Has some turns answered, one after another."""
    for _ in range(count):
        match = hall.live.match
        question, plies = match.open_turn, match.plies
        assert question
        client = clients[question.seat]
        await until(partial(was_asked, client, question.turn))
        await client.send(act(client.all("turn")[-1]))
        await until(partial(has_moved, match, plies))


async def table(hall: Room, **about: Any) -> tuple[list[Client], asyncio.Task[MatchOutcome], str]:
    """Returns the bots of a match by seat, the match, and its id; nobody answers by itself."""
    who, _turn, others, playing = await opened(hall, **about)
    match = hall.live.match
    named = {client.all("match_started")[0].seat: client for client in (who, *others)}
    return [named[seat] for seat in range(4)], playing, match.setup.match_id


def was_shown(spectator: Spectator, count: int) -> bool:
    """Says whether a spectator was shown so many tables."""
    return len(spectator.all("observation")) == count


def check_whole(spectator: Spectator, seats: list[Client]) -> None:
    """Checks what was told of a whole match against what its seats were told."""
    first = spectator.started.event_id + 1
    assert spectator.events == list(range(first, first + len(spectator.events)))
    asked = {
        turn.observation.block_dominoes.public.SerializeToString()
        for seat in seats
        for turn in seat.all("turn")
    }
    shown = [one.block_dominoes for one in (spectator.started.observation, *spectator.all("observation"))]
    assert not any(one.HasField("private") for one in shown)
    assert {one.public.SerializeToString() for one in shown} >= asked
    assert spectator.all("deal_ended") == seats[0].all("deal_ended")
    (ended,) = spectator.all("ended")
    (heard,) = seats[0].all("match_ended")
    assert (ended.termination, ended.reveal) == (heard.termination, heard.reveal)
    assert list(ended.placements) == list(heard.placements)


def test_l9_a_spectator_is_told_all_that_all_see_some_plies_late(tmp_path: Path) -> None:
    """Each thing once eight actions have followed, the rest at the end; then the status is OK."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            seats, playing, match_id = await table(hall)
            spectator = Spectator(hall.address, match_id)
            await until(lambda: spectator.frames)
            assert spectator.started.delay_plies == DELAY
            assert spectator.started.match.state == match_pb2.MATCH_STATE_STARTING
            assert not spectator.started.HasField("observation")
            for plies in range(1, 20):
                await step(hall, seats)
                await until(partial(was_shown, spectator, max(0, plies - DELAY + 1)))
                told = [frame.event.ply for frame in spectator.frames if frame.HasField("event")]
                assert max(told, default=0) == max(0, plies - DELAY)
            await finish(playing, *seats)

            assert await spectator.code == grpc.StatusCode.OK
            check_whole(spectator, seats)
            assert hall.host.matches == {}
            await spectator.close()

    run(play())


@pytest.mark.parametrize("delay", [0, 3])
def test_l9_the_delay_is_as_the_server_is_set(tmp_path: Path, delay: int) -> None:
    """Without a delay each action is told when it is played."""

    async def play() -> None:
        async with room(tmp_path, watch_delay=delay) as hall:
            seats, playing, match_id = await table(hall)
            spectator = Spectator(hall.address, match_id)
            await until(lambda: spectator.frames)
            await step(hall, seats, 5)
            await until(lambda: len(spectator.all("observation")) == 5 - delay + (delay > 0))
            assert spectator.started.delay_plies == delay
            await finish(playing, *seats)
            assert await spectator.code == grpc.StatusCode.OK
            check_whole(spectator, seats)
            await spectator.close()

    run(play())


def test_l9_who_comes_late_is_shown_the_delayed_table_and_told_on_from_there(tmp_path: Path) -> None:
    """The first message is whole, and all that follows is what others were told after that position."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            seats, playing, match_id = await table(hall)
            first = Spectator(hall.address, match_id)
            await step(hall, seats, 15)
            await until(lambda: len(first.all("observation")) == 15 - DELAY + 1)
            late = Spectator(hall.address, match_id)
            await until(lambda: late.frames)
            alone = len(first.all("observation"))
            assert late.started.observation == first.all("observation")[-1]
            assert late.started.event_id == first.events[-1]
            assert late.started.match.state == match_pb2.MATCH_STATE_RUNNING
            await finish(playing, *seats)
            for spectator in (first, late):
                assert await spectator.code == grpc.StatusCode.OK
            assert late.events == first.events[late.started.event_id :]
            assert late.all("observation") == first.all("observation")[alone:]
            assert late.all("ended") == first.all("ended")
            for spectator in (first, late):
                await spectator.close()

    run(play())


def test_l9_the_first_spectator_of_a_match_that_runs_is_shown_the_delayed_table(tmp_path: Path) -> None:
    """What nobody watched is read from the log, and nothing of the last eight plies with it."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            seats, playing, match_id = await table(hall)
            await step(hall, seats, 14)
            late = Spectator(hall.address, match_id)
            await until(lambda: late.frames)
            shown = late.started.observation.block_dominoes.public
            assert 0 < len(shown.line_tiles) <= 14 - DELAY
            await finish(playing, *seats)
            assert await late.code == grpc.StatusCode.OK
            whole = Spectator(hall.address, match_id, last_event_id=1)
            assert await whole.code == grpc.StatusCode.OK
            numbers = [1, *whole.events]
            assert numbers == list(range(1, len(numbers) + 1))
            assert late.events == numbers[late.started.event_id :]
            tables = [*whole.all("observation")]
            assert late.started.observation == tables[14 - DELAY - 1]
            assert late.all("observation") == tables[14 - DELAY :]
            for spectator in (late, whole):
                await spectator.close()

    run(play())


@pytest.mark.parametrize("keep", [1, 1 << 20])
def test_l9_a_broken_stream_is_taken_up_after_the_last_event(tmp_path: Path, keep: int) -> None:
    """No event is told twice and none is left out, also where it has to be read from the log."""

    async def play() -> None:
        limits = Limits(spectator_bytes=keep)
        async with room(tmp_path, watch_delay=2, limits=limits) as hall:
            seats, playing, match_id = await table(hall)
            await step(hall, seats, 12)
            first = Spectator(hall.address, match_id)
            await until(lambda: first.frames)
            for last in (1, 2, 5, first.started.event_id, 10_000):
                again = Spectator(hall.address, match_id, last_event_id=last)
                missed = list(range(last + 1, first.started.event_id + 1))
                await until(partial(caught_up, again, missed))
                assert again.events == missed
                assert again.started.event_id <= last
                await again.close()
            await first.close()
            await finish(playing, *seats)

    run(play())


def test_l9_a_match_that_has_ended_is_told_by_its_last_position_and_its_end(tmp_path: Path) -> None:
    """Who was cut off before gets the rest of it too."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            outcome = await finish(hall.play(), *await hall.bots())
            assert outcome.match_id
            spectator = Spectator(hall.address, outcome.match_id)
            assert await spectator.code == grpc.StatusCode.OK
            assert [frame.WhichOneof("frame") for frame in spectator.frames] == ["started", "ended"]
            public = spectator.started.observation.block_dominoes.public
            assert outcome.end
            assert list(public.totals) == [place.score for place in outcome.end.places]
            assert not spectator.started.match.placements
            last = spectator.started.event_id
            rest = Spectator(hall.address, outcome.match_id, last_event_id=last - 5)
            assert await rest.code == grpc.StatusCode.OK
            assert rest.events == list(range(last - 4, last + 1))
            assert rest.all("ended") == spectator.all("ended")
            for one in (spectator, rest):
                await one.close()

    run(play())


def test_l9_a_match_where_opponents_are_anonymous_tells_names_at_its_end_only(tmp_path: Path) -> None:
    """Until then they are `seat k`, in every byte."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            names = ("alpha", "bravo", "charlie", "delta")
            bots = [await hall.bot(name) for name in names]
            playing = hall.play(names, anonymous=True)  # type: ignore[arg-type]  # any sequence of names
            await until(lambda: hall.host.matches)
            spectator = Spectator(hall.address, hall.live.match.setup.match_id)
            await finish(playing, *bots)
            assert await spectator.code == grpc.StatusCode.OK
            assert [seat.display_name for seat in spectator.started.match.seats] == [
                f"seat {seat}" for seat in range(4)
            ]
            (ended,) = spectator.all("ended")
            assert [place.display_name for place in ended.placements] == list(names)
            before = spectator.received.partition(ended.SerializeToString())[0]
            assert not any(name.encode() in before for name in names)
            await spectator.close()

    run(play())


def test_a_forfeit_is_told_and_what_the_seats_are_refused_is_not(tmp_path: Path) -> None:
    """Strikes and refusals are the seat's own; that it forfeited everybody sees."""

    async def play() -> None:
        async with room(tmp_path, penalties=Penalties(retries=0, strikes=1)) as hall:
            seats, playing, match_id = await table(hall)
            spectator = Spectator(hall.address, match_id)
            question = hall.live.match.open_turn
            assert question
            client = seats[question.seat]
            await client.send(act(client.all("turn")[-1], index=99))
            await until(lambda: hall.live.match.conduct.forfeits)
            for seat in seats:
                seat.auto = True
            open_turn = hall.live.match.open_turn
            assert open_turn
            await until(partial(was_asked, seats[open_turn.seat], open_turn.turn))
            await finish(playing, *seats)
            assert await spectator.code == grpc.StatusCode.OK
            forfeits = [one.event for one in spectator.frames if one.event.HasField("forfeited")]
            assert [event.seat for event in forfeits] == [question.seat]
            check_whole(spectator, seats)
            await spectator.close()

    run(play())


def test_a_block_is_not_shown_before_its_last_match_has_ended(tmp_path: Path) -> None:
    """Neither a running match of it nor one that has ended; then each of them is."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots(auto=False)
            with hall.arena.block() as group:
                playing = play_part(hall.arena, group, 0, "abcd")
                for client in clients:
                    await client.send(ready(await client.expect("match_started")))
                await hall.first_turn(clients)
                match_id = hall.live.match.setup.match_id
                assert await status(hall, match_id) == grpc.StatusCode.FAILED_PRECONDITION
                outcome = await finish(playing, *clients)
                assert await status(hall, match_id) == grpc.StatusCode.FAILED_PRECONDITION
                await play_part(hall.arena, group, 1, "bcda")
                assert await status(hall, match_id) == grpc.StatusCode.FAILED_PRECONDITION
            assert await status(hall, match_id) == grpc.StatusCode.OK
            assert outcome.replay
            assert read(finished_path(outcome.replay)).ended

    run(play())


def caught_up(spectator: Spectator, missed: list[int]) -> bool:
    """Says whether somebody was told as much as others before."""
    return bool(spectator.frames) and len(spectator.events) >= len(missed)


async def status(hall: Room, match_id: str, last: int = 0) -> grpc.StatusCode:
    """Returns the status with which watching a match ends."""
    spectator = Spectator(hall.address, match_id, last)
    code: grpc.StatusCode = await spectator.code
    await spectator.close()
    return code


def test_what_cannot_be_watched_is_refused_by_name(tmp_path: Path) -> None:
    """An empty id, a number below 0, a match that nobody knows, and a path."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            assert await status(hall, "") == grpc.StatusCode.INVALID_ARGUMENT
            known = "01890000-0000-7000-8000-000000000000"
            assert await status(hall, known, -1) == grpc.StatusCode.INVALID_ARGUMENT
            for unknown in (known, "x", "../../../etc/passwd", f"{known}/..", known.replace("7000", "4000")):
                assert await status(hall, unknown) == grpc.StatusCode.NOT_FOUND

    run(play())


def test_there_is_a_limit_to_spectators_of_a_match_and_of_a_server(tmp_path: Path) -> None:
    """Above it one is refused at once, and a place that is left is free again."""

    async def play() -> None:
        limits = Limits(spectators_per_match=2, spectators=3)
        async with room(tmp_path, limits=limits) as hall:
            bots = await hall.bots("abcdefgh", auto=False)
            playing = [hall.play("abcd"), hall.play("efgh")]
            await until(lambda: len(hall.host.matches) == 2)
            one, other = hall.host.matches
            inside = [Spectator(hall.address, match_id) for match_id in (one, one, other)]
            await until(lambda: all(spectator.frames for spectator in inside))
            for match_id in (one, other):
                assert await status(hall, match_id) == grpc.StatusCode.RESOURCE_EXHAUSTED
            await inside[0].close()
            await until(lambda: hall.host.matches[one].show)
            again = Spectator(hall.address, one)
            await until(lambda: again.frames or again.call.done())
            assert again.frames
            for spectator in (*inside[1:], again):
                await spectator.close()
            await until(lambda: not any(live.show for live in hall.host.matches.values()))
            for match in playing:
                match.cancel()
            assert bots

    run(play())


def test_a_spectator_that_does_not_read_is_cut_off_and_the_match_goes_on(tmp_path: Path) -> None:
    """It falls behind what is kept, or its write takes too long; the bots notice nothing."""

    async def play() -> None:
        limits = Limits(spectator_bytes=50_000, write=300_000)
        async with room(tmp_path, watch_delay=0, limits=limits) as hall:
            bots = await hall.bots()
            playing = hall.play(options={"target": 10_000})
            await until(lambda: hall.host.matches)
            (match_id,) = hall.host.matches
            request = pb.WatchMatchRequest(match_id=match_id).SerializeToString()
            channel: Any
            options = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 4096)]
            async with aio.insecure_channel(hall.address, options=options) as channel:
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


def test_a_bug_in_showing_a_match_costs_the_match_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The spectators get an incident id, and the match its end."""

    def broken(self: Teller, *args: object) -> None:
        del self, args
        raise AssertionError(f"hands {view.__name__}")

    async def play() -> None:
        async with room(tmp_path) as hall:
            seats, playing, match_id = await table(hall)
            spectator = Spectator(hall.address, match_id)
            await until(lambda: spectator.frames)
            with monkeypatch.context() as patch:
                patch.setattr(Teller, "tell", broken)
                outcome = await finish(playing, *seats)
            assert outcome.termination == "completed"
            assert await spectator.code == grpc.StatusCode.INTERNAL
            assert "hands" not in await spectator.details
            await spectator.close()

    run(play())


def test_l17_a_bug_in_the_rules_is_told_to_spectators_as_to_bots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match is void, with the number of the incident and no more."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            seats, playing, match_id = await table(hall)
            spectator = Spectator(hall.address, match_id)
            await until(lambda: spectator.frames)
            await step(hall, seats, 3)
            state = type(hall.live.match.state)

            def broken(self: object, action: int) -> None:
                raise AssertionError(f"hands {self} {action}")

            with monkeypatch.context() as patch:
                patch.setattr(state, "apply", broken)
                question = hall.live.match.open_turn
                assert question
                client = seats[question.seat]
                await until(partial(was_asked, client, question.turn))
                await client.send(act(client.all("turn")[-1]))
                outcome = await playing
            assert outcome.termination == "void"
            assert await spectator.code == grpc.StatusCode.OK
            (ended,) = spectator.all("ended")
            assert ended.termination == match_pb2.TERMINATION_VOID
            assert ended.note == seats[0].all("match_ended")[0].note
            assert not ended.placements
            await spectator.close()

    run(play())


def test_a_match_that_is_suspended_is_not_told_to_its_end(tmp_path: Path) -> None:
    """The stream ends as unavailable, and what the delay hides stays hidden."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            seats, playing, match_id = await table(hall)
            spectator = Spectator(hall.address, match_id)
            await until(lambda: spectator.frames)
            await step(hall, seats, 10)
            stopping = asyncio.ensure_future(hall.arena.stop(0))
            assert await spectator.code == grpc.StatusCode.UNAVAILABLE
            await stopping
            told = [frame.event.ply for frame in spectator.frames if frame.HasField("event")]
            assert max(told, default=0) <= 2
            assert not spectator.all("ended")
            await spectator.close()
            playing.cancel()

    run(play())


def test_c7_a_match_that_nobody_watches_any_more_keeps_nothing(tmp_path: Path) -> None:
    """With the last spectator its show is gone, and what was built for it."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            seats, playing, match_id = await table(hall)
            for _ in range(3):
                spectator = Spectator(hall.address, match_id)
                await until(partial(caught_up, spectator, []))
                await step(hall, seats, 2)
                assert hall.live.codec.table
                await spectator.close()
                await until(lambda: hall.live.show is None)
                assert not hall.live.codec.table
                await step(hall, seats)
            await finish(playing, *seats)
            assert seats[0].all("match_ended")[0].termination == match_pb2.TERMINATION_COMPLETED

    run(play())
