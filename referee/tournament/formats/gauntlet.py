"""Gauntlet: candidates against a field. No candidate meets another.

It goes by steps: k - 1 bots of the field, a seat for the candidate, and one table for each candidate,
so that all candidates meet the same opponents in the same seats. In `same_seat` play a step is one
block: all its tables have the same deals, and the field are house bots, which keep nothing from one
match to the next.

What is balanced:

- After every step all candidates have played the same tables; between steps they differ by 1 match.
- How often a candidate has sat in each seat differs by at most 1 at any time, and is equal after k
  laps. A lap is every choice of k - 1 bots of the field once.
- How often a bot of the field has sat in each seat differs by at most 1 step at tables of 2 seats, and
  by at most 4 at larger ones, where the candidate goes first (a bound of many trials, not of a proof).
- After every lap all bots of the field have met each candidate equally often.

Tables with two bots of one owner are left out of rated play. Where a candidate's owner has bots in
the field, seats are dealt out table by table: they differ by at most 2, at tables of 2 seats by 3.
"""

from collections.abc import Collection, Iterator
from itertools import islice
from math import gcd

from referee.errors import SettingError
from referee.tournament import owners
from referee.tournament.formats import blocks, circle
from referee.tournament.formats.base import Field, Pairing, Past
from referee.tournament.formats.settings import GauntletSettings
from referee.tournament.seating import Seating


class Gauntlet:
    """Candidates against a field, in one round; see the module for what is balanced."""

    rounds = 1

    def __init__(self, settings: GauntletSettings, field: Field) -> None:
        """Raises `SettingError` for settings or a field that make no schedule."""
        field.check()
        self._field = field
        self._parties = field.parties
        self._candidates = settings.candidates
        self._opponents = tuple(name for name in field.names if name not in settings.candidates)
        self._check_candidates()
        self._steps = circle.choices(map(self._parties.__getitem__, self._opponents), field.seats - 1)
        lap = [self._tables_of(candidate) for candidate in self._candidates]
        self._mixed = any(tables < self._steps for tables in lap)
        together = field.duplicate == "same_seat"
        self._block = len(self._candidates) if together else blocks.size(field)
        in_lap = self._steps if together else sum(lap)
        laps = blocks.laps(settings, field)
        self._pairings = laps * in_lap or -(-settings.matches // self._block)

    def total(self) -> int:
        """Returns how many matches there are."""
        return self._pairings * self._block

    def pairings(self, number: int, past: Past = (), gone: Collection[str] = ()) -> Iterator[Pairing]:
        """Yields all pairings, those with entrants who have left among them; it has one round."""
        del number, past, gone
        for index, sittings in enumerate(islice(self._blocks(), self._pairings)):
            yield Pairing(index, 0, sittings, self._field.duplicate)

    def _blocks(self) -> Iterator[tuple[tuple[str, ...], ...]]:
        """Yields the matches of one pairing after the other, without end."""
        tables = self._table_by_table() if self._mixed else self._step_by_step()
        if self._field.duplicate == "same_seat":
            yield from tables
        else:
            yield from (blocks.sittings(table, self._field) for step in tables for table in step)

    def _step_by_step(self) -> Iterator[tuple[tuple[str, ...], ...]]:
        """Yields the tables of each step: the same one with each of the candidates."""
        seats = self._field.seats
        period = seats // gcd(self._steps, seats)
        seating = Seating()
        for step, opponents in enumerate(self._choices()):
            # A lap that ends where it began would find the same opponents from the same seats again.
            seat = (step + step // self._steps // period) % seats
            others = [other for other in range(seats) if other != seat]
            sitting = list(seating.arrange(opponents, others))
            sitting.insert(seat, "")
            seating.count(sitting)
            yield tuple((*sitting[:seat], bot, *sitting[seat + 1 :]) for bot in self._candidates)

    def _table_by_table(self) -> Iterator[tuple[tuple[str, ...], ...]]:
        """Yields the tables of each step without those that hold two bots of one owner."""
        seating = Seating()
        for opponents in self._choices():
            parties = {self._parties[name] for name in opponents}
            apart = [bot for bot in self._candidates if self._parties[bot] not in parties]
            yield tuple(seating.seat((bot, *opponents)) for bot in apart)

    def _choices(self) -> Iterator[tuple[str, ...]]:
        """Yields one choice of opponents after the other, none with two bots of one owner."""
        size = self._field.seats - 1
        for chosen in circle.tables(self._opponents, size, self._field.seed):
            if owners.are_apart(chosen, self._parties):
                yield chosen

    def _tables_of(self, candidate: str) -> int:
        """Returns how many tables a candidate has in a lap; raises `SettingError` where there are none."""
        parties = [self._parties[name] for name in self._opponents]
        own = self._parties[candidate]
        tables = circle.choices((party for party in parties if party != own), self._field.seats - 1)
        if not tables:
            raise SettingError(
                "format.candidates",
                f"candidate {candidate!r} has no table of {self._field.seats} seats with the"
                f" {len(self._opponents)} others: name more bots, and in rated play of more owners",
            )
        return tables

    def _check_candidates(self) -> None:
        """Raises `SettingError` for candidates that are nobody, and for blocks that nobody could trust."""
        if not self._candidates or len(set(self._candidates)) < len(self._candidates):
            raise SettingError("format.candidates", "a gauntlet needs candidates, each named once")
        for name in self._candidates:
            if name not in self._parties:
                raise SettingError("format.candidates", f"candidate {name!r} is no bot of this tournament")
        if self._field.duplicate == "same_seat":
            check_same_seat(self._field, self._candidates)


def check_same_seat(field: Field, candidates: Collection[str]) -> None:
    """Raises `SettingError` for a block that would hand somebody's deals to somebody else.

    The deals of a block are told by nobody only if its opponents are house bots, and if all who play
    it are of different owners: the first could else tell the second what is coming.
    """
    guests = [one.name for one in field.entrants if not one.house and one.name not in candidates]
    if guests:
        raise SettingError(
            "tournament.duplicate",
            f"same_seat blocks are played against house bots alone, and {guests[0]!r} is none;"
            " make it a candidate, or take rotate",
        )
    owners.check_block([tuple(candidates)], field.parties)
