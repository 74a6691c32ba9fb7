"""Puts the bots of one round into tables: like scores together, and opponents that have not met yet.

From the best down, each table takes the nearest bots that cost the fewest repeats. Where some are left,
bots of such tables change places with others as long as that makes repeats fewer, the nearest in score
first; some random changes then lead out of what no single change can better. Tables without repeats
stay as they are near. In small fields this finds the fewest repeats that there can be (tests compare it
with a search through all tables); in large ones there are hardly ever any.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import comb

_TRIES = 30
"""How often random changes are tried where repeats are left."""
_CHANGES = 3
"""How many changes are made at random before the search goes on."""
_NEVER = 1_000_000
"""The cost of two bots that may not sit together: more than any repeats."""


class Grouping:
    """Makes tables of bots in the order of their scores.

    `met` says how often two bots have met, and `parties` who may not sit together. No party may have
    more bots than there are tables. The seed decides which changes are tried at random.
    """

    def __init__(
        self, seats: int, met: Mapping[frozenset[str], int], parties: Mapping[str, str], seed: int = 0
    ) -> None:
        self._seats = seats
        self._met = met
        self._parties = parties
        self._rng = random.Random(seed)  # noqa: S311 - repeatable by intent, and no secret
        self._place: dict[str, int] = {}
        self._least = 0

    def tables(self, order: Sequence[str]) -> list[tuple[str, ...]]:
        """Returns the tables, the one with the best bot first, each from the best down."""
        self._place = {bot: place for place, bot in enumerate(order)}
        # What all pairs have in common cannot be bettered.
        fewest = min((self._met.get(frozenset(two), 0) for two in combinations(order, 2)), default=0)
        self._least = fewest * comb(self._seats, 2)
        best = self._first(order)
        self._better(best)
        for _ in range(_TRIES):
            if all(self.cost(table) == self._least for table in best):
                break
            changed = [list(table) for table in best]
            self._shake(changed)
            self._better(changed)
            if sum(map(self.cost, changed)) < sum(map(self.cost, best)):
                best = changed
        made = [tuple(sorted(table, key=self._place.__getitem__)) for table in best]
        return sorted(made, key=lambda table: self._place[table[0]])

    def cost(self, table: Sequence[str]) -> int:
        """Returns how often the bots of a table have met, in pairs."""
        return sum(self._pair(one, other) for one, other in combinations(table, 2))

    def _pair(self, one: str, other: str) -> int:
        if self._parties[one] == self._parties[other]:
            return _NEVER
        return self._met.get(frozenset((one, other)), 0)

    def _first(self, order: Sequence[str]) -> list[list[str]]:
        """Returns tables that hold no two of one party, filled from the best down."""
        left = list(order)
        sizes = Counter(self._parties[bot] for bot in order)
        tables: list[list[str]] = []
        while left:
            # A party with a bot for each table that is still to be filled has to sit at every one.
            due = {party for party, size in sizes.items() if size * self._seats == len(left)}
            table = [left.pop(0)]
            while len(table) < self._seats:
                due -= {self._parties[bot] for bot in table}
                must = len(due) == self._seats - len(table)
                bots = [bot for bot in left if self._parties[bot] in due] if must else left
                chosen = self._nearest(bots, table)
                left.remove(chosen)
                table.append(chosen)
            sizes.subtract(self._parties[bot] for bot in table)
            tables.append(table)
        return tables

    def _nearest(self, bots: Sequence[str], table: Sequence[str]) -> str:
        """Returns the first of the bots that suit a table best."""
        best, least = bots[0], _NEVER * self._seats
        for bot in bots:
            cost = sum(self._pair(bot, other) for other in table)
            if cost < least:
                best, least = bot, cost
            if not cost:
                break
        return best

    def _better(self, tables: list[list[str]]) -> None:
        """Changes bots between tables as long as that makes repeats fewer."""
        changed = True
        while changed:
            changed = False
            for table in tables:
                if self.cost(table) > self._least:
                    changed = self._change(table, tables) or changed

    def _change(self, table: list[str], tables: Sequence[list[str]]) -> bool:
        """Makes the change that saves most to a table, if any does; the nearest of several."""
        found = min(self._changes(table, tables), key=lambda change: change[:2], default=None)
        if found is None:
            return False
        _, _, seat, other, place = found
        table[seat], other[place] = other[place], table[seat]
        return True

    def _changes(
        self, table: list[str], tables: Sequence[list[str]]
    ) -> Iterator[tuple[int, int, int, list[str], int]]:
        """Yields the changes that save repeats: how much less they cost, how far they go, what they are."""
        for seat, bot in enumerate(table):
            rest = [one for one in table if one != bot]
            saved = sum(self._pair(bot, one) for one in rest)
            for other in tables:
                for place, guest in enumerate(other if other is not table else ()):
                    more = sum(self._pair(guest, one) for one in rest) - saved
                    more += sum(
                        self._pair(bot, one) - self._pair(guest, one) for one in other if one != guest
                    )
                    if more < 0:
                        yield more, abs(self._place[bot] - self._place[guest]), seat, other, place

    def _shake(self, tables: list[list[str]]) -> None:
        for _ in range(_CHANGES):
            one, other = self._rng.choice(tables), self._rng.choice(tables)
            seat, place = self._rng.randrange(self._seats), self._rng.randrange(self._seats)
            one[seat], other[place] = other[place], one[seat]
