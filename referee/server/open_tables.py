"""Open tables: who sits down together without being asked for."""

import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from referee.server.config import ArenaConfig, OpenTable
from referee.server.member import Member

if TYPE_CHECKING:
    from referee.server.live import LiveMatch

_dice = secrets.SystemRandom()


class Tables(Protocol):
    """Who seats bots that nobody asked for."""

    def fill(self, members: Collection[Member]) -> int | None:
        """Seats those who can be; returns when to look again if nothing changes, None for not at all."""

    def bench(self, bot_id: str, until: int) -> None:
        """Leaves a bot that was not ready in time out for a while, however it returns."""


class OpenTables:
    """The open tables of an arena; they take turns, so that no game takes the bots of all others."""

    def __init__(
        self,
        config: ArenaConfig,
        now: Callable[[], int],
        open_table: "Callable[[int, Sequence[Member]], LiveMatch | None]",
    ) -> None:
        self._tables = config.tables
        self._patience = config.table_wait
        self._now = now
        self._open_table = open_table
        self._turns = list(range(len(config.tables)))
        """The tables by their numbers, the one that was opened longest ago first."""
        self._benched: dict[str, int] = {}
        """Until when a bot is left out, all its instances."""

    def bench(self, bot_id: str, until: int) -> None:
        """Leaves a bot that was not ready in time out for a while, however it returns."""
        self._benched[bot_id] = until

    def fill(self, members: Collection[Member]) -> int | None:
        """Seats those who wait, the longest waiting first; returns when to look again if nothing changes.

        A table of which it is the turn waits a while for those of its bots that still play elsewhere:
        another one, which needs fewer, could else have them for ever.
        """
        at = 0
        while at < len(self._turns):
            number = self._turns[at]
            party = self._party(self._tables[number], members)
            if party and self._open_table(number, party):
                self._turns.append(self._turns.pop(at))
                at = 0
                continue
            again = None if party else self._worth_waiting(self._tables[number], members)
            if again is not None:
                return again
            at += 1
        return None

    def _party(self, table: OpenTable, members: Iterable[Member]) -> list[Member]:
        """Returns those who sit down now in the order of their seats, or nobody."""
        free = [member for member in members if member.is_free(table.game) and not self._is_benched(member)]
        party = _of_different_owners(sorted(free, key=lambda member: member.waiting_since), table.size())
        _dice.shuffle(party)
        return party

    def _worth_waiting(self, table: OpenTable, members: Iterable[Member]) -> int | None:
        """Returns until when a table waits for bots that are here and play; None if it does not."""
        here = [member for member in members if member.plays(table.game) and not self._is_benched(member)]
        free = [member.waiting_since for member in here if member.is_free(table.game)]
        if not free or not _of_different_owners(here, table.size()):
            return None
        until = min(free) + self._patience
        return until if self._now() < until else None

    def _is_benched(self, member: Member) -> bool:
        until = self._benched.get(member.identity.bot_id)
        if until is not None and until <= self._now():
            del self._benched[member.identity.bot_id]
            until = None
        return until is not None


def _of_different_owners(members: Iterable[Member], size: int) -> list[Member]:
    """Returns the first members of as many different owners, or none at all."""
    by_owner: dict[str, Member] = {}
    for member in members:
        by_owner.setdefault(member.identity.owner, member)
    party = list(by_owner.values())[:size]
    return party if len(party) == size else []
