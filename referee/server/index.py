"""The server's side of the store: looks tokens up, and keeps results in the background."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import structlog

from referee.errors import RefereeError
from referee.server.auth import Identity
from referee.store.bots import Bot
from referee.store.log_result import read_result
from referee.store.store import Store

T = TypeVar("T")

_log = structlog.get_logger("referee.index")


class Index:
    """Results go in one after another on a thread of their own; the logs are the truth meanwhile."""

    def __init__(self, store: Store, data: Path) -> None:
        self._store = store
        self._data = data
        self._thread = ThreadPoolExecutor(1, "index")
        self._pending: set[asyncio.Future[bool]] = set()
        self._behind = False

    def identify(self, token: str) -> Identity | None:
        """Returns whom a token stands for, None for an unknown or revoked one."""
        bot = self._store.bot_by_token(token)
        return _identity(bot) if bot else None

    async def registered(self) -> frozenset[Identity]:
        """Returns all registered bots that may play now."""
        bots = await asyncio.get_running_loop().run_in_executor(self._thread, self._store.list_bots)
        return frozenset(_identity(bot) for bot in bots if bot.revoked is None)

    async def ask(self, work: Callable[[Store], T]) -> T:
        """Does some work with the store on the thread of the index, and returns what comes of it."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, self._store)

    def add(self, path: Path) -> None:
        """Takes the log of a finished match."""
        self._run(lambda: self._store.add_result(read_result(self._data, path)))

    def sync(self) -> None:
        """Takes all finished logs that are not in the store yet."""
        self._run(lambda: self._store.sync(self._data))

    def catch_up(self) -> None:
        """Tries once more what could not be kept, for example while the database was gone."""
        if self._behind and not self._pending:
            self._behind = False
            self.sync()

    async def settled(self) -> None:
        """Returns when all that was taken so far is in the store."""
        if self._pending:
            await asyncio.wait(tuple(self._pending))

    async def close(self) -> None:
        """Finishes what was taken and closes the store."""
        await self.settled()
        self._thread.shutdown()
        self._store.close()

    def _run(self, work: Callable[[], object]) -> None:
        task: asyncio.Future[bool] = asyncio.get_running_loop().run_in_executor(self._thread, _logged, work)
        self._pending.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Future[bool]) -> None:
        self._pending.discard(task)
        self._behind |= not task.result()


def _identity(bot: Bot) -> Identity:
    return Identity(bot.bot_id, bot.name, bot.owner, bot.created)


def _logged(work: Callable[[], object]) -> bool:
    """Does the work and says whether it could; the logs stay complete, so that a `sync` makes up for it."""
    try:
        work()
    except RefereeError as error:
        _log.error("a result was not indexed", problem=str(error))
    except Exception:  # noqa: BLE001  a result that is not indexed costs no match
        _log.exception("a result was not indexed")
    else:
        return True
    return False
