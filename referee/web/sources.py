"""What the site asks of the server, as far as it has to know; the server does not know the site."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from referee.person.seat import Answer, Seat, Wish
from referee.store.store import Store
from referee.tournament.leaderboard import Leaderboard
from referee.tournament.standings import Standings
from referee.v1 import arena_service_pb2, match_pb2
from referee.web.contest import Contest, Scheduled

T = TypeVar("T")
Write: TypeAlias = Callable[[bytes], Awaitable[None]]


class NotShown(Exception):  # noqa: N818  it is an answer, and nothing went wrong
    """Says in one line why something is not shown; `status` is one of HTTP."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class Room(Protocol):
    """One person's seat."""

    @property
    def name(self) -> str:
        """What the person is called."""

    @property
    def key(self) -> str:
        """What proves that a browser is this person's; it stands in a cookie and on no page."""

    @property
    def form(self) -> str:
        """What proves that a form is from a page of this room."""

    @property
    def seat(self) -> Seat:
        """What is known of the match."""

    @property
    def left(self) -> float:
        """The seconds that are left for the open turn."""

    @property
    def over(self) -> bool:
        """Whether nothing follows in this room."""

    def opens(self, key: str) -> bool:
        """Says whether a key is that of this room."""

    def made(self, form: str) -> bool:
        """Says whether a form is from a page of this room."""

    async def answer(self, turn_id: int, answer: Answer) -> bool:
        """Answers a turn; says whether it was open still."""

    async def change(self, version: int) -> None:
        """Returns when there is something newer than a version of the seat."""


class Rooms(Protocol):
    """The seats that people hold on the site."""

    @property
    def levels(self) -> tuple[str, ...]:
        """The house bots that there are."""

    @property
    def stops_in(self) -> float | None:
        """The seconds until the server stops; None while it does not."""

    def sit_down(self, name: str, wish: Wish, address: str) -> str:
        """Asks for a match, and returns the id of its room; raises `RefereeError` where there is none."""

    def room(self, room_id: str) -> Room | None:
        """Returns a room, and takes note of the sign of life; None for one that is not there."""

    def streaming(self, room_id: str, change: int) -> None:
        """Takes note that an event stream of a room was opened (1) or has ended (-1)."""

    async def leave(self, room_id: str, why: str, note: str) -> None:
        """Gives up a seat; its match goes on without the person, who is told `note`."""


class Sources(Protocol):
    """The server behind a site."""

    @property
    def rooms(self) -> Rooms | None:
        """The seats of people; None where none are seated."""

    @property
    def data(self) -> Path:
        """The data root, with the logs of finished matches under it."""

    @property
    def public(self) -> bool:
        """Whether pages are shown to somebody without the token of a bot."""

    @property
    def busy(self) -> bool:
        """Whether matches are played now."""

    def household(self, address: str) -> str:
        """Returns what counts as one with an address, for all that one address may do."""

    def incident(self, what: str) -> str:
        """Tells the operator of the exception that is being handled; returns what others may know of it."""

    async def admits(self, token: str, address: str) -> bool:
        """Says whether a token is that of a bot; raises `NotShown` where that cannot be told."""

    async def tables(self) -> tuple[Standings, ...]:
        """Returns all tables of standings as they are now."""

    async def leaderboards(self) -> tuple[Leaderboard, ...]:
        """Returns all leaderboards of challenges as they are now."""

    async def contests(self) -> Sequence[str]:
        """Returns tournaments, ladders and round robins, the one where something happened last first."""

    async def contest(self, name: str) -> Contest:
        """Returns what there is to tell of one of them; raises `NotShown` for one that there is not."""

    async def schedule(self, name: str, first: int, count: int) -> Sequence[Scheduled]:
        """Returns at most `count` of its pairings from number `first` on, as far as they are known."""

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
