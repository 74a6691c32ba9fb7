"""The tables of standings as they are now, folded anew where something has changed."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from referee.store import tables
from referee.store.decision_log import DECISIONS, TOURNAMENTS
from referee.store.store import Store
from referee.tournament.standings import Standings

if TYPE_CHECKING:
    from referee.server.index import Index

_SHARE: Final = 10
"""How many times as long as a fold took nobody has another one made: folding never takes more than a
tenth of the time, however many matches end and however often somebody asks."""

Stamp: TypeAlias = tuple[object, ...]


class Board:
    """Keeps the last fold; whoever asks while one is made shares it."""

    def __init__(self, index: "Index", data: Path, now: Callable[[], int]) -> None:
        """`now` is a clock in microseconds."""
        self._index = index
        self._data = data
        self._now = now
        self._stamp: Stamp = ()
        self._tables: tuple[Standings, ...] = ()
        self._fold: asyncio.Future[None] | None = None
        self._fresh_until = 0

    async def tables(self) -> tuple[Standings, ...]:
        """Returns all tables, by tournament, game, rules version and options."""
        if self._fold is None and (not self._stamp or self._now() >= self._fresh_until):
            self._fold = asyncio.ensure_future(self._renew())
            self._fold.add_done_callback(self._folded)
        if self._fold:
            await asyncio.shield(self._fold)
        return self._tables

    def _folded(self, _fold: "asyncio.Future[None]") -> None:
        self._fold = None

    async def _renew(self) -> None:
        await self._index.settled()
        began = self._now()
        found = await self._index.read(lambda store: _folded(store, self._data, self._stamp))
        if found:
            self._stamp, self._tables = found
        self._fresh_until = self._now() + _SHARE * (self._now() - began)


def _folded(store: Store, data: Path, known: Stamp) -> tuple[Stamp, tuple[Standings, ...]] | None:
    """Returns the tables and what they were made of, or None where that is what is known."""
    decisions = sorted((data / TOURNAMENTS).glob(f"*/{DECISIONS}"))
    sizes = tuple((path.parent.name, path.stat().st_size, path.stat().st_mtime_ns) for path in decisions)
    stamp = (store.fingerprint(), sizes)
    if stamp == known:
        return None
    found = tables.tables(store, tables.decided(data))
    return stamp, tuple(sorted(found, key=lambda table: (*table.key[:3], str(table.key))))
