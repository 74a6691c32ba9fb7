"""Plays the tables of a round robin, several at once."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from referee.cli.interrupt import Interrupt
from referee.cli.runs import Progress, RoundRobin
from referee.engine.local import LocalArena
from referee.server.request import MatchOutcome, MatchRequest
from referee.tournament.pairing import Table
from referee.tournament.result import COUNTED

ATTEMPTS = 3
"""How often a pairing is tried before it stays unplayed."""


class Tally(msgspec.Struct):
    """What a run has come to so far; `unplayed` are reasons by pairing."""

    played: int = 0
    forfeited: int = 0
    replays: list[str] = msgspec.field(default_factory=list)
    unplayed: dict[str, str] = msgspec.field(default_factory=dict)


class Organiser:
    """Plays what is missing of a run, and says so after each table."""

    def __init__(
        self, plan: RoundRobin, local: LocalArena, before: Progress, told: Callable[[Tally], None]
    ) -> None:
        self.tally = Tally()
        self._plan = plan
        self._local = local
        self._before = before
        self._told = told
        self._missing = self._tables()
        self._stopping = False

    async def play(self, parallel: int, interrupt: Interrupt) -> None:
        """Plays all missing tables, or until an interrupt; running matches are void then."""
        work = asyncio.create_task(self._work(parallel))
        if await interrupt.finished(work):
            await work
            return
        self._stopping = True
        work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work

    async def _work(self, parallel: int) -> None:
        """Plays several tables at once; whatever ends it, no match of it runs afterwards."""
        workers = [asyncio.create_task(self._play_tables()) for _ in range(parallel)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    def _tables(self) -> Iterator[Table]:
        return (table for table in self._plan.tables() if self._plan.pairing(table) not in self._before.done)

    async def _play_tables(self) -> None:
        for table in self._missing:
            if self._stopping:
                return
            self._count(table, await self._try(table))
            self._told(self.tally)

    async def _try(self, table: Table) -> MatchOutcome:
        """Plays a table, again where an attempt was spoiled and its bots may still come."""
        pairing = self._plan.pairing(table)
        before = self._before.tried[pairing]
        attempt = 0
        while True:
            attempt += 1
            outcome = await self._local.play(self._request(table, pairing, before + attempt))
            hopeless = self._local.gone.intersection(outcome.missing)
            if outcome.termination in COUNTED or hopeless or attempt >= ATTEMPTS:
                return outcome

    def _request(self, table: Table, pairing: str, attempt: int) -> MatchRequest:
        return MatchRequest(
            game=self._plan.game,
            options=self._plan.options,
            bots=table.seats,
            seed=self._plan.deals(table),
            pairing_id=pairing,
            attempt=attempt,
            time_control=self._plan.time_control,
            rated=self._plan.rated(table),
        )

    def _count(self, table: Table, outcome: MatchOutcome) -> None:
        if outcome.termination not in COUNTED:
            reason = outcome.note or outcome.termination.replace("_", " ")
            self.tally.unplayed[self._plan.pairing(table)] = reason
            return
        self.tally.played += 1
        self.tally.forfeited += outcome.end is not None and any(
            place.forfeited for place in outcome.end.places
        )
        if outcome.replay:
            self.tally.replays.append(str(Path(outcome.replay)))
