"""The real referee of a check, with the partners that sit at its tables; it can stop and come back."""

import asyncio
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, Final

from referee.check.partners import NAMES, Partners
from referee.server.app import Arena
from referee.server.config import ArenaConfig
from referee.server.request import MatchOutcome
from referee.store.store import Store

_OWNER: Final = "check"


class Venue:
    """A server on the loopback interface with a data folder of its own.

    Bots are registered there, so that their tokens hold over a restart.
    """

    def __init__(self, folder: Path, bots: Sequence[str]) -> None:
        self.address = ""
        self.arena = Arena(self._config(folder))
        self._folder = folder
        self._names = tuple(bots)
        self._tokens: dict[str, str] = {}
        self._partners = Partners()

    async def start(self) -> None:
        """Starts the server and the partners."""
        if not self._tokens:
            with Store.under(self._folder, None) as store:
                self._tokens = {name: store.add_bot(name, _OWNER) for name in (*self._names, *NAMES)}
        self.address = await self.arena.start()
        self._partners.start(self.address, [self._tokens[name] for name in NAMES])

    async def stop(self) -> None:
        """Stops the server at once; its matches are left for the next start."""
        await self.arena.stop(0)
        await self._partners.stop()

    async def restart(self) -> list[Coroutine[Any, Any, MatchOutcome]]:
        """Starts the server again; returns what to await for the outcome of each match that goes on."""
        self.arena = Arena(self._config(self._folder))
        await self.start()
        return [outcome for _, outcome in self.arena.resumed()]

    async def close(self) -> None:
        """Stops the server for good."""
        await asyncio.shield(self.stop())

    def token(self, bot: str) -> str:
        """Returns the token of a bot."""
        return self._tokens[bot]

    @staticmethod
    def _config(folder: Path) -> ArenaConfig:
        return ArenaConfig(data=folder, recover=True)
