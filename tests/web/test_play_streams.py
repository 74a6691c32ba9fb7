"""What the page of a seat is told while the seat changes: its last word above all."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from referee.cli.serve_site import ArenaSources
from referee.person import rooms as houses
from referee.person.seat import Phase, Wish
from referee.web.play.streams import Streams
from referee.web.site import Site
from tests.patience import PATIENCE
from tests.person.test_rooms import Clock, begun, rooms
from tests.server.client import run, until

GUAN_PAI = Wish(game="guan_pai", level="easy", options={"deals": "1"})
"""A match in which everybody has a turn."""


class Drawing(Site):
    """A site that tells when it draws, from the thread on which it does."""

    on_draw: Callable[[], object] = staticmethod(lambda: None)

    def part(self, template: str, /, **context: Any) -> str:
        """Draws a piece of a page."""
        self.on_draw()
        return super().part(template, **context)


def phases(stream: list[str]) -> list[str]:
    """Returns the phases that a stream told of, in order, and `over` where it said so."""
    told = []
    for event in stream:
        if event.startswith("data: "):
            told.append(json.loads(event.removeprefix("data: "))["phase"])
        elif event.startswith("event: "):
            told.append(event.split()[1])
    return told


async def rest(stream: AsyncIterator[str]) -> list[str]:
    """Returns all that a stream has still to tell."""
    return [event async for event in stream]


def test_what_ends_while_an_update_is_drawn_is_told(tmp_path: Path) -> None:
    """A page that is told that nothing follows has been told how it ended."""

    async def play() -> None:
        async with rooms(tmp_path, Clock()) as (found, hall):
            room_id = await begun(found)
            room = found.room(room_id)
            assert room
            site = Drawing(ArenaSources(hall.arena.reads, found))
            loop = asyncio.get_running_loop()

            def leave() -> None:
                site.on_draw = lambda: None
                leaving = found.leave(room_id, "the person left", "you left")
                asyncio.run_coroutine_threadsafe(leaving, loop).result(PATIENCE)

            site.on_draw = leave
            before = room.seat.phase
            told = phases(await rest(Streams().follow(site, found, room_id, room, 0)))
            assert room.over
            assert told[0] == before.value
            assert told[-2:] == [room.seat.phase.value, "over"]

    run(play())


def test_a_server_that_stops_has_told_open_pages_how_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for those that hear, and not for long for one that takes nothing."""

    async def play() -> None:
        async with rooms(tmp_path, Clock()) as (found, hall):
            room_id = await begun(found)
            room = found.room(room_id)
            assert room
            site = Site(ArenaSources(hall.arena.reads, found))
            slow, deaf = (Streams().follow(site, found, room_id, room, 0) for _ in range(2))
            for stream in (slow, deaf):
                assert await anext(stream)

            monkeypatch.setattr(houses, "HEARING", PATIENCE)
            closing = asyncio.ensure_future(found.close())
            told = phases(await rest(slow))
            assert told[-2:] == [room.seat.phase.value, "over"]
            assert not closing.done()
            closing.cancel()

            monkeypatch.setattr(houses, "HEARING", 0.01)
            await found.close()
            await deaf.aclose()

    run(play())


def test_a_page_that_waits_to_be_drawn_tells_that_the_server_stops(tmp_path: Path) -> None:
    """Whatever was so when it was asked for, an update tells what holds when it is drawn."""

    async def play() -> None:
        async with rooms(tmp_path, Clock()) as (found, hall):
            room_id = found.sit_down("Ann", GUAN_PAI, "192.0.2.1")
            room = found.room(room_id)
            assert room
            await until(lambda: room.seat.phase is Phase.TO_ACT)
            streams = Streams()
            for _ in range(2):  # others are drawn first
                await streams._drawing.acquire()
            site = Site(ArenaSources(hall.arena.reads, found))
            stream = streams.follow(site, found, room_id, room, 0)
            assert await anext(stream)
            coming = asyncio.ensure_future(anext(stream))
            await until(lambda: streams._drawing._waiters)
            found.drain(30)
            streams._drawing.release()
            told = json.loads((await coming).removeprefix("data: "))
            assert told["version"] == room.seat.version
            assert "data-stops" in told["html"]
            await stream.aclose()

    run(play())
