"""A ladder: seats whoever waits, writes what became of it, and does what the operator says.

A pairing is one table of bots with a number that no other pairing of the ladder ever has. A match
that counted is accepted; one that was spoiled by no fault of its bots is played again by the same
bots, a few times; anything else gives the pairing up, and its bots are matched anew.
"""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import structlog

from referee.errors import RefereeError, UsageError
from referee.match.config import Setup
from referee.server.config import ArenaConfig
from referee.server.house.house import House
from referee.server.ladder.config import LadderConfig
from referee.server.ladder.freezer import Freezer
from referee.server.ladder.keeper import RESTARTED, Keeper, line
from referee.server.ladder.pool import Pool
from referee.server.ladder.sitting import Sitting, number_of, taken_up
from referee.server.ladder.versions import Versions
from referee.server.live import LiveMatch
from referee.server.member import Member
from referee.server.request import MatchRequest, with_names
from referee.store.decided import check_news
from referee.store.decision_log import decisions_path
from referee.tournament.decision import (
    Accepted,
    Decision,
    Disqualified,
    Opened,
    Rulings,
    Unplayed,
    Voided,
    Withdrawn,
)
from referee.tournament.result import COUNTED

if TYPE_CHECKING:
    from referee.server.host import Host
    from referee.server.index import Index

CHORES_EVERY: Final = 5.0
"""Seconds between two looks for what others decided."""

_log = structlog.get_logger("referee.ladder")


class Ladder:
    """The ladder of one server.

    Attributes:
        rulings: who is away, and what was made void.
        accepted: how many pairings counted since the server was started.
        unplayed: how many were given up since then.
        begun: whether what an earlier server left was taken up.
    """

    def __init__(
        self, host: "Host", index: "Index", arena: ArenaConfig, config: LadderConfig, house: House
    ) -> None:
        self.config = config
        self.house = house
        self.rulings = Rulings()
        self.accepted = self.unplayed = 0
        self.running: dict[str, Sitting] = {}
        self.host = host
        self._index = index
        folder = decisions_path(arena.data, config.name).parent
        self._freezer = Freezer(folder)
        self._keeper = Keeper(arena.data, config.name, self._told, self._failed)
        self._versions = Versions(config.versions, house.ids, host.wall, self._keeper.decide)
        self._pool = Pool(config, house, self._keeper)
        self._spoiled: list[Sitting] = []
        self._ruling = asyncio.Lock()
        self._number = 0
        self.begun = False
        self._chores: asyncio.TimerHandle | None = None

    # Life

    async def open(self) -> None:
        """Takes up what an earlier server left, and begins to seat bots."""
        host = self.host
        self.running = taken_up(host.matches, self.config)
        host.lobby.admit = self._versions.admit
        host.lobby.tables = self
        host.on_over.append(self._over)
        playing = frozenset(sitting.pairing_id for sitting in self.running.values())
        await self._index.settled()
        opened = Opened(at=host.wall(), tournament=self.config.name, file=self.config.digest)
        begun = await self._keeper.begin(opened, self._index.store, self.house.ids, playing)
        self.rulings = begun.rulings
        self._versions.know(begun.versions)
        for decision in begun.news:
            self._told(decision)
        self._number = max(begun.last, *map(number_of, playing), 0)
        for pairing_id in sorted(begun.left):
            self._give_up(pairing_id, RESTARTED, ())
        self.begun = True
        self._do_chores()
        host.lobby.changed()

    async def close(self) -> None:
        """Writes what is left to write; the house bots end by themselves."""
        if self._chores:
            self._chores.cancel()
        await self._keeper.close()

    def _do_chores(self) -> None:
        self._chores = asyncio.get_running_loop().call_later(CHORES_EVERY, self._do_chores)
        self._keeper.look()
        self.host.lobby.changed()

    # What the operator does

    @property
    def frozen(self) -> str:
        """Why no matches are started until it is unfrozen; empty while they are."""
        return self._freezer.note

    def freeze(self, why: str) -> None:
        """Starts no more matches, over a restart too; raises `LogWriteError` where that cannot be kept."""
        self._freezer.freeze(why)
        _log.info("the ladder is frozen", why=why)

    def unfreeze(self) -> None:
        """Starts matches again; raises `LogWriteError`."""
        self._freezer.unfreeze()
        _log.info("the ladder is frozen no more")
        self.host.lobby.changed()

    async def rule(self, decision: Decision) -> None:
        """Returns when a decision is on disk and heeded; raises `RefereeError` where it cannot be written.

        One that holds already is refused with `DecidedError`, and not written again.
        """
        async with self._ruling:
            check_news(self.rulings, decision)
            await self._keeper.decided(decision)

    def _told(self, decision: Decision) -> None:
        """Heeds a decision, whoever wrote it."""
        self.rulings.take(decision)
        _log.info("decided", decision=type(decision).__name__.lower(), **_named(decision))
        if isinstance(decision, Voided):
            self._void(decision.match_id, decision.why)
        elif isinstance(decision, Withdrawn | Disqualified):
            self.host.lobby.remove(decision.bot, f"{decision.bot} was taken out of the ladder")
        if isinstance(decision, Disqualified):
            for match_id, sitting in tuple(self.running.items()):
                if any(member.identity.bot_id == decision.bot for member in sitting.members):
                    self._void(match_id, f"{decision.bot} was disqualified")
        self.host.lobby.changed()

    def _void(self, match_id: str, why: str) -> None:
        if match_id in self.running:
            self.running[match_id] = replace(self.running[match_id], last=True)
            self.host.matches[match_id].void(why, self.host.runner.now())

    def _failed(self, problem: str) -> None:
        self.host.fail(f"the decisions of the ladder cannot be written: {problem}")

    # Who sits down

    def fill(self, members: Collection[Member]) -> int | None:
        """Seats those who wait; see `Tables.fill`."""
        if self.frozen or not self.begun:
            return None  # what was spoiled waits, too
        spoiled, self._spoiled = self._spoiled, []
        for sitting in spoiled:
            self._play_again(sitting)
        if self.closed():
            return None
        here = [member for member in members if self._may_play(member)]
        while len(self.running) < self.config.concurrency:
            party = self._pool.party(here, self.running.values(), self.host.runner.now())
            if party is None:
                return self._pool.again
            if self._open(Sitting(party[0], self._next(), 1, tuple(party[1]))) is None:
                break
        return None

    def bench(self, bot_id: str, until: int) -> None:
        """Leaves a bot that was not ready in time out for a while."""
        self._pool.bench(bot_id, until)

    def open_asked(self, request: MatchRequest, members: Sequence[Member]) -> LiveMatch:
        """Starts a match that the operator asked for, as a pairing of the ladder that is tried once.

        Raises `RefereeError` where it cannot be started.
        """
        if closed := self.closed():
            raise UsageError(closed)
        if away := self.away(member.identity.bot_id for member in members):
            raise UsageError(away)
        sitting = Sitting(None, self._next(), 1, tuple(members), last=True)
        live = self.host.open(replace(request, pairing_id=sitting.pairing_id), members)
        self.running[live.match.setup.match_id] = sitting
        return live

    def away(self, bots: Iterable[str]) -> str:
        """Says which of some bots gets no matches, and by which decision; nothing where all may play."""
        for bot in bots:
            if away := self.rulings.away(bot):
                return f"bot {bot} is {away}; `referee ladder resume {bot}` lets it play on"
        return ""

    def _next(self) -> str:
        """Returns the id of a new pairing."""
        self._number += 1
        return f"{self.config.name}/{self._number}"

    def _may_play(self, member: Member) -> bool:
        return self.rulings.plays(member.identity.bot_id)

    def closed(self, bot: str = "") -> str:
        """Says why no match is started now, with a bot if one is named; nothing if one may be."""
        if bot and (bot in self.rulings.disqualified or bot in self.rulings.withdrawn):
            return "this bot was taken out of the ladder"
        if self._freezer.note:
            return f"the ladder is frozen: {self._freezer.note}"
        if self.host.failed or self.host.lobby.draining or not self.begun:
            return "the server starts no matches now"
        return ""

    def _open(self, sitting: Sitting) -> LiveMatch | None:
        assert sitting.table is not None  # noqa: S101  whoever opens a table has one
        table = self.config.tables[sitting.table]
        request = MatchRequest(
            game=table.game,
            options=table.options,
            bots=tuple(member.identity.bot_id for member in sitting.members),
            pairing_id=sitting.pairing_id,
            attempt=sitting.attempt,
            tournament=self.config.name,
            anonymous=self.config.anonymous,
            rated=self.config.rated,
        )
        try:
            live = self.host.open(request, sitting.members)
        except RefereeError:
            return None  # logged when it happened; nothing more is started
        self.running[live.match.setup.match_id] = sitting
        return live

    def _play_again(self, sitting: Sitting) -> None:
        """Plays a spoiled pairing once more, if all its bots can sit down again."""
        here = self.host.lobby.members  # a bot that came back without a match is another member
        sitting = replace(sitting, members=tuple(here.get(m.key, m) for m in sitting.members))
        ready = sitting.table is not None and not self.closed()
        game = self.config.tables[sitting.table or 0].game
        if not ready or not all(m.is_free(game) and self._may_play(m) for m in sitting.members):
            self._give_up(sitting.pairing_id, "spoiled, and not all of its bots could play it again", ())
        elif self._open(sitting) is None:
            self._give_up(sitting.pairing_id, "spoiled, and could not be started again", ())

    # What becomes of a match

    def _over(self, live: LiveMatch) -> None:
        setup = live.match.setup
        sitting = self.running.pop(setup.match_id, None)
        end = live.match.end
        if sitting is None or end is None or live.failure == "log":
            return  # a match that was suspended goes on later; nothing follows from a log that is not whole
        if end.termination in COUNTED:
            self._accept(setup, {place.seat: place.rank for place in end.places})
        elif end.at_fault or sitting.last or sitting.attempt >= self.config.attempts:
            bots = [seat.name for seat in setup.seats]
            at_fault = tuple(setup.seats[seat].bot for seat in end.at_fault)
            self._give_up(setup.pairing_id, with_names(end.note, bots), at_fault)
        else:
            self._spoiled.append(replace(sitting, attempt=sitting.attempt + 1))

    def _accept(self, setup: Setup, ranks: dict[int, int]) -> None:
        self.accepted += 1
        ids = (setup.match_id,)
        self._keeper.decide(
            Accepted(at=self.host.wall(), pairing_id=setup.pairing_id, attempt=setup.attempt, match_ids=ids)
        )
        if setup.rated:
            seats = ((setup.seats[seat], rank) for seat, rank in ranks.items())
            house = self.house.ids
            self._keeper.rate({line(setup.game, s.bot, s.version, house): rank for s, rank in seats})

    def _give_up(self, pairing_id: str, why: str, at_fault: tuple[str, ...]) -> None:
        self.unplayed += 1
        self._keeper.decide(Unplayed(at=self.host.wall(), pairing_id=pairing_id, why=why, at_fault=at_fault))


def _named(decision: Decision) -> dict[str, str]:
    """Returns whom or what a decision is about, and why."""
    fields = ("bot", "match_id", "why")
    return {name: getattr(decision, name) for name in fields if hasattr(decision, name)}
