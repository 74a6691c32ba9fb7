"""What stands behind an arena: its ladder with the house bots, and the operator's service."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from referee.match.config import SECOND
from referee.server.admin.service import AdminServer, Served
from referee.server.config import ArenaConfig
from referee.server.ladder.house import House
from referee.server.ladder.ladder import Ladder

if TYPE_CHECKING:
    from referee.server.host import Host
    from referee.server.index import Index

OUTPUT = "output"
"""The folder under the data root for what house bots print."""


class Backstage:
    """Comes up in steps between those of the arena's own start, and goes down in one.

    `ladder` is None where there is none, or before `listen`.
    """

    def __init__(self, config: ArenaConfig, wall: Callable[[], int]) -> None:
        self.ladder: Ladder | None = None
        self._config = config
        self._house: House | None = None
        self._admin: AdminServer | None = None
        ladder = config.ladder
        if ladder is not None:
            outputs = config.data / OUTPUT / f"{ladder.name}-{wall() // SECOND}"
            levels = (*ladder.house.levels, *ladder.practice.levels)
            self._house = House(outputs, ladder.tables[0].game, levels, ladder.house.matches)

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
        if self._config.ladder is not None and self._house is not None:
            self.ladder = Ladder(host, index, self._config, self._config.ladder, self._house)
        if self._config.admin is not None:
            served = Served(host=host, index=index, ladder=self.ladder, drain=drain)
            self._admin = AdminServer(served, self._config.admin)
            await self._admin.start()

    async def open(self, address: str) -> None:
        """Has house bots dial in at `address`, and starts the ladder.

        Raises `RefereeError` for a ladder whose record cannot be read.
        """
        if self.ladder:
            self.ladder.house.open(self.ladder.host, address)
            await self.ladder.open()

    async def close(self) -> None:
        """Ends what is there; to be called when no match runs any more."""
        if self._admin:
            await self._admin.refuse()
        if self.ladder:
            await self.ladder.close()
        if self._house:
            await self._house.close()
        if self._admin:
            await self._admin.stop()
