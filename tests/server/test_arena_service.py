"""Games and matches for everybody to read: what is listed, in what order, page by page."""

from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from referee.v1 import arena_service_pb2 as pb
from referee.v1 import match_pb2
from tests.server.client import Room, finish, opened, room, run, until
from tests.server.spectator import ask
from tests.server.test_blocks import play as play_part

STARTING, RUNNING = match_pb2.MATCH_STATE_STARTING, match_pb2.MATCH_STATE_RUNNING
ENDED = match_pb2.MATCH_STATE_ENDED


async def get(hall: Room, match_id: str) -> match_pb2.Match:
    """Returns one match."""
    request = pb.GetMatchRequest(match_id=match_id)
    answer = await ask(hall.address, "ArenaService", "GetMatch", request, pb.GetMatchResponse)
    found: match_pb2.Match = answer.match
    return found


async def listed(hall: Room, **fields: Any) -> pb.ListMatchesResponse:
    """Returns a page of matches."""
    request = pb.ListMatchesRequest(**fields)
    found: pb.ListMatchesResponse = await ask(
        hall.address, "ArenaService", "ListMatches", request, pb.ListMatchesResponse
    )
    return found


async def ids(hall: Room, **fields: Any) -> list[str]:
    """Returns the matches of a page."""
    return [match.match_id for match in (await listed(hall, **fields)).matches]


async def code(call: Awaitable[Any]) -> grpc.StatusCode:
    """Returns the status of a call that is refused."""
    with pytest.raises(aio.AioRpcError) as caught:
        await call
    return caught.value.code()


async def played(hall: Room, names: str, **about: Any) -> str:
    """Plays a match of bots that are here, and returns its id."""
    outcome = await hall.play(names, **about)
    assert outcome.match_id
    return outcome.match_id


def test_a_match_is_told_from_its_start_to_its_end(tmp_path: Path) -> None:
    """While it runs who sits where, and with its end how it ended; the same from index and host."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, _turn, others, playing = await opened(hall)
            match_id = hall.live.match.setup.match_id
            match = await get(hall, match_id)
            assert match.state == RUNNING
            assert [seat.bot_id for seat in match.seats] == ["a/a", "b/b", "c/c", "d/d"]
            assert match.game == "block_dominoes"
            assert {option.option: option.value for option in match.options}["target"] == "10"
            assert not match.HasField("end_time")
            await finish(playing, who, *others)
            assert (await get(hall, match_id)).state == ENDED
            await hall.bots("efgh", auto=False)
            playing = hall.play("efgh")
            await until(lambda: hall.host.matches)
            match_id = hall.live.match.setup.match_id
            assert (await get(hall, match_id)).state == STARTING
            playing.cancel()
            await until(lambda: not hall.host.matches)
            gone = await get(hall, match_id)
            assert (gone.state, gone.termination) == (ENDED, match_pb2.TERMINATION_VOID)
            assert not gone.placements

    run(play())


def test_an_ended_match_has_placements_and_times(tmp_path: Path) -> None:
    """They are those of its end record, and the list tells the same as the match."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            outcome = await finish(hall.play(), *await hall.bots())
            assert outcome.match_id
            assert outcome.end
            match = await get(hall, outcome.match_id)
            assert match.termination == match_pb2.TERMINATION_COMPLETED
            assert [(place.seat, place.rank, place.score, place.points) for place in match.placements] == [
                (place.seat, place.rank, place.score, place.points) for place in outcome.end.places
            ]
            assert [place.display_name for place in match.placements] == list("abcd")
            spent = match.end_time.ToMicroseconds() - match.create_time.ToMicroseconds()
            assert spent == outcome.end.t
            assert list((await listed(hall)).matches) == [match]

    run(play())


def test_matches_are_listed_newest_first_page_by_page(tmp_path: Path) -> None:
    """Running ones among ended ones; each is on one page, whatever ends in between."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            made = [await played(hall, "abcd") for _ in range(4)]
            await hall.bots("efgh", auto=False)
            playing = hall.play("efgh")
            await until(lambda: hall.host.matches)
            made.append(hall.live.match.setup.match_id)
            made += [await played(hall, "abcd") for _ in range(2)]
            newest = made[::-1]
            assert await ids(hall) == newest

            first = await listed(hall, page_size=3)
            assert [match.match_id for match in first.matches] == newest[:3]
            assert first.matches[2].state == STARTING
            playing.cancel()
            await until(lambda: not hall.host.matches)
            later = await played(hall, "abcd")
            second = await listed(hall, page_size=3, page_token=first.next_page_token)
            third = await listed(hall, page_size=3, page_token=second.next_page_token)
            assert [match.match_id for match in (*second.matches, *third.matches)] == newest[3:]
            assert not third.next_page_token
            assert (await ids(hall))[0] == later

    run(play())


def test_lists_of_matches_keep_to_game_state_and_bot(tmp_path: Path) -> None:
    """Where opponents are anonymous a bot's running matches are not found, nor those that came to nothing."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            await hall.bots("efgh", auto=False)
            ended = await played(hall, "abcd")
            playing = [hall.play("efgh")]
            await until(lambda: hall.host.matches)
            (open_id,) = hall.host.matches
            assert await ids(hall, state=ENDED) == [ended]
            assert await ids(hall, state=STARTING) == [open_id]
            assert await ids(hall, state=RUNNING) == []
            assert await ids(hall, game="block_dominoes") == [open_id, ended]
            assert await ids(hall, game="guan_pai") == []
            assert await ids(hall, bot_id="a/a") == [ended]
            assert await ids(hall, bot_id="e/e") == [open_id]
            await hall.bots("ijkl", auto=False)
            playing.append(hall.play("ijkl", anonymous=True))
            await until(lambda: len(hall.host.matches) == 2)
            (hidden,) = hall.host.matches.keys() - {open_id}
            assert await ids(hall, bot_id="i/i") == []
            match = await get(hall, hidden)
            assert [(seat.display_name, seat.bot_id, seat.bot_version) for seat in match.seats] == [
                (f"seat {seat}", "", "") for seat in range(4)
            ]
            for one in playing:
                one.cancel()
            await until(lambda: not hall.host.matches)
            assert hall.host.index
            await hall.host.index.settled()
            assert await ids(hall, bot_id="e/e") == [open_id]
            assert await ids(hall, bot_id="i/i") == []
            assert (await ids(hall))[0] == hidden

    run(play())


def test_a_match_of_a_block_is_told_by_its_totals_while_the_block_goes_on(tmp_path: Path) -> None:
    """Its end is no secret; its deals are, and no list has it before the block is over."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            with hall.arena.block() as group:
                outcome = await play_part(hall.arena, group, 0, "abcd")
                assert outcome.match_id
                match = await get(hall, outcome.match_id)
                assert match.state == ENDED
                assert len(match.placements) == 4
                await play_part(hall.arena, group, 1, "bcda")
            assert await get(hall, outcome.match_id) == match
            assert outcome.match_id in await ids(hall)

    run(play())


def test_what_cannot_be_asked_is_refused_by_name(tmp_path: Path) -> None:
    """Unknown states, tokens of nobody or of another list, no id, and ids that are not here."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            for _ in range(3):
                await played(hall, "abcd")
            token = (await listed(hall, page_size=1)).next_page_token
            assert token
            for fields in (
                {"state": 99},
                {"page_size": -1},
                {"page_token": "x"},
                {"page_token": token[:-2]},
                {"page_token": "é"},
                {"page_token": token, "game": "guan_pai"},
            ):
                assert await code(listed(hall, **fields)) == grpc.StatusCode.INVALID_ARGUMENT, fields
            assert await code(get(hall, "")) == grpc.StatusCode.INVALID_ARGUMENT
            for unknown in ("x", "../referee.db", "01890000-0000-7000-8000-000000000000"):
                assert await code(get(hall, unknown)) == grpc.StatusCode.NOT_FOUND

    run(play())


def test_a_server_that_stops_answers_no_more(tmp_path: Path) -> None:
    """Reads end as unavailable as soon as it drains."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            hall.host.lobby.drain()
            assert await code(listed(hall)) == grpc.StatusCode.UNAVAILABLE

    run(play())
