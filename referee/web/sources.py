"""What the site asks of the server, as far as it has to know; the server does not know the site."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from referee.store.store import Store
from referee.tournament.leaderboard import Leaderboard
from referee.tournament.standings import Standings
from referee.v1 import arena_service_pb2, match_pb2

T = TypeVar("T")
Write: TypeAlias = Callable[[bytes], Awaitable[None]]


class NotShown(Exception):  # noqa: N818  it is an answer, and nothing went wrong
    """Says in one line why something is not shown; `status` is one of HTTP."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class Sources(Protocol):
    """The server behind a site."""

    @property
    def data(self) -> Path:
        """The data root, with the logs of finished matches under it."""

    @property
    def public(self) -> bool:
        """Whether pages are shown to somebody without the token of a bot."""

    @property
    def busy(self) -> bool:
        """Whether matches are played now."""

    async def admits(self, token: str, address: str) -> bool:
        """Says whether a token is that of a bot; raises `NotShown` where that cannot be told."""

    async def tables(self) -> tuple[Standings, ...]:
        """Returns all tables of standings as they are now."""

    async def leaderboards(self) -> tuple[Leaderboard, ...]:
        """Returns all leaderboards of challenges as they are now."""

    async def read(self, work: Callable[[Store], T]) -> T:
        """Does some reading in the store, on a thread of its own, and returns what comes of it."""

    async def matches(
        self, request: arena_service_pb2.ListMatchesRequest
    ) -> arena_service_pb2.ListMatchesResponse:
        """Returns a page of matches, the newest first; raises `NotShown` for what cannot be asked."""

    async def match(self, match_id: str) -> match_pb2.Match:
        """Returns one match, running or ended; raises `NotShown` for one that is not known."""

    def running(self) -> Sequence[match_pb2.Match]:
        """Returns the matches that are played now, the newest first."""

    def log(self, match_id: str) -> Path:
        """Returns the log of a match that has ended; raises `NotShown` for one that may not be read."""

    async def watch(self, match_id: str, event_id: int, address: str, write: Write) -> None:
        """Writes a match as a spectator hears it, `WatchMatchResponse` after the other, to its end.

        Begins after event `event_id` if that is not 0. Raises `NotShown` for a match that is not shown,
        and for a spectator who has no place or does not read.
        """
