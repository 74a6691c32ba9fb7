"""Who waits in a ladder, as its matchmaking takes them, and the next table that is to be made.

Games take turns. Where the game whose turn it is has too few bots that are free and enough that are
here, those who wait for it are kept for a while from tables of other games, which need fewer.
"""

import secrets
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Protocol, TypeAlias

from referee.match.config import SECOND
from referee.server.house.house import House, house_id
from referee.server.ladder.config import LadderConfig
from referee.server.ladder.keeper import Keeper, line
from referee.server.member import Member
from referee.tournament.matchmaking import NEWCOMER, HouseBot, Matchmaker, Waiting

KEPT: int = 10 * SECOND
"""How long bots are kept for the game whose turn it is."""

Free: TypeAlias = Mapping[str, list[Member]]
"""The instances of each bot that can be seated, those with the fewest matches first."""


class Sat(Protocol):
    """A running match of the ladder."""

    @property
    def members(self) -> tuple[Member, ...]:
        """Who sits there."""


class Pool:
    """The matchmaking of one ladder, for all its games.

    Attributes:
        again: when to look again if nothing else changes, after the last call of `party`; or None.
    """

    def __init__(self, config: LadderConfig, house: House, keeper: Keeper) -> None:
        self.again: int | None = None
        self._config = config
        self._house = house
        self._keeper = keeper
        self._makers = [
            Matchmaker(config.rules(table.size()), secrets.randbits(32)) for table in config.tables
        ]
        self._turns = list(range(len(config.tables)))
        """The games by their numbers, the one that was played longest ago first."""
        self._benched: dict[str, int] = {}
        self._sat: dict[str, int] = {}
        """When each bot sat down last, for those who are here."""

    def bench(self, bot_id: str, until: int) -> None:
        """Leaves a bot out for a while, all its instances."""
        self._benched[bot_id] = until

    def party(
        self, members: Collection[Member], running: Iterable[Sat], now: int
    ) -> tuple[int, list[Member]] | None:
        """Returns the game and the members by seat of a table that is to begin now, or None."""
        self._forget(members, now)
        playing = Counter(member.identity.bot_id for sat in running for member in sat.members)
        kept: set[str] = set()
        self.again = None
        for number in tuple(self._turns):
            free = self._free(self._config.tables[number].game, members, kept)
            pool = self._waiting(number, free, playing)
            found = self._table(number, pool, free, now)
            if found:
                self._turns.remove(number)
                self._turns.append(number)
                return number, found
            self._look_again(self._makers[number].again(pool, self._config.concurrency - 1, now))
            kept |= self._keep(number, pool, members, now)
        return None

    def _table(self, number: int, pool: list[Waiting], free: Free, now: int) -> list[Member] | None:
        maker, table = self._makers[number], self._config.tables[number]
        house = {bot.bot: bot for bot in self._house_bots(table.game)}
        maker.rules = self._config.rules(table.size(), tuple(house.values()))
        made = next(iter(maker.tables(pool, self._config.concurrency - 1, now)), None)
        if made is None:
            return None
        self._sat.update(dict.fromkeys(made, now))
        return [self._instance(bot, free, table.game) for bot in made]

    def _instance(self, bot: str, free: Free, game: str) -> Member:
        return free[bot][0] if bot in free else self._house.free(bot.partition("/")[0], game)[0]

    def _house_bots(self, game: str) -> Iterable[HouseBot]:
        for level in self._config.house.levels:
            if self._house.free(level, game):
                rating = self._keeper.rating(line(game, house_id(level), "", self._house.ids))
                yield HouseBot(house_id(level), rating.mean if rating else NEWCOMER)

    def _free(self, game: str, members: Iterable[Member], kept: Collection[str]) -> Free:
        free: defaultdict[str, list[Member]] = defaultdict(list)
        for member in members:
            bot = member.identity.bot_id
            if bot not in self._house.ids and member.is_free(game) and bot not in kept:
                free[bot].append(member)
        for instances in free.values():
            instances.sort(key=lambda member: len(member.seats))
        return {bot: instances for bot, instances in free.items() if bot not in self._benched}

    def _waiting(self, number: int, free: Free, playing: Counter[str]) -> list[Waiting]:
        game = self._config.tables[number].game
        return [
            Waiting(
                bot=bot,
                owner=instances[0].identity.owner,
                since=max(min(m.waiting_since for m in instances), self._sat.get(bot, 0)),
                rating=self._rating(game, instances[0]),
                free=sum(m.introduction.matches_at_once - len(m.seats) for m in instances),
                playing=playing[bot],
            )
            for bot, instances in free.items()
        ]

    def _rating(self, game: str, member: Member) -> float | None:
        bot, version = member.identity.bot_id, member.introduction.version
        rating = self._keeper.rating(line(game, bot, version, self._house.ids))
        return rating.mean if rating else None

    def _keep(self, number: int, pool: list[Waiting], members: Iterable[Member], now: int) -> set[str]:
        """Returns who is kept for a game: those who wait for it, while others of its bots play elsewhere."""
        table = self._config.tables[number]
        bots = [m for m in members if m.identity.bot_id not in self._house.ids and m.plays(table.game)]
        owners = {member.identity.owner for member in bots}
        lately = {bot.bot: bot.since + KEPT for bot in pool if bot.since + KEPT > now}
        if len(self._turns) == 1 or not lately or len(owners) < table.size() or len(pool) >= len(owners):
            return set()
        self._look_again(min(lately.values()))
        return set(lately)

    def _look_again(self, at: int | None) -> None:
        if at is not None and (self.again is None or at < self.again):
            self.again = at

    def _forget(self, members: Iterable[Member], now: int) -> None:
        """Forgets who is benched no more, and who has gone."""
        for bot in [bot for bot, until in self._benched.items() if until <= now]:
            del self._benched[bot]
        here = {member.identity.bot_id for member in members}
        if len(self._sat) > 2 * len(here):
            self._sat = {bot: at for bot, at in self._sat.items() if bot in here}
