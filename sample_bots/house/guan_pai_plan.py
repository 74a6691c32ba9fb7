"""What a hand of Guan Pai is worth: how it goes out best, and what the others can do about it.

A hand is the number of its cards of each rank.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from typing import NamedTuple

RANKS = 13
ACE = 11
TWO = 12

Counts = tuple[int, ...]

WILL = (0.0, 0.6, 0.85, 0.85, 0.9)
"""How likely it is that somebody who can beat so many equal cards does."""
KEEP = 0.92
"""How much of a play that keeps the lead costs nothing."""
LAST = 0.9
"""How much of its dearest play a hand saves by playing it last."""
BOMB = 0.5
"""How much less a bomb costs, which takes the lead at any time."""
BUDGET = 300
"""How many ways to divide a hand are looked at."""


@lru_cache(maxsize=1 << 14)
def chance(number: int, left: int, hand: int, unseen: int) -> float:
    """Returns the chance that so many of the cards left of a rank are in a hand, out of the unseen."""
    if left < number or hand < number:
        return 0.0
    most = min(left, hand)
    ways = sum(comb(left, held) * comb(unseen - left, hand - held) for held in range(number, most + 1))
    return ways / comb(unseen, hand)


class Odds:
    """How likely it is that nobody beats what is played, by what is not seen."""

    def __init__(self, hidden: Counts, hands: Sequence[int]) -> None:
        self.hidden = hidden
        self.hands = hands
        self.unseen = sum(hidden)
        self.safe = [[1.0] * RANKS for _ in WILL]
        for number in range(1, len(WILL)):
            safe, above = 1.0, 0
            for at in range(TWO, -1, -1):
                self.safe[number][at] = safe
                above += hidden[at]
                # One card of a rank or the next is in some hand; of more, each rank is a case of its own.
                safe = self._none(1, above) if number == 1 else safe * self._none(number, hidden[at])
        self.no_aces = self._none(3, hidden[ACE])
        self.no_bomb = self.safe[4][0] * self._none(4, hidden[0]) * self.no_aces

    def _none(self, number: int, left: int) -> float:
        none = 1.0
        for hand in self.hands:
            none *= 1 - WILL[number] * chance(number, left, hand, self.unseen)
        return none

    def holds(self, number: int, length: int, top: int) -> float:
        """Returns how likely so many equal cards of so many ranks in a row are to keep the lead."""
        if length == 1:
            return self.safe[number][top] * (self.no_bomb if number < 4 else self.no_aces)
        kept = 1.0
        for higher in range(top + 1, ACE + 1):
            for hand in self.hands:
                if hand >= number * length:
                    kept *= 1 - self._row(number, range(higher - length + 1, higher + 1), hand)
        return kept * self.no_bomb

    def _row(self, number: int, ranks: range, hand: int) -> float:
        every = 1.0
        for at in ranks:
            every *= chance(number, self.hidden[at], hand, self.unseen)
        return every


class Parts(NamedTuple):
    """A part of a hand that is divided into plays: what they cost, the dearest, and what may go along."""

    total: float
    worst: float
    ones: tuple[float, ...]
    """The costs of the singles, any of which may be the wings of a triple."""
    twos: tuple[float, ...]
    wings: int
    """How many cards triples can take along."""

    def with_play(self, cost: float, wings: int) -> "Parts":
        """Returns the parts and one more play."""
        return Parts(self.total + cost, max(self.worst, cost), self.ones, self.twos, self.wings + wings)


class Plan:
    """What hands cost: how often somebody else has to be overcome before they are gone."""

    def __init__(self, odds: Odds) -> None:
        self.odds = odds
        self.best = 0.0
        self.left = 0
        self._costs: dict[Counts, float] = {}
        self._prices: dict[tuple[int, int, int], float] = {}

    def price(self, number: int, length: int, top: int) -> float:
        """Returns the cost of one play: 1 if it loses the lead for sure, little if it keeps it."""
        key = (number, length, top)
        found = self._prices.get(key)
        if found is None:
            found = 1 - KEEP * self.odds.holds(number, length, top) - BOMB * (number == 4)
            self._prices[key] = found
        return found

    def cost(self, counts: Counts) -> float:
        """Returns the cost of the best way to divide a hand."""
        found = self._costs.get(counts)
        if found is None:
            self.best, self.left = 99.0, BUDGET
            self._divide(list(counts), 0, Parts(0.0, 0.0, (), (), 0))
            found = self._costs[counts] = self.best
        return found

    def _divide(self, counts: list[int], at: int, parts: Parts) -> None:
        """Goes on with each play that has the lowest cards left."""
        while at < RANKS and not counts[at]:
            at += 1
        if at == RANKS:
            self._finish(parts)
            return
        if self.left <= 0 or parts.total - parts.worst >= self.best:
            return
        for number in (1, 2, 3):
            self._rows(number, counts, at, parts)
        number = counts[at]
        counts[at] = 0
        if number == 1:
            self._divide(counts, at, parts._replace(ones=(*parts.ones, self.price(1, 1, at))))
        elif number == 2:
            self._divide(counts, at, parts._replace(twos=(*parts.twos, self.price(2, 1, at))))
        else:
            if number == 4 or at == ACE:
                self._divide(counts, at, parts.with_play(self.price(4, 1, at), 1))
            if number == 3:
                self._divide(counts, at, parts.with_play(self.price(3, 1, at), 2))
        counts[at] = number

    def _rows(self, number: int, counts: list[int], at: int, parts: Parts) -> None:
        """Goes on with each row of so many equal cards that begins here."""
        stop = at
        while stop <= ACE and counts[stop] >= number:
            stop += 1
        least = 5 if number == 1 else 2
        for end in range(stop, at + least - 1, -1):
            for rank in range(at, end):
                counts[rank] -= number
            wings = 2 * (end - at) if number == 3 else 0
            self._divide(counts, at, parts.with_play(self.price(number, end - at, end - 1), wings))
            for rank in range(at, end):
                counts[rank] += number

    def _finish(self, parts: Parts) -> None:
        """Lets triples take along what costs most, and keeps the cost if it is the least."""
        self.left -= 1
        ones, twos, wings = sorted(parts.ones), sorted(parts.twos), parts.wings
        while wings and (ones or (wings > 1 and twos)):
            if wings > 1 and twos and twos[-1] > sum(ones[-2:]):
                twos.pop()
                wings -= 2
            else:
                ones.pop()
                wings -= 1
        worst = max(parts.worst, 0.0, *ones[-1:], *twos[-1:])
        self.best = min(self.best, parts.total + sum(ones) + sum(twos) - LAST * worst)
