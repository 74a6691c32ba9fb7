"""The continuous ladder: who sits down together of those who wait, near in rating and soon enough.

Those who have waited longest choose first. A bot takes the nearest in rating within a width that
grows while it waits, prefers those whom it has not met lately, and never one of its own owner. After
a stated wait house bots fill the seats that are left, and after a stated patience anybody is near.

No bot starves. As soon as a place is free, whoever has waited for `house_after` sits down where there
are house bots for all other seats. Without them, whoever has waited for `patience` sits at the next
table that can be made, after those alone who have waited longer: any table that others could make
could hold it too. So with n bots, nobody sits down later than at the n-th table after its patience.
Nobody holds more than `share` of all tables, so bots that are slow cannot take them all.

Times are whole microseconds on any clock; ratings are means of the rating model.
"""

import random
from bisect import bisect_left, bisect_right
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from referee.errors import UsageError
from referee.tournament.seating import Seating

SECOND = 1_000_000
"""Microseconds in a second."""

NEWCOMER = 25.0
"""The rating of a bot that has none yet."""

_REMEMBERED = 32
"""Matches with each opponent are remembered for so many sittings of a bot."""
_BOTS = 10_000
"""The bots whose seats and opponents are remembered, those who sat last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A bot in the pool, all its instances taken together.

    Attributes:
        bot: its id.
        rating: the mean of its rating; None before its first rated match.
        since: when it began to wait for its next match: when it came, or last sat down.
        free: how many matches it can begin now.
        playing: how many it plays at present.
    """

    bot: str
    owner: str
    since: int
    rating: float | None = None
    free: int = 1
    playing: int = 0


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A house bot that may fill a seat. Each id sits once at a table, and at any number of tables."""

    bot: str
    rating: float = NEWCOMER


@dataclass(frozen=True, slots=True, kw_only=True)
class Matchmaking:
    """The rules by which a ladder makes tables.

    Attributes:
        places: how many tables may run at once.
        share: the largest part of them that one bot may hold, above 0 and at most 1; it may always
            hold one.
        near: how far apart ratings may be at once.
        widen: how much further per second of waiting.
        patience: after which wait anybody is near enough.
        house: who may fill seats.
        house_after: after which wait they do.
        repeat: how much of a distance in rating each match of late with an opponent weighs.
    """

    seats: int
    places: int
    share: float = 0.5
    near: float = 4.0
    widen: float = 0.25
    patience: int = 60 * SECOND
    house: tuple[HouseBot, ...] = ()
    house_after: int = 20 * SECOND
    repeat: float = 1.0

    def check(self) -> None:
        """Raises `UsageError` for rules by which nobody would ever play."""
        if self.seats < 2 or self.places < 1:
            raise UsageError(f"{self.places} tables of {self.seats} seats are no ladder")
        if not 0 < self.share <= 1:
            raise UsageError(f"share {self.share:g} is not above 0 and at most 1")
        if min(self.near, self.widen, self.patience, self.house_after, self.repeat) < 0:
            raise UsageError("near, widen, patience, house_after and repeat cannot be below 0")
        if len({house.bot for house in self.house}) < len(self.house):
            raise UsageError("a house bot is named twice; each sits once at a table")

    def width(self, waited: int) -> float:
        """Returns how far in rating a bot looks that has waited so long."""
        return float("inf") if waited >= self.patience else self.near + self.widen * waited / SECOND


def most(share: float, places: int) -> int:
    """Returns how many of all places one bot may hold at once: its share rounded down, at least one."""
    return max(1, int(share * places + 1e-9))


class Matchmaker:
    """Makes tables and remembers, for the bots that sat last, their seats and opponents of late."""

    def __init__(self, rules: Matchmaking, seed: int = 0) -> None:
        rules.check()
        self.rules = rules
        self._rng = random.Random(seed)  # noqa: S311 - breaks ties between equals, and is no secret
        self._seating = Seating()
        self._met: OrderedDict[str, deque[tuple[str, ...]]] = OrderedDict()

    def tables(self, pool: Iterable[Waiting], running: int, now: int) -> list[tuple[str, ...]]:
        """Returns the tables that are to begin now, each with the bot of every seat.

        `running` is the number of tables at present. Those who are returned count as seated: the next
        call expects a pool in which they play.
        """
        bots = list(pool)
        # Those who began to wait together choose in an order by chance: else the last ones of a list
        # would always be left to each other.
        self._rng.shuffle(bots)
        party = _Pool(bots, most(self.rules.share, self.rules.places))
        made: list[tuple[str, ...]] = []
        while running + len(made) < self.rules.places:
            table = next(filter(None, (self._table(bot, party, now) for bot in party.waiting())), None)
            if table is None:
                break
            party.take(table)
            made.append(self._sit_down(table))
        return made

    def again(self, pool: Iterable[Waiting], running: int, now: int) -> int | None:
        """Returns when to look again although nothing else has changed, or None for never.

        It is asked after `tables`, with the pool and the number of tables that came of that.
        """
        waiting = _Pool(pool, most(self.rules.share, self.rules.places)).waiting()
        owners = len({bot.owner for bot in waiting})
        if running >= self.rules.places or not waiting or not self._can_fill(owners):
            return None
        due = [bot.since + self.rules.house_after for bot in waiting if self.rules.house]
        if owners > 1:
            due.append(now + SECOND)
        return min((time for time in due if time > now), default=None)

    def _table(self, first: Waiting, pool: "_Pool", now: int) -> tuple[str, ...] | None:
        """Returns who sits down with the one who chooses, or None if it has to wait."""
        waited = now - first.since
        party = [first.bot]
        owners = {first.owner}
        for other in self._by_liking(first, pool.near(first, self.rules.width(waited)), now):
            if other.owner not in owners and len(party) < self.rules.seats:
                party.append(other.bot)
                owners.add(other.owner)
        if len(party) < self.rules.seats:
            if waited < self.rules.house_after or not self._can_fill(len(party)):
                return None
            party += self._house(first, self.rules.seats - len(party))
        return tuple(party)

    def _by_liking(self, first: Waiting, near: Iterable[Waiting], now: int) -> list[Waiting]:
        """Returns those who are near: who is out of patience first, then by what lies between."""
        met = Counter(bot for sitting in self._met.get(first.bot, ()) for bot in sitting)

        def liking(other: Waiting) -> tuple[bool, float, int]:
            patient = now - other.since < self.rules.patience
            return patient, _apart(first, other) + self.rules.repeat * met[other.bot], other.since

        return sorted(near, key=liking)

    def _can_fill(self, bots: int) -> bool:
        return bots + len(self.rules.house) >= self.rules.seats

    def _house(self, first: Waiting, count: int) -> list[str]:
        """Returns the house bots nearest in rating."""
        near = sorted(self.rules.house, key=lambda house: abs(house.rating - _rating(first)))
        return [house.bot for house in near[:count]]

    def _sit_down(self, party: tuple[str, ...]) -> tuple[str, ...]:
        order = list(party)
        self._rng.shuffle(order)
        table = self._seating.seat(order)
        for bot in table:
            self._met.setdefault(bot, deque(maxlen=_REMEMBERED)).append(
                tuple(other for other in table if other != bot)
            )
            self._met.move_to_end(bot)
        while len(self._met) > _BOTS:
            self._seating.forget(self._met.popitem(last=False)[0])
        return table


class _Pool:
    """Those who may still sit down in one call; whoever is seated goes to the end of the queue."""

    def __init__(self, pool: Iterable[Waiting], most_tables: int) -> None:
        bots = sorted(pool, key=lambda bot: bot.since)
        self._left = {bot.bot: min(bot.free, most_tables - bot.playing) for bot in bots}
        self._queue = {bot.bot: bot for bot in bots if self._left[bot.bot] > 0}
        self._by_rating = sorted(self._queue.values(), key=_rating)

    def waiting(self) -> list[Waiting]:
        """Returns who may sit down, the longest waiting first."""
        return list(self._queue.values())

    def near(self, first: Waiting, width: float) -> list[Waiting]:
        """Returns the others who may sit down and are no further away in rating than `width`."""
        low = bisect_left(self._by_rating, _rating(first) - width, key=_rating)
        high = bisect_right(self._by_rating, _rating(first) + width, key=_rating)
        return [bot for bot in self._by_rating[low:high] if bot.bot in self._queue and bot is not first]

    def take(self, table: tuple[str, ...]) -> None:
        """Seats the bots of a table."""
        for name in table:
            bot = self._queue.pop(name, None)
            if bot is not None:
                self._left[name] -= 1
                if self._left[name] > 0:
                    self._queue[name] = bot


def _rating(bot: Waiting) -> float:
    return NEWCOMER if bot.rating is None else bot.rating


def _apart(one: Waiting, other: Waiting) -> float:
    return abs(_rating(one) - _rating(other))
