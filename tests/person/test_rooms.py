"""The rooms of the site: who gets one, and what becomes of one that nobody looks at."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from referee.errors import UsageError
from referee.person import rooms as houses
from referee.person.player import Player
from referee.person.refusals import CrowdedError, StoppingError
from referee.person.rooms import KEPT, Rooms
from referee.person.seat import Phase, Wish
from referee.replay.reader import read, scan, unfinished
from referee.server.house.config import PeopleRules
from tests.server.client import Room as Hall
from tests.server.client import room, run, until

EASY = PeopleRules(levels=("easy",))
WISH = Wish(game="ding_niu", level="easy", options={"deals": "1"})
AWAY, TURN = 300.0, 600.0


class Clock:
    """A clock that stands still unless it is moved."""

    now = 0.0

    def __call__(self) -> float:
        """Returns the time in seconds."""
        return self.now


@contextlib.asynccontextmanager
async def rooms(data: Path, clock: Clock, **changed: Any) -> AsyncIterator[tuple[Rooms, Hall]]:
    """Opens an arena with rooms for people."""
    async with room(data, people=EASY) as hall:
        assert hall.arena.people
        limits = {"most": 8, "per_address": 4, "away": AWAY, "turn": TURN, **changed}
        found = Rooms(hall.arena.people, EASY.levels, now=clock, **limits)
        yield found, hall
        await found.close()


async def begun(found: Rooms, name: str = "Ann", address: str = "192.0.2.1") -> str:
    """Returns the id of a room whose match runs, or is over by the cards."""
    room_id = found.sit_down(name, WISH, address)
    one = found.room(room_id)
    assert one
    await until(lambda: one.seat.phase in {Phase.TO_ACT, Phase.ENDED})
    return room_id


def test_a_person_plays_to_the_end_and_the_result_is_kept_for_a_while(tmp_path: Path) -> None:
    """Whoever holds the key sees it; after half an hour that nobody looks it is forgotten."""

    async def play() -> None:
        clock = Clock()
        async with rooms(tmp_path, clock) as (found, _):
            room_id = await begun(found)
            one = found.room(room_id)
            assert one
            while not one.over:
                version = one.seat.version
                if one.seat.phase is Phase.TO_ACT and one.seat.turn:
                    await one.answer(one.seat.turn.turn_id, 0)
                else:
                    await one.change(version)
            assert one.seat.phase is Phase.ENDED
            assert one.opens(one.key)
            assert not one.opens(one.form)
            clock.now += KEPT - 1
            await found.look()
            clock.now += 1
            assert room_id in found._rooms
            await found.look()
            assert found.room(room_id) is None

    run(play())


@pytest.mark.parametrize("limit", [AWAY, AWAY + TURN], ids=["streamed", "by requests"])
def test_the_seat_of_somebody_who_went_away_is_given_up(tmp_path: Path, limit: float) -> None:
    """A page that hears of events shows that it lives by its stream, one without a script by requests."""

    async def play() -> None:
        clock = Clock()
        async with rooms(tmp_path, clock) as (found, hall):
            room_id = await begun(found)
            one = found.room(room_id)
            assert one
            if one.over:
                return  # a deal may end before it is the person's turn
            live = hall.live
            if limit == AWAY:
                found.streaming(room_id, 1)
                clock.now += 10 * limit
                await found.look()
                assert not one.over, "the page is open"
                found.streaming(room_id, -1)
            clock.now += limit - 1
            await found.look()
            assert not one.over
            clock.now += 1
            await found.look()
            assert one.seat.phase is Phase.LOST
            await live.ended
        (log,) = map(read, scan(tmp_path))
        assert log.end
        assert [place.forfeited for place in log.end.places].count(True) == 1

    run(play())


def test_seats_are_bounded_in_all_and_for_each_address(tmp_path: Path) -> None:
    """Nobody takes the places of all others."""

    async def play() -> None:
        async with rooms(tmp_path, Clock(), most=3, per_address=2) as (found, _):
            for _ in range(2):
                found.sit_down("Ann", WISH, "192.0.2.1")
            with pytest.raises(CrowdedError, match="your address"):
                found.sit_down("Ann", WISH, "192.0.2.1")
            with pytest.raises(UsageError):
                found.sit_down("easy", WISH, "192.0.2.2")
            found.sit_down("Ben", WISH, "192.0.2.2")
            with pytest.raises(CrowdedError, match="taken"):
                found.sit_down("Ben", WISH, "192.0.2.3")

    run(play())


def test_matches_of_people_are_void_when_the_server_stops(tmp_path: Path) -> None:
    """Their tokens end with it, so nobody could go on with them."""

    async def play() -> None:
        async with rooms(tmp_path, Clock()) as (found, _):
            room_id = await begun(found)
            one = found.room(room_id)
            assert one
            over = one.over
        (log,) = map(read, scan(tmp_path))
        assert log.end
        assert over or log.end.termination == "void"
        assert not list(unfinished(tmp_path))

    run(play())


def test_a_wish_that_is_refused_says_why(tmp_path: Path) -> None:
    """The room tells it, and counts no more."""

    async def play() -> None:
        async with rooms(tmp_path, Clock(), most=1) as (found, _):
            one = found.room(found.sit_down("Ann", Wish(game="ding_niu", level="expert"), ""))
            assert one
            await until(lambda: one.over)
            assert one.seat.phase is Phase.REFUSED
            assert "easy" in one.seat.note
            await begun(found)

    run(play())


def test_nobody_sits_down_while_the_server_drains_and_who_plays_hears_of_it(tmp_path: Path) -> None:
    """The match goes on; a page that waits for news has some."""

    async def play() -> None:
        clock = Clock()
        async with rooms(tmp_path, clock) as (found, _):
            assert found.stops_in is None
            one = found.room(await begun(found))
            assert one
            if one.over:
                return
            version = one.seat.version
            found.drain(30)
            await one.change(version)
            clock.now += 10
            assert found.stops_in == 20
            found.drain(5)
            assert found.stops_in == 20, "the first word counts"
            assert not one.over
            with pytest.raises(StoppingError, match="begins no more matches"):
                found.sit_down("Ben", WISH, "192.0.2.2")
            await found.close()
            assert one.seat.phase is Phase.ENDED
            assert one.seat.ended
            assert "the server stopped" in one.seat.ended.note

    run(play())


def test_who_waits_for_a_match_hears_at_once_that_there_will_be_none(tmp_path: Path) -> None:
    """A drain sends away who has no match."""

    async def play() -> None:
        async with rooms(tmp_path, Clock()) as (found, _):
            one = found.room(found.sit_down("Ann", WISH, "192.0.2.1"))
            assert one
            found.drain(30)
            await until(lambda: one.over)
            assert one.seat.phase is Phase.LOST
            assert not one.seat.given_up
            assert "begins no more matches" in one.seat.note

    run(play())


def test_nobody_is_looked_for_once_the_rooms_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a seat is just being given up."""

    async def play() -> None:
        monkeypatch.setattr(houses, "LOOK_EVERY", 0.01)
        clock, leaving = Clock(), asyncio.Event()
        real = Player.close

        async def close(self: Player, note: str = "", *, given_up: bool = False) -> None:
            leaving.set()
            await real(self, note, given_up=given_up)

        async with rooms(tmp_path, clock) as (found, _):
            found.sit_down("Ann", Wish(game="guan_pai", level="easy"), "192.0.2.1")
            monkeypatch.setattr(Player, "close", close)
            found.start()
            looking = found._looking
            clock.now += AWAY + TURN
            await leaving.wait()
            await found.close()
            assert looking
            await until(looking.done)

    run(play())
