"""The server's side of the store: looks tokens up, and keeps results in the background."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

import structlog

from referee.errors import RefereeError, StoreUnavailableError
from referee.server.auth import Identity
from referee.store.bots import Bot
from referee.store.log_result import read_result
from referee.store.store import Store

T = TypeVar("T")

_log = structlog.get_logger("referee.index")
_MOST_WAITING: Final = 1000
"""How many results may wait to be kept; what comes above that is found by a later `sync`."""
_LOOK_UP: Final = 5.0
"""How many seconds the database may take to tell whose a token is."""


class Index:
    """Results go in one after another on a thread of their own; the logs are the truth meanwhile.

    While the database cannot be used nothing waits in memory: a later `sync` finds in the logs what
    it lacks. `told` hears once in words when that begins, and once when it is over.
    """

    def __init__(self, store: Store, data: Path, told: Callable[[str], None] = lambda _: None) -> None:
        self._store = store
        self._data = data
        self._told = told
        self._thread = ThreadPoolExecutor(1, "index")
        self._doorman = ThreadPoolExecutor(1, "register")
        self._readers = ThreadPoolExecutor(1, "reads")
        self._pending: set[asyncio.Future[StoreUnavailableError | None]] = set()
        self._behind = False
        self._away = False

    @property
    def store(self) -> Store:
        """The store, for those who have a thread of their own."""
        return self._store

    async def identify(self, token: str) -> Identity | None:
        """Returns whom a token stands for, None for an unknown or revoked one.

        Raises `StoreUnavailableError` when the database does not tell in time.
        """
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(_LOOK_UP):
                bot = await loop.run_in_executor(self._doorman, self._store.bot_by_token, token)
        except TimeoutError:
            raise StoreUnavailableError("the register of bots did not answer in time") from None
        return _identity(bot) if bot else None

    def bot_ids(self) -> frozenset[str]:
        """Returns the ids of all registered bots that may play, read at once: for the start only."""
        return frozenset(bot.bot_id for bot in self._store.list_bots() if bot.revoked is None)

    async def registered(self) -> frozenset[Identity] | None:
        """Returns all registered bots that may play now, None while the database cannot be used."""
        try:
            bots = await self.ask(lambda store: store.list_bots())
        except StoreUnavailableError as error:
            self._lost(error)
            return None
        return frozenset(_identity(bot) for bot in bots if bot.revoked is None)

    async def ask(self, work: Callable[[Store], T]) -> T:
        """Does some work with the store on the thread of the index, and returns what comes of it."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, self._store)

    async def read(self, work: Callable[[Store], T]) -> T:
        """Reads from the store, all that was taken so far included, on a thread that no result waits for."""
        await self.settled()
        return await asyncio.get_running_loop().run_in_executor(self._readers, work, self._store)

    def add(self, path: Path) -> None:
        """Takes the log of a finished match."""
        if self._behind or len(self._pending) >= _MOST_WAITING:
            self._behind = True
        else:
            self._run(lambda: self._store.add_result(read_result(self._data, path)))

    def sync(self) -> None:
        """Takes all finished logs that are not in the store yet."""
        self._behind = False
        self._run(lambda: _tell_refused(self._store.sync(self._data).refused))

    def catch_up(self) -> None:
        """Tries once more what could not be kept, for example while the database was gone."""
        if self._behind and not self._pending:
            self.sync()

    async def settled(self) -> None:
        """Returns when all that was taken so far is in the store, or waits for a later `sync`."""
        if self._pending:
            await asyncio.wait(tuple(self._pending))

    async def close(self) -> None:
        """Finishes what was taken and closes the store."""
        await self.settled()
        self._thread.shutdown()
        self._doorman.shutdown()
        self._readers.shutdown()
        self._store.close()

    def _run(self, work: Callable[[], object]) -> None:
        task = asyncio.get_running_loop().run_in_executor(self._thread, _logged, work)
        self._pending.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Future[StoreUnavailableError | None]) -> None:
        self._pending.discard(task)
        trouble = task.result()
        if trouble:
            self._lost(trouble)
        elif self._away:
            self._away = False
            _log.info("the database can be used again")
            self._told("the database can be used again")

    def _lost(self, error: StoreUnavailableError) -> None:
        """Takes note that the database cannot be used, and says so once."""
        self._behind = True
        if not self._away:
            self._away = True
            _log.error("the database cannot be used; results wait in the logs", problem=str(error))
            self._told(f"{error}; play goes on, and results wait in the logs")


def _identity(bot: Bot) -> Identity:
    return Identity(bot.bot_id, bot.name, bot.owner, bot.created)


def _tell_refused(refused: tuple[str, ...]) -> None:
    if refused:
        _log.warning("logs were left out of the index", count=len(refused), first=refused[0])


def _logged(work: Callable[[], object]) -> StoreUnavailableError | None:
    """Does the work and returns why the database cannot do it now, if that is so."""
    try:
        work()
    except StoreUnavailableError as error:
        return error
    except OSError as error:  # for example where the process has no descriptor left
        return StoreUnavailableError(f"a log cannot be read: {error}")
    except RefereeError as error:
        _log.error("a result was not indexed", problem=str(error))
    except Exception:  # noqa: BLE001  a result that is not indexed costs no match
        _log.exception("a result was not indexed")
    return None
