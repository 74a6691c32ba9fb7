"""The seats that people hold on the site, each behind a key that its own browser has."""

import asyncio
import contextlib
import hmac
import secrets
from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from referee.bot.endpoint import Endpoint
from referee.person.player import Player
from referee.person.refusals import STOPS, CrowdedError, StoppingError
from referee.person.seat import OVER, Answer, Seat, Wish

LOOK_EVERY: Final = 5.0
"""Seconds between two looks for people who have gone away."""
KEPT: Final = 1800.0
"""Seconds for which the result of a match is kept for somebody who does not look at it."""
FAREWELL: Final = 2.0
"""Seconds in which a seat hears that its match is void because the server stops."""
HEARING: Final = 5.0
"""Seconds in which open pages are told how their matches ended before the server stops."""
MOST_KEPT: Final = 256
"""How many rooms there are at the most, those of ended matches among them."""


class Pass(Protocol):
    """What a person sits down with."""

    @property
    def address(self) -> str:
        """Where to dial in."""

    @property
    def token(self) -> str:
        """As whom."""


P = TypeVar("P", bound=Pass)


class Door(Protocol[P]):
    """Who lets people in."""

    def admit(self, name: str) -> P:
        """Returns what one person sits down with; raises `UsageError` for a name that cannot be."""

    def dismiss(self, ticket: P, why: str) -> None:
        """Takes it back; a match that still runs goes on without the person."""

    def call_off(self, ticket: P, why: str) -> None:
        """Takes it back; a match that still runs is void."""


class Room:
    """One person's seat on the site.

    Attributes:
        name: what the person is called.
        key: what proves that a browser is this person's.
        form: what proves that a form is from a page of this room.
    """

    def __init__(self, player: Player, name: str, address: str, now: float) -> None:
        self.name = name
        self.key = secrets.token_urlsafe(24)
        self.form = secrets.token_urlsafe(24)
        self.address = address
        self.seen_at = now
        self.has_streamed = False
        self._player = player

    @property
    def seat(self) -> Seat:
        """What is known of the match."""
        return self._player.seat

    @property
    def left(self) -> float:
        """The seconds that are left for the open turn."""
        return self._player.left()

    @property
    def over(self) -> bool:
        """Whether nothing follows in this room."""
        return self.seat.phase in OVER

    def opens(self, key: str) -> bool:
        """Says whether a key is that of this room."""
        return hmac.compare_digest(key.encode(), self.key.encode())

    def made(self, form: str) -> bool:
        """Says whether a form is from a page of this room."""
        return hmac.compare_digest(form.encode(), self.form.encode())

    async def answer(self, turn_id: int, answer: Answer) -> bool:
        """Answers a turn; says whether it was open still."""
        return await self._player.answer(turn_id, answer)

    async def change(self, version: int) -> None:
        """Returns when there is something newer than a version of the seat."""
        await self._player.change(version)

    async def close(self, note: str, *, given_up: bool = False) -> None:
        """Leaves the seat; `note` tells the person why."""
        await self._player.close(note, given_up=given_up)

    def tell_again(self) -> None:
        """Has the pages of the seat look again."""
        self._player.tell_again()


class Rooms:
    """All people on the site.

    A seat is given up when there was no sign of life for `away` seconds: of a page that has updates
    streamed to it since that stream ended, of one that has not since `turn` seconds, the time of a
    turn, after its last request. `now` is a clock in seconds, `household` tells addresses apart.
    """

    def __init__(
        self,
        door: Door[P],
        levels: tuple[str, ...],
        *,
        most: int,
        per_address: int,
        away: float,
        turn: float,
        now: Callable[[], float],
        household: Callable[[str], str] = str,
    ) -> None:
        self.levels = levels
        self._door: Door[P] = door
        self._most = most
        self._per_address = per_address
        self._away = away
        self._turn = turn
        self._now = now
        self._household = household
        self._rooms: dict[str, Room] = {}
        self._tickets: dict[str, P] = {}
        self._streams: dict[str, int] = {}
        """How many event streams are open, by room."""
        self._open = 0
        self._quiet = asyncio.Event()
        """Set while none of them is open."""
        self._quiet.set()
        self._looking: asyncio.Task[None] | None = None
        self._stops_at: float | None = None
        self._closing: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begins to look for people who have gone away."""
        self._looking = asyncio.ensure_future(self._look_on())

    @property
    def stops_in(self) -> float | None:
        """The seconds until the server stops, not less than 0; None while it does not."""
        return None if self._stops_at is None else max(0.0, self._stops_at - self._now())

    def drain(self, grace: float) -> None:
        """Seats nobody any more, and has all pages tell that the server stops in `grace` seconds."""
        if self._stops_at is None:
            self._stops_at = self._now() + grace
            for room in self._rooms.values():
                if room.seat.started is None and not room.over:
                    self._closing.append(asyncio.ensure_future(room.close(STOPS)))
                elif not room.over:
                    room.tell_again()

    async def close(self) -> None:
        """Empties all rooms; matches that still run are void: nobody could come back to them.

        Returns once no page is left that hears of its room, or after a few seconds. The key of a seat
        is in no file, so it ends with this process.
        """
        self.drain(0)
        if self._looking:
            self._looking.cancel()
        for ticket in self._tickets.values():
            self._door.call_off(ticket, "the server stopped before it was over")
        open_still = [self._ended(self._rooms[room_id]) for room_id in self._tickets]
        await asyncio.gather(*open_still, *self._closing)
        self._tickets.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._quiet.wait(), HEARING)

    async def _ended(self, room: Room) -> None:
        """Waits until a seat has heard how its match ended, and leaves it where it hears nothing."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL if room.seat.started else 0):
                while not room.over:
                    await room.change(room.seat.version)
        await room.close("the server stopped")

    def sit_down(self, name: str, wish: Wish, address: str) -> str:
        """Asks for a match, and returns the id of the room in which it is played.

        Raises `UsageError` for a name that cannot be, `CrowdedError` where there is no room, and
        `StoppingError` where the server stops.
        """
        if self._stops_at is not None:
            raise StoppingError(STOPS)
        house = self._household(address)
        busy = [room for room in self._rooms.values() if not room.over]
        if len(busy) >= self._most:
            raise CrowdedError("all tables for people are taken; come again in a while")
        if sum(room.address == house for room in busy) >= self._per_address:
            raise CrowdedError(
                f"{self._per_address} matches are played from your address; finish or leave one of them,"
                " each in the browser that began it"
            )
        ticket = self._door.admit(name)
        self._make_space()
        room_id = secrets.token_urlsafe(12)
        player = Player(Endpoint(ticket.address, ticket.token), wish)
        self._rooms[room_id] = Room(player, name, house, self._now())
        self._tickets[room_id] = ticket
        return room_id

    def room(self, room_id: str) -> Room | None:
        """Returns a room, and takes note of the sign of life; None for one that is not there."""
        room = self._rooms.get(room_id)
        if room:
            room.seen_at = self._now()
        return room

    def streaming(self, room_id: str, change: int) -> None:
        """Takes note that an event stream of a room was opened (1) or has ended (-1)."""
        room = self.room(room_id)
        if room:
            room.has_streamed = True
            self._streams[room_id] = self._streams.get(room_id, 0) + change
        self._open += change
        if self._open:
            self._quiet.clear()
        else:
            self._quiet.set()

    async def leave(self, room_id: str, why: str, note: str) -> None:
        """Gives up a seat; its match goes on without the person. What the page shows is kept for a while.

        `why` is for the log of the match, `note` for the person.
        """
        room = self._rooms[room_id]
        await room.close(note, given_up=True)
        self._dismiss(room_id, why)

    async def look(self) -> None:
        """Gives up the seats of people who have gone away, and forgets the results that nobody looks at."""
        now = self._now()
        for room_id, room in tuple(self._rooms.items()):
            if self._streams.get(room_id, 0) > 0:
                room.seen_at = now
            silent = now - room.seen_at
            if room.over:
                self._dismiss(room_id, "the match is over")
                if silent >= KEPT:
                    self._forget(room_id)
            elif silent >= self._away + (0 if room.has_streamed else self._turn):
                await self.leave(room_id, "the person went away", "you were away for too long")

    async def _look_on(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            await self.look()

    def _dismiss(self, room_id: str, why: str) -> None:
        ticket = self._tickets.pop(room_id, None)
        if ticket is not None:
            self._door.dismiss(ticket, why)

    def _make_space(self) -> None:
        over = sorted((room.seen_at, room_id) for room_id, room in self._rooms.items() if room.over)
        for _, room_id in over[: max(0, len(self._rooms) - MOST_KEPT + 1)]:
            self._dismiss(room_id, "the match is over")
            self._forget(room_id)

    def _forget(self, room_id: str) -> None:
        self._rooms.pop(room_id, None)
        self._streams.pop(room_id, None)
