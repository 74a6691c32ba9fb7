"""Watching a match that is played: what a spectator is told, when, and what it costs the match: nothing."""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.match.config import Penalties
from referee.replay.reader import finished_path, read
from referee.server.config import Limits
from referee.server.watch.gallery import Gallery
from referee.server.watch.show import Show
from referee.v1 import match_pb2
from tests.server.client import act, finish, ready, room, run, until
from tests.server.spectator import Spectator
from tests.server.test_blocks import play as play_part
from tests.server.watching import DELAY, caught_up, check_whole, status, step, table, was_asked, was_shown


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
            await check_whole(spectator, seats)
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
            await check_whole(spectator, seats)
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
            await check_whole(spectator, seats)
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


def test_l9_whoever_comes_at_any_moment_is_told_each_event_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While bots play on, one after another comes first, leaves last, and misses nothing in between.

    However long it takes to read the log: it is read as it was when the first one came.
    """
    load = Gallery._load

    async def late(self: Gallery, show: Show, page: Any) -> None:
        await asyncio.sleep(0.02)
        await load(self, show, page)

    monkeypatch.setattr(Gallery, "_load", late)

    async def play() -> None:
        async with room(tmp_path, watch_delay=1) as hall:
            await hall.bots()
            playing = hall.play(options={"target": 1500})
            await until(lambda: hall.host.matches)
            match_id = hall.live.match.setup.match_id
            seen = []
            while not playing.done():
                seen.append(Spectator(hall.address, match_id))
                await until(partial(has_left, seen[-1]))
                await seen[-1].close()
            whole = Spectator(hall.address, match_id, last_event_id=1)
            assert await whole.code == grpc.StatusCode.OK
            tables = dict(tables_by_event(whole))
            assert len(seen) > 3
            for spectator in seen:
                first = spectator.started.event_id + 1
                assert spectator.events == list(range(first, first + len(spectator.events)))
                assert dict(tables_by_event(spectator)).items() <= tables.items()
            await whole.close()

    run(play())


def has_left(spectator: Spectator) -> bool:
    """Says whether a spectator has seen enough, or all there is."""
    return len(spectator.events) > 1 or spectator.call.done()


def tables_by_event(spectator: Spectator) -> Iterator[tuple[int, bytes]]:
    """Yields the number of the last event before each table, and the table."""
    number = spectator.started.event_id
    for frame in spectator.frames:
        if frame.HasField("event"):
            number = frame.event.event_id
        elif frame.HasField("observation"):
            yield number, frame.observation.SerializeToString(deterministic=True)
