"""What the pages of a seat are told as it changes: drawn once for all of them, on a thread."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from referee.web.play import view
from referee.web.site import Site
from referee.web.sources import Room, Rooms

MOST: Final = 4
"""Streams of one seat; another one ends the oldest, whose page is told so."""
HEARTBEAT: Final = 15.0
"""Seconds after which a silent stream shows that it lives."""
GATHER: Final = 0.05
"""Seconds in which what happens together is told together."""
_FRESH: Final = 1.0
"""Seconds for which an update may be given out again: a clock stands in it."""
_AT_ONCE: Final = 2
"""How many seats are drawn at a time."""


class Streams:
    """The streams of all seats."""

    def __init__(self) -> None:
        self._seats: WeakKeyDictionary[Room, _Seat] = WeakKeyDictionary()
        self._drawing = asyncio.Semaphore(_AT_ONCE)

    async def follow(
        self, site: Site, rooms: Rooms, room_id: str, room: Room, version: int
    ) -> AsyncGenerator[str, None]:
        """Yields the changing part of a page whenever the seat is newer than `version`, as sent events."""
        seat = self._seats.setdefault(room, _Seat(self._drawing))
        place = seat.enter()
        rooms.streaming(room_id, 1)
        try:
            yield ": it is open\n\n"  # the browser hears of a stream when something has come by it
            while not place.done():
                if not await _newer(room, version, place):
                    if not place.done():
                        yield ": still here\n\n"
                    continue
                await asyncio.sleep(GATHER)
                update = await seat.update(site, room_id, room, rooms)
                version = update.version
                yield f"data: {update.text}\n\n"
                if update.over:  # which the room may be by now, and its last update yet to come
                    yield "event: over\ndata: {}\n\n"
                    return
            yield "event: elsewhere\ndata: {}\n\n"
        finally:
            seat.leave(place)
            rooms.streaming(room_id, -1)


async def _newer(room: Room, version: int, place: "asyncio.Future[None]") -> bool:
    """Waits for something newer; says whether there is, which is not so after a while or at its end."""
    change = asyncio.ensure_future(room.change(version))
    try:
        await asyncio.wait({change, place}, timeout=HEARTBEAT, return_when=asyncio.FIRST_COMPLETED)
        return change.done() and not place.done()
    finally:
        change.cancel()


class _Update(NamedTuple):
    """What pages are told of a seat at one moment.

    Attributes:
        version: that of the seat.
        over: whether nothing follows.
        made: when it was made, on the clock of the event loop, in seconds.
    """

    version: int
    text: str
    over: bool
    made: float


class _Seat:
    """The streams of one seat, and the last update that they had."""

    def __init__(self, drawing: asyncio.Semaphore) -> None:
        self._drawing = drawing
        self._places: deque[asyncio.Future[None]] = deque()
        """Each is done when its stream has to end; the oldest first."""
        self._turn = asyncio.Lock()
        self._update = _Update(-1, "", over=False, made=0.0)

    def enter(self) -> "asyncio.Future[None]":
        """Returns the place of a new stream."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._places.append(place)
        if len(self._places) > MOST:
            self._places.popleft().set_result(None)
        return place

    def leave(self, place: "asyncio.Future[None]") -> None:
        """Takes a place back."""
        if place in self._places:
            self._places.remove(place)

    async def update(self, site: Site, room_id: str, room: Room, rooms: Rooms) -> _Update:
        """Returns what the pages of the seat are told of it now."""
        async with self._turn:
            now = asyncio.get_running_loop().time()
            if self._update.version != room.seat.version or now - self._update.made > _FRESH:
                async with self._drawing:
                    still, stops_in = view.still(room), rooms.stops_in
                    text = await asyncio.to_thread(_drawn, site, room_id, still, stops_in)
                self._update = _Update(still.seat.version, text, still.over, now)
            return self._update


def _drawn(site: Site, room_id: str, still: view.Still, stops_in: float | None) -> str:
    part = view.part(still, stops_in)
    return json.dumps(
        {
            "html": site.part("seat_part.html", room_id=room_id, wish=still.seat.wish, **part),
            "said": view.announcement(still.seat, part["stops"]),
            "phase": part["phase"],
            "version": still.seat.version,
        }
    )
