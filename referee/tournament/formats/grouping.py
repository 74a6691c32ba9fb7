"""Puts the bots of one round into tables: like scores together, and opponents that have not met yet.

From the best down, each bot gets the nearest below it that it may sit with; where the rest then cannot
be seated, the last choice is taken back. A table costs as many repeats as its bots have met before.
The search allows no repeat first, then one more each time, so that it finds the fewest that there can
be; among those the tables of the best are nearest. It is exact unless it has to look at more than
`STEPS` choices for one number of repeats, which small fields never need.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, count

STEPS = 20_000
"""How many choices are looked at before a search gives up and allows more repeats."""


class Grouping:
    """Makes tables of bots in the order of their scores.

    `met` says how often two bots have met, and `parties` who may not sit together. No party may have
    more bots than there are tables.
    """

    def __init__(self, seats: int, met: Mapping[frozenset[str], int], parties: Mapping[str, str]) -> None:
        self._seats = seats
        self._met = met
        self._parties = parties
        self._steps = 0

    def tables(self, order: Sequence[str]) -> tuple[list[tuple[str, ...]], int]:
        """Returns the tables, and how many repeats they cost."""
        # A cost that all pairs have in common is left out: each table has it whoever sits there.
        pairs = map(frozenset, combinations(order, 2))
        common = min((self._met.get(pair, 0) for pair in pairs), default=0)
        for repeats in count():
            for line in (order, order[::-1]):
                self._steps = STEPS
                found = self._search(line, repeats, common)
                if found is not None:
                    return found, repeats
        raise AssertionError

    def _search(self, order: Sequence[str], repeats: int, common: int) -> list[tuple[str, ...]] | None:
        """Returns tables with no more repeats than that, or None if there are none or it takes too long."""
        left = {0: (tuple(order), repeats)}
        chosen: list[tuple[str, ...]] = []
        choices = [self._choices(tuple(order), repeats, common)]
        while choices and self._steps > 0:
            table, cost = next(choices[-1], ((), 0))
            if not table:
                choices.pop()
                chosen = chosen[: len(choices) - 1]
                continue
            bots, allowed = left[len(choices) - 1]
            rest = tuple(bot for bot in bots if bot not in table)
            chosen = [*chosen[: len(choices) - 1], table]
            if not rest:
                return chosen
            left[len(choices)] = rest, allowed - cost
            choices.append(self._choices(rest, allowed - cost, common))
        return None

    def _choices(
        self, bots: tuple[str, ...], repeats: int, common: int
    ) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yields the tables of the first bot, the nearest first, that leave the rest to be seated."""
        most = len(bots) // self._seats - 1

        def further(table: tuple[str, ...], after: int, cost: int) -> Iterator[tuple[tuple[str, ...], int]]:
            self._steps -= 1
            if len(table) == self._seats:
                if self._fits(bots, table, most):
                    yield table, cost
                return
            for place in range(after, len(bots)):
                if self._steps <= 0:
                    return
                other = bots[place]
                if self._parties[other] in {self._parties[bot] for bot in table}:
                    continue
                more = sum(self._met.get(frozenset((bot, other)), 0) - common for bot in table)
                if cost + more <= repeats:
                    yield from further((*table, other), place + 1, cost + more)

        yield from further(bots[:1], 1, 0)

    def _fits(self, bots: tuple[str, ...], table: tuple[str, ...], most: int) -> bool:
        """Says whether no party is larger without a table than the number of tables that are left."""
        sizes = Counter(self._parties[bot] for bot in bots if bot not in table)
        return max(sizes.values(), default=0) <= most
