"""Swiss: a fixed number of rounds in which bots with like scores meet, and opponents change.

A score is the sum of placement points: of each match or, in a block of duplicate play, the mean of
it. Bots with equal scores are in an order drawn from the seed, which also makes the first round.

All tables have k seats, and as many are played as can be. Whoever is left over has a bye, which is
worth the stated points (half a point unless settings say so: no better and no worse than the mean of
a table). A bye goes to those who had the fewest, among them to the lowest in score: nobody gets a
second one before all who are still there had one. The exception is an owner with more bots than there
are tables, some of which always have to wait.

Opponents meet again only where it cannot be helped, given the byes and the rounds before; see
`grouping` for how well that succeeds. How often a bot has sat in each seat differs by at most 2, at
tables of 2 seats by at most 3 (the bound is one of many trials, not of a proof); where tables rotate it
is equal after every block.

A pairing that was given up is worth a bye to those who were there, and nothing to those who were not.
Its bots have not met. Whoever leaves is in no later round; the numbers of pairings stay as they were.
"""

import random
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from referee.errors import SettingError, TooFewError
from referee.tournament.formats import blocks
from referee.tournament.formats.base import Bye, Field, Meeting, Pairing, Past
from referee.tournament.formats.grouping import Grouping
from referee.tournament.formats.settings import SwissSettings
from referee.tournament.seating import Seating


class Swiss:
    """Rounds of bots with like scores; see the module for byes and what is balanced."""

    def __init__(self, settings: SwissSettings, field: Field) -> None:
        """Raises `SettingError` for settings or a field that make no schedule."""
        field.check()
        blocks.refuse_same_seat(field, "a Swiss tournament")
        if settings.rounds < 1:
            raise SettingError("format.rounds", "a Swiss tournament has at least 1 round")
        if not 0 <= settings.bye <= 1:
            raise SettingError("format.bye", f"a bye is worth 0 to 1 points, not {settings.bye:g}")
        self._field = field
        self._bye = settings.bye
        self._parties = field.parties
        self.rounds = settings.rounds
        if not self._tables(field.names):
            raise SettingError(
                "bots",
                f"no table of {field.seats} seats can be made: rated tables hold one bot of each owner;"
                " name bots of more owners, or play unrated",
            )
        drawn = list(field.names)
        random.Random(field.seed).shuffle(drawn)  # noqa: S311 - repeatable by intent, and no secret
        self._drawn = {name: number for number, name in enumerate(drawn)}

    def total(self) -> int:
        """Returns how many matches there are if nobody leaves."""
        return self.rounds * self._tables(self._field.names) * blocks.size(self._field)

    def pairings(self, number: int, past: Past = (), gone: Collection[str] = ()) -> Iterator[Pairing | Bye]:
        """Yields the byes and the pairings of a round; raises `TooFewError` where nobody can play."""
        present = [name for name in self._drawn if name not in gone]
        tables = self._tables(present)
        if not tables:
            raise TooFewError(
                f"round {number + 1}: {', '.join(present) or 'nobody'} cannot fill a table of"
                f" {self._field.seats} seats"
            )
        scores = self._scores(past)
        present.sort(key=lambda name: (-scores[name], self._drawn[name]))
        byes = self._byes(present, tables, past)
        yield from (Bye(number, name) for name in byes)
        playing = [name for name in present if name not in byes]
        grouping = Grouping(self._field.seats, _met(past), self._parties, self._field.seed)
        seating = _seating(past)
        first = number * (len(self._field.entrants) // self._field.seats)
        for index, table in enumerate(grouping.tables(playing), first):
            sittings = blocks.sittings(seating.seat(table), self._field)
            yield Pairing(index, number, sittings, self._field.duplicate)

    def _tables(self, names: Collection[str]) -> int:
        """Returns how many tables can be filled at once without two of one party at any."""
        sizes = Counter(self._parties[name] for name in names).values()
        tables = len(names) // self._field.seats
        while tables and sum(min(size, tables) for size in sizes) < tables * self._field.seats:
            tables -= 1
        return tables

    def _scores(self, past: Past) -> Counter[str]:
        """Returns the points of each entrant so far, in millionths so that sums do not depend on order."""
        scores: Counter[str] = Counter()
        for one in past:
            if isinstance(one, Bye):
                scores[one.entrant] += _exact(self._bye)
            elif one.points:
                scores.update({name: _exact(points) for name, points in one.points.items()})
            else:
                there = one.pairing.entrants.difference(one.at_fault)
                scores.update(dict.fromkeys(there, _exact(self._bye)))
        return scores

    def _byes(self, present: Sequence[str], tables: int, past: Past) -> list[str]:
        """Returns who has a bye, of all present from the best down."""
        had = Counter(one.entrant for one in past if isinstance(one, Bye))
        sizes = Counter(self._parties[name] for name in present)
        surplus = {party: max(0, size - tables) for party, size in sizes.items()}
        free = len(present) - tables * self._field.seats - sum(surplus.values())
        byes = []
        for _, name in sorted(enumerate(present), key=lambda one: (had[one[1]], -one[0])):
            party = self._parties[name]
            if surplus[party]:
                surplus[party] -= 1
            elif free:
                free -= 1
            else:
                continue
            byes.append(name)
        return byes


def _exact(points: float) -> int:
    return round(points * 1_000_000)


def _met(past: Past) -> Counter[frozenset[str]]:
    """Returns how often any two have met."""
    played = (one.pairing for one in past if isinstance(one, Meeting) and one.points)
    return Counter(frozenset(two) for pairing in played for two in combinations(pairing.sittings[0], 2))


def _seating(past: Past) -> Seating:
    """Returns who sat where so far; the order of the past changes nothing."""
    seating = Seating()
    for one in past:
        if isinstance(one, Meeting) and one.points:
            seating.count(one.pairing.sittings[0])
    return seating
