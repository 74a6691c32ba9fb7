"""The tables and leaderboards as they are now, folded anew where something has changed."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from referee.match.config import SECOND
from referee.store import tables
from referee.store.decision_log import DECISIONS, TOURNAMENTS
from referee.store.store import Store
from referee.store.tables import Folded
from referee.tournament.leaderboard import Leaderboard
from referee.tournament.standings import Standings, TableKey

if TYPE_CHECKING:
    from referee.server.index import Index

_SHARE: Final = 10
"""How many times as long as a fold took no other one is made: folding never takes more than a tenth of
the time, however many matches end and however often somebody asks."""
_PATIENCE: Final = SECOND
"""How long who asks waits for a fold that may not be made yet; where it takes longer the last one is
given."""

Stamp: TypeAlias = tuple[object, ...]


class Board:
    """Keeps the last fold; whoever asks while one is made shares it."""

    def __init__(self, index: "Index", data: Path, now: Callable[[], int]) -> None:
        """`now` is a clock in microseconds."""
        self._index = index
        self._data = data
        self._now = now
        self._stamp: Stamp = ()
        self._folded = Folded()
        self._renewal: asyncio.Future[None] | None = None
        self._next = 0
        """When another fold may be made."""

    async def tables(self) -> tuple[Standings, ...]:
        """Returns all tables in the order of `order`: those of all matches, and of each tournament or run."""
        return (await self._now_folded()).standings

    async def leaderboards(self) -> tuple[Leaderboard, ...]:
        """Returns all leaderboards in the order of `order`."""
        return (await self._now_folded()).leaderboards

    async def _now_folded(self) -> Folded:
        if self._renewal is None or self._renewal.done():
            self._renewal = asyncio.ensure_future(self._renew())
        await asyncio.shield(self._renewal)
        return self._folded

    async def _renew(self) -> None:
        stamp = await self._index.read(self._look)
        left = self._next - self._now()
        if stamp == self._stamp or (self._stamp and left > _PATIENCE):
            return
        await asyncio.sleep(max(0, left) / SECOND)
        began = self._now()
        self._stamp, self._folded = await self._index.read(self._fold)
        self._next = self._now() + _SHARE * (self._now() - began)

    def _look(self, store: Store) -> Stamp:
        """Returns numbers that change with what the tables are made of."""
        decisions = sorted((self._data / TOURNAMENTS).glob(f"*/{DECISIONS}"))
        sizes = ((path.parent.name, path.stat().st_size, path.stat().st_mtime_ns) for path in decisions)
        return (*store.fingerprint(), *sizes)

    def _fold(self, store: Store) -> tuple[Stamp, Folded]:
        stamp = self._look(store)
        found = tables.everything(store, tables.decided(self._data))
        return stamp, Folded(
            tuple(sorted(found.standings, key=lambda table: order(table.key))),
            tuple(sorted(found.leaderboards, key=lambda board: order(board.key))),
        )


def order(key: TableKey) -> tuple[str, ...]:
    """Returns the place of a table in lists: by tournament, game, rules version and options."""
    return (*key[:3], str(key))
