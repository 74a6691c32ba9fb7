"""What stands behind an arena: its house bots, its ladder, and the operator's service."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from referee import games
from referee.match.config import SECOND
from referee.server.admin.service import AdminServer, Served
from referee.server.config import ArenaConfig
from referee.server.house.house import House
from referee.server.house.people import People
from referee.server.house.practice import Offer, Practice
from referee.server.ladder.ladder import Ladder

if TYPE_CHECKING:
    from referee.server.host import Host
    from referee.server.index import Index

OUTPUT = "output"
"""The folder under the data root for what house bots print."""


class Backstage:
    """Comes up in steps between those of the arena's own start, and goes down in one.

    `ladder` is None where there is none, `practice` where there are no house bots, and both before
    `listen`; `people` where no people are seated, and before `open`.
    """

    def __init__(self, config: ArenaConfig, wall: Callable[[], int]) -> None:
        self.ladder: Ladder | None = None
        self.practice: Practice | None = None
        self.people: People | None = None
        self._config = config
        self._house = _house_of(config, wall)
        self._admin: AdminServer | None = None
        self._host: Host

    @property
    def bot_ids(self) -> frozenset[str]:
        """The ids of the house bots that dial in here."""
        return self._house.ids if self._house else frozenset()

    @property
    def launches(self) -> bool:
        """Says whether house bots dial in here."""
        return self._house is not None and bool(self._house.levels)

    async def prepare(self) -> None:
        """Starts what has to run before gRPC is used; raises `LaunchError` where it cannot."""
        if self._house and self.launches:
            await self._house.start()

    async def listen(self, host: "Host", index: "Index", drain: Callable[[int | None], int]) -> None:
        """Starts the operator's service; raises `UsageError` where another server runs for the folder."""
        config, self._host = self._config, host
        if config.ladder is not None and self._house is not None:
            self.ladder = Ladder(host, index, config, config.ladder, self._house)
        if self._house is not None:
            bots = (
                Offer.to_bots(config.ladder.practice, config.ladder.tables)
                if config.ladder
                else Offer.to_bots(config.practice, config.tables)
            )
            self.practice = Practice(host, self._house, bots, Offer.to_people(config.people), self._closed)
        if config.admin is not None:
            served = Served(host=host, index=index, ladder=self.ladder, practice=self.practice, drain=drain)
            self._admin = AdminServer(served, config.admin)
            await self._admin.start()

    async def open(self, address: str) -> None:
        """Has house bots dial in at `address`, and starts the ladder and practice.

        Raises `RefereeError` for a ladder whose record cannot be read.
        """
        if self._house:
            self._house.open(self._host, address)
        if self.practice:
            self.practice.open()
        if self._config.people:
            self.people = People(self._host, address, self._config.people)
        if self.ladder:
            await self.ladder.open()

    async def close(self) -> None:
        """Ends what is there; to be called when no match runs any more."""
        if self._admin:
            await self._admin.refuse()
        if self.practice:
            self.practice.close()
        if self.ladder:
            await self.ladder.close()
        if self._house:
            await self._house.close()
        if self._admin:
            await self._admin.stop()

    def _closed(self, bot: str) -> str:
        """Says why no match against house bots is started now for a bot; nothing if one may be."""
        if self.ladder:
            return self.ladder.closed(bot)
        if self._host.failed or self._host.lobby.draining:
            return "the server starts no matches now"
        return ""


def _house_of(config: ArenaConfig, wall: Callable[[], int]) -> House | None:
    """Returns the house bots of a server; on a ladder one process of each level is always there."""
    ladder, people = config.ladder, config.people.levels if config.people else ()
    if ladder is not None:
        outputs = config.data / OUTPUT / f"{ladder.name}-{wall() // SECOND}"
        levels = (*ladder.house.levels, *ladder.practice.levels, *people)
        return House(outputs, ladder.tables[0].game, levels, ladder.house.matches, standing=1)
    levels = (*(config.practice.levels if config.practice else ()), *people)
    if not levels:
        return None
    return House(config.data / OUTPUT / f"house-{wall() // SECOND}", games.names()[0], levels, _MATCHES)


_MATCHES: Final = 16
"""How many matches a process of a house bot plays at a time, where no ladder says so."""
