"""Where spectators sit: lets them in, and sends to each what may be told, in a task of its own.

A match that is played wakes no spectator. Each looks by itself whether there is more to tell, the
less often the more there are, so that all of them together never take more than a small share of
the time in which matches are played.
"""

import asyncio
import contextlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

import grpc

from referee.replay.reader import parse, read
from referee.server.logbook import find_log, is_sealed
from referee.server.reads.desk import Desk, Write, in_time
from referee.server.reads.shelf import SEALED, UNKNOWN
from referee.server.refusal import Refusal, not_found
from referee.server.watch import message
from referee.server.watch.past import Past, past
from referee.server.watch.show import Show
from referee.server.watch.telling import BEGINNING, Group, Position

if TYPE_CHECKING:
    from referee.server.host import Host
    from referee.server.live import LiveMatch


MESSAGES: Final = 50
"""How many messages a second are sent to all spectators of a server together, up to 75 of them."""
_SOONEST, _LATEST = 0.05, 1.5
"""How long a spectator waits before it looks again, in seconds, however few or many there are."""

_READS: Final = 3
"""How often the log of a match is read for one spectator, while more is told meanwhile than is kept."""
_FAST: Final = "the match goes on faster than its log is read here; come back later"
_SLOW: Final = "this spectator does not read what it is sent"


class Spectator(NamedTuple):
    """Who watches: the address from which the call came, and how to send something there."""

    address: str
    write: Write


class _Screening(NamedTuple):
    show: Show
    loaded: "asyncio.Future[None]"


class Gallery:
    """All spectators of one server."""

    def __init__(self, host: "Host", desk: Desk) -> None:
        self._host = host
        self._desk = desk
        self._seats: Counter[str] = Counter()
        """Spectators by match id."""
        self._parties: Counter[str] = Counter()
        """Spectators by address."""
        self._screenings: dict[str, _Screening] = {}

    async def watch(self, match_id: str, event_id: int, spectator: Spectator) -> None:
        """Tells a match to a spectator, from after event `event_id` if that is not 0, to its end.

        Raises `Refusal` for a match that is not shown, and for a spectator who is not let in, or does
        not read.
        """
        write = in_time(spectator.write, self._host.config.limits.write, _SLOW)
        with self._seat(match_id, spectator.address):
            live = self._host.matches.get(match_id)
            if live:
                await self._follow(live, event_id, write)
            else:
                await self._tell_ended(match_id, event_id, write)

    @contextlib.contextmanager
    def _seat(self, match_id: str, address: str) -> Iterator[None]:
        if full := self._full(match_id, address):
            raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{full} as many spectators as it may")
        self._seats[match_id] += 1
        self._parties[address] += 1
        try:
            yield
        finally:
            self._parties -= Counter((address,))
            self._seats[match_id] -= 1
            if not self._seats[match_id]:
                del self._seats[match_id]
                self._take_down(match_id)

    def _full(self, match_id: str, address: str) -> str:
        """Says what has no place for another spectator; nothing where there is one."""
        limits = self._host.config.limits
        if self._parties[address] >= limits.spectators_per_address:
            return "your address has"
        if self._seats[match_id] >= limits.spectators_per_match:
            return "this match has"
        return "this server has" if self._seats.total() >= limits.spectators else ""

    # A match that is played

    async def _follow(self, live: "LiveMatch", event_id: int, write: Write) -> None:
        setup, delay = live.match.setup, self._host.config.watch_delay
        if setup.block:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, SEALED)
        show = await self._screen(live)
        at, start, groups = await self._begin(live, show, event_id)
        await write(message.started(setup, start, delay))
        await self._send(message.after(groups, event_id), write)
        while True:
            # All three of one moment: the match may end while something is sent.
            told, over, gone = show.after(at), show.over, live.ended.done()
            if told is None:
                raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, _SLOW)
            await self._send(told, write)
            at += len(told)
            if over:
                await write(message.ended(setup, show.end, show.void))
                return
            if show.problem:
                raise Refusal(grpc.StatusCode.INTERNAL, show.problem)
            if gone:
                raise Refusal(grpc.StatusCode.UNAVAILABLE, "the match does not go on here; come back later")
            await asyncio.sleep(self._pause())

    def _pause(self) -> float:
        return min(_LATEST, max(_SOONEST, self._seats.total() / MESSAGES))

    async def _screen(self, live: "LiveMatch") -> Show:
        """Returns the show of a match; the first spectator has it begun, from the log."""
        match_id = live.match.setup.match_id
        if live.show is None:
            delay, keep = self._host.config.watch_delay, self._host.config.limits.spectator_bytes
            show = live.show = Show(live.match, live.codec.event_count, delay, keep)
            loading = self._load(show, _Page.of(live))  # the log as it is now, where the show begins
            self._screenings[match_id] = _Screening(show, asyncio.ensure_future(loading))
        screening = self._screenings[match_id]
        await asyncio.shield(screening.loaded)
        return screening.show

    async def _load(self, show: Show, page: "_Page") -> None:
        show.begin(*await self._read(page, show.telling))

    def _take_down(self, match_id: str) -> None:
        self._screenings.pop(match_id, None)
        live = self._host.matches.get(match_id)
        if live:
            live.show = None
            live.codec.table = b""

    async def _begin(
        self, live: "LiveMatch", show: Show, event_id: int
    ) -> tuple[int, Position, Sequence[Group]]:
        """Returns the place from which the show goes on, the first position, and what is told in between."""
        found = show.place(event_id)
        if found:
            at, start = found
            told = show.after(at) or ()
            return at + len(told), start, told
        for _ in range(_READS):
            at, _start = show.place() or (0, BEGINNING)
            telling = inf if show.over else show.telling
            before = await self._read(_Page.of(live), telling, event_id)
            if show.after(at) is not None:
                return at, before.start, [group for group in before.groups if group.ply <= telling]
        raise Refusal(grpc.StatusCode.UNAVAILABLE, _FAST)

    async def _read(self, page: "_Page", ply: float, event_id: int = 0) -> Past:
        with page.file:
            return await self._desk.at_once(lambda: past(parse(page.file.read(page.size)), ply, event_id))

    # A match that is over

    async def _tell_ended(self, match_id: str, event_id: int, write: Write) -> None:
        path = find_log(self._host.config.data, match_id)
        if path is None:
            raise not_found(UNKNOWN)
        if is_sealed(path):
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, SEALED)
        log = await self._desk.at_once(lambda: read(path))
        before = await self._desk.at_once(lambda: past(log, event_id=event_id))
        await write(message.started(log.setup, before.start, self._host.config.watch_delay))
        await self._send(message.after(before.groups, event_id), write)
        await write(message.ended(log.setup, log.end))

    # Both

    async def _send(self, groups: Sequence[Group], write: Write) -> None:
        for data in message.joined(groups, self._host.config.limits.response_bytes):
            await write(data)


class _Page(NamedTuple):
    """The log of a running match as it was at a moment, whatever is added to it, and however it is called."""

    file: BinaryIO
    size: int

    @classmethod
    def of(cls, live: "LiveMatch") -> "_Page":
        """Returns what the log holds now."""
        file = live.writer.path.open("rb")
        return cls(file, os.fstat(file.fileno()).st_size)
