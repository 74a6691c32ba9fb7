"""The rounds of a tournament, with what is settled left out.

Where rounds depend on results each is drawn once, when all before it is settled, and kept among the
decisions: what is decided later, or who leaves, changes no round that was drawn.
"""

from collections.abc import Iterator

from referee.organiser.book import Book
from referee.organiser.tournament import Tournament
from referee.tournament.formats import make
from referee.tournament.formats.base import Bye, Meeting, Pairing


class Rounds:
    """What is to be played of a tournament, a round at a time, in the order of the rounds."""

    def __init__(self, tournament: Tournament, book: Book) -> None:
        self._book = book
        self._format = make(tournament.format, tournament.field)
        self._past: list[Meeting | Bye] = []
        self._last: list[Pairing | Bye] = []
        self.count = self._format.rounds
        self.total = self._format.total()
        if self.count == 1:
            book.forget_points()

    @property
    def settled(self) -> int:
        """How many matches are settled: accepted, or of pairings that were given up."""
        return self._book.matches + self._book.unplayed * self._matches_each()

    async def pairings(self, number: int) -> Iterator[Pairing]:
        """Returns the pairings of a round that are not settled, made as they are asked for.

        Raises `TooFewError` where those who are left fill no table.
        """
        if self.count > 1:
            return self._missing(await self._draw(number))
        schedule = self._format.pairings(number)
        first = next(schedule, None)
        while isinstance(first, Bye):
            await self._book.bye(first)
            first = next(schedule, None)
        return self._missing(schedule, first)

    async def _draw(self, number: int) -> Iterator[Pairing | Bye]:
        self._past += [self._book.meeting(one) if isinstance(one, Pairing) else one for one in self._last]
        drawn = self._book.drawn(number)
        if drawn is None:
            drawn = list(self._format.pairings(number, self._past, self._book.gone()))
            await self._book.draw(number, drawn)
        self._last = drawn
        return iter(drawn)

    def _missing(self, schedule: Iterator[Pairing | Bye], first: Pairing | None = None) -> Iterator[Pairing]:
        if first is not None and first.index not in self._book.settled:
            yield first
        for one in schedule:
            if isinstance(one, Pairing) and one.index not in self._book.settled:
                yield one

    def _matches_each(self) -> int:
        """Returns how many matches a pairing takes: all take as many."""
        first = next((one for one in self._format.pairings(0) if isinstance(one, Pairing)), None)
        return len(first.sittings) if first else 1
