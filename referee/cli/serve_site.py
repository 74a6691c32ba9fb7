"""The site of `referee serve`: where it listens, and what it learns of the arena."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import grpc

from referee.cli.serve_contests import Contests
from referee.errors import UsageError
from referee.match.config import SECOND
from referee.person.rooms import Rooms
from referee.server import logs, peers
from referee.server.auth import Refused
from referee.server.config import LOOPBACK, ArenaConfig
from referee.server.house.people import People
from referee.server.reads import arena as matches
from referee.server.reads import describe, shelf
from referee.server.refusal import Refusal
from referee.server.watch.gallery import Spectator
from referee.v1 import arena_service_pb2 as pb
from referee.v1 import match_pb2
from referee.web.contest import Contest, Scheduled
from referee.web.listener import Listener
from referee.web.proxies import Proxies
from referee.web.serve import web_server
from referee.web.sources import NotShown, Write

if TYPE_CHECKING:
    from referee.server.app import Arena
    from referee.server.services import Reads
    from referee.store.store import Store
    from referee.tournament.leaderboard import Leaderboard
    from referee.tournament.standings import Standings

T = TypeVar("T")

_STATUS: Final = {
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.FAILED_PRECONDITION: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNAVAILABLE: 503,
}
"""What a refusal of a call is on the site; 500 for others."""


class Place(NamedTuple):
    """Where a site listens, and whom it believes there."""

    listener: Listener
    proxies: Proxies

    @classmethod
    def listen(cls, text: str, proxies: str, config: ArenaConfig) -> "Place":
        """Listens on `[HOST:]PORT` for what comes from anybody, or from proxies; raises `UsageError`."""
        believed, tls = Proxies.parse(proxies), config.tls
        files = (tls.certificate, tls.key) if tls else None
        return cls(Listener(*place(text, config), files), believed)


class ArenaSite:
    """The site of a started arena, with the people who play on it; `url` is what a person opens."""

    def __init__(self, arena: "Arena", place: Place) -> None:
        self._rooms = rooms_of(arena.people) if arena.people else None
        self._web = web_server(ArenaSources(arena.reads, self._rooms), *place)
        self.url = place.listener.url

    def start(self) -> None:
        """Begins to answer."""
        self._web.start()
        if self._rooms:
            self._rooms.start()

    def drain(self, grace: float) -> None:
        """Seats nobody any more, and tells those who play that the server stops in `grace` seconds."""
        if self._rooms:
            self._rooms.drain(grace)

    async def stop(self) -> None:
        """Ends what people play and then what it answers, and returns when nothing is left."""
        if self._rooms:
            await self._rooms.close()
        await self._web.stop()


def rooms_of(people: People) -> Rooms:
    """Returns the rooms for the people of a server."""
    rules = people.rules
    return Rooms(
        people,
        rules.levels,
        most=rules.matches,
        per_address=rules.per_address,
        away=rules.away / SECOND,
        turn=rules.time_control.base / SECOND,
        now=time.monotonic,
        household=_household,
    )


def place(text: str, config: ArenaConfig) -> tuple[str, int]:
    """Returns host and port of `[HOST:]PORT`; raises `UsageError` for others, and plain text to the world."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or config.host
    if not port.isdecimal() or int(port) > _LAST_PORT:
        raise UsageError(f"--http {text}: give PORT or HOST:PORT, for example --http 8080")
    if host not in LOOPBACK and config.tls is None and not config.insecure:
        raise UsageError(
            f"--http {text}: {host} is not loopback: give --tls-cert and --tls-key, or say --insecure "
            "to send the site in plain text"
        )
    return host, int(port)


_LAST_PORT: Final = 65535


class ArenaSources:
    """Tells the site of an arena what it asks, by way of the answers of the read services."""

    def __init__(self, reads: "Reads", rooms: Rooms | None) -> None:
        if reads.board is None or reads.host.index is None:
            raise UsageError("a server that keeps no results has no site")
        self.rooms = rooms
        self._reads = reads
        self._host = reads.host
        self._board = reads.board
        self._index = reads.host.index
        self._contests = Contests(reads.host)
        self.data: Path = reads.host.config.data
        self.public: bool = reads.host.config.public

    def household(self, address: str) -> str:
        """Returns what counts as one with an address."""
        return _household(address)

    def incident(self, what: str) -> str:
        """Logs the exception that is being handled."""
        return logs.incident(what)

    @property
    def busy(self) -> bool:
        """Whether matches are played now."""
        return bool(self._host.matches)

    async def admits(self, token: str, address: str) -> bool:
        """Says whether a token is that of a bot."""
        metadata = (("authorization", f"Bearer {token}"),)
        found = await self._host.auth.identify(metadata, f"ipv4:{address}:0")
        if isinstance(found, Refused):
            if found.code == grpc.StatusCode.UNAUTHENTICATED:
                return False
            raise NotShown(_STATUS.get(found.code, 500), found.text)
        return True

    async def tables(self) -> "tuple[Standings, ...]":
        """Returns all tables of standings as they are now."""
        return await self._board.tables()

    async def leaderboards(self) -> "tuple[Leaderboard, ...]":
        """Returns all leaderboards of challenges as they are now."""
        return await self._board.leaderboards()

    async def contests(self) -> list[str]:
        """Returns tournaments, ladders and round robins, the one where something happened last first."""
        return await self._index.read(lambda _: self._contests.names())

    async def contest(self, name: str) -> Contest:
        """Returns what there is to tell of one of them."""
        return await self._index.read(lambda store: self._contests.read(name, store.list_bots))

    async def schedule(self, name: str, first: int, count: int) -> list[Scheduled]:
        """Returns pairings of one of them from number `first` on."""
        return await self._index.read(
            lambda store: self._contests.schedule(name, store.list_bots, first, count)
        )

    async def read(self, work: "Callable[[Store], T]") -> T:
        """Does some reading in the store, on a thread of its own, and returns what comes of it."""
        return await self._index.read(work)

    async def matches(self, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
        """Returns a page of matches, the newest first."""
        try:
            return await matches.list_matches(self._host, request)
        except Refusal as refusal:
            raise _not_shown(refusal) from None

    async def match(self, match_id: str) -> match_pb2.Match:
        """Returns one match, running or ended."""
        try:
            return (await matches.get_match(self._host, pb.GetMatchRequest(match_id=match_id))).match
        except Refusal as refusal:
            raise _not_shown(refusal) from None

    def running(self) -> Sequence[match_pb2.Match]:
        """Returns the matches that are played now, the newest first."""
        live = sorted(self._host.matches.values(), key=lambda one: -one.match.setup.created)
        return [describe.running(one.match) for one in live]

    def log(self, match_id: str) -> Path:
        """Returns the log of a match that has ended and may be read."""
        try:
            return shelf.readable(self.data, match_id)
        except Refusal as refusal:
            raise _not_shown(refusal) from None

    async def watch(self, match_id: str, event_id: int, address: str, write: Write) -> None:
        """Writes a match as a spectator hears it to its end."""
        try:
            await self._reads.gallery.watch(match_id, event_id, Spectator(_household(address), write))
        except Refusal as refusal:
            raise _not_shown(refusal) from None


def _household(host: str) -> str:
    """Returns what counts as one address, as for those who call by gRPC."""
    return peers.address(f"ipv6:[{host}]:0" if ":" in host else f"ipv4:{host}:0")


def _not_shown(refusal: Refusal) -> NotShown:
    return NotShown(_STATUS.get(refusal.code, 500), refusal.text)
