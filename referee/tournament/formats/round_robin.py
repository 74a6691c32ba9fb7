"""Round robin over tables of k seats: every choice of k bots meets, with balanced opponents and seats.

Tables that would hold two bots of one owner are left out of rated play; there are fewer of them then.

How often each bot has sat in each seat:

- where the number of bots and k share no divisor and no table is left out, these counts differ by at
  most 1 after any number of tables, and are equal after every k laps;
- where they share one, no table is left out and k laps (or a multiple) are played, they are equal in
  the end;
- else those of one bot differ by at most 2 at any time, at tables of 2 seats by at most 3 (the bound
  is one of many trials, not of a proof);
- where tables rotate they are equal after every block.

After every lap any two bots have met equally often if no table is left out.
"""

from collections.abc import Collection, Iterator
from itertools import islice
from math import comb, gcd

from referee.errors import SettingError
from referee.tournament import owners
from referee.tournament.formats import blocks, circle
from referee.tournament.formats.base import Field, Pairing, Past
from referee.tournament.formats.settings import RoundRobinSettings
from referee.tournament.seating import Seating


class RoundRobin:
    """All meet all, in one round; see the module for what is balanced."""

    rounds = 1

    def __init__(self, settings: RoundRobinSettings, field: Field) -> None:
        """Raises `SettingError` for settings or a field that make no schedule."""
        field.check()
        blocks.refuse_same_seat(field, "a round robin")
        self._field = field
        self._laps = blocks.laps(settings, field)
        self._lap = circle.choices(field.parties.values(), field.seats)
        if not self._lap:
            raise SettingError(
                "bots",
                f"no table of {field.seats} seats can be made: rated tables hold one bot of each owner;"
                " name bots of more owners, or play unrated",
            )
        tables = self._laps * self._lap or -(-settings.matches // blocks.size(field))
        self._tables = tables

    def total(self) -> int:
        """Returns how many matches there are."""
        return self._tables * blocks.size(self._field)

    def pairings(self, number: int, past: Past = (), gone: Collection[str] = ()) -> Iterator[Pairing]:
        """Yields all pairings, those with entrants who have left among them; it has one round."""
        del number, past, gone
        for index, table in enumerate(islice(self._seated(), self._tables)):
            yield Pairing(index, 0, blocks.sittings(table, self._field), self._field.duplicate)

    def _seated(self) -> Iterator[tuple[str, ...]]:
        field = self._field
        parties = field.parties
        around = circle.tables(field.names, field.seats, field.seed, rotates=field.duplicate == "rotate")
        apart = (table for table in around if owners.are_apart(table, parties))
        return apart if self._is_balanced() else map(Seating().seat, apart)

    def _is_balanced(self) -> bool:
        """Says whether the seats of the circle need no help; each table of a block has all of them."""
        bots, seats = len(self._field.entrants), self._field.seats
        if self._field.duplicate == "rotate":
            return True
        whole = self._laps > 0 and self._laps % seats == 0
        return self._lap == comb(bots, seats) and (whole or gcd(bots, seats) == 1)
