"""Which pairing comes next: a small window on the schedule, out of which busy bots are left."""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from enum import Enum, auto

from referee.tournament.formats.base import Pairing

SIZE = 256
"""How many pairings are looked ahead at the most."""


class Room(Enum):
    """How a pairing stands: all its bots can play now, some are busy, or some are away."""

    READY = auto()
    BUSY = auto()
    AWAY = auto()


class Window:
    """The next pairings of a round; those behind them are not made yet.

    `capacity` says how many matches a bot takes at once, and None while it is away; `plays` whether it
    is given any. `most` is how many of the running matches one bot may sit in.
    """

    def __init__(
        self,
        pairings: Iterator[Pairing],
        capacity: Callable[[str], int | None],
        plays: Callable[[str], bool],
        most: int,
        size: int = SIZE,
    ) -> None:
        self._pairings = pairings
        self._capacity = capacity
        self._plays = plays
        self._most = most
        self._size = size
        self._waiting: deque[Pairing] = deque()
        self.places: Counter[str] = Counter()
        """In how many running matches each bot sits."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits any more."""
        self._fill()
        return not self._waiting

    def take(self, *, idle: bool) -> Pairing | None:
        """Returns the first pairing all of whose bots can play now, and takes their places.

        Where there is none, a pairing that waits for bots that are away may start, so that they are
        missed in time: for each such bot one at a time. With `idle`, when nothing runs, the first one
        starts whatever holds it up, unless one of its bots is given no matches.
        """
        self._fill()
        away: Pairing | None = None
        spare: Pairing | None = None
        for pairing in self._waiting:
            if not all(map(self._plays, pairing.entrants)):
                continue
            stands = self._stands(pairing)
            if stands is Room.READY:
                return self._start(pairing)
            if stands is Room.AWAY:
                away = away or pairing
            spare = spare or pairing
        chosen = away or (spare if idle else None)
        return self._start(chosen) if chosen else None

    def put_back(self, pairing: Pairing) -> None:
        """Has a pairing wait once more, behind those that are waiting."""
        self._waiting.append(pairing)

    def done(self, pairing: Pairing) -> None:
        """Frees the places of a pairing that was taken."""
        for name in pairing.entrants:
            self.places[name] -= 1

    def drop(self, hopeless: Callable[[Pairing], bool]) -> list[Pairing]:
        """Takes out and returns the waiting pairings that cannot be played any more."""
        self._fill()
        out = [pairing for pairing in self._waiting if hopeless(pairing)]
        if out:
            self._waiting = deque(pairing for pairing in self._waiting if not hopeless(pairing))
        return out

    def _fill(self) -> None:
        while len(self._waiting) < self._size and (following := next(self._pairings, None)) is not None:
            self._waiting.append(following)

    def _start(self, pairing: Pairing) -> Pairing:
        self._waiting.remove(pairing)
        self.places.update(pairing.entrants)
        return pairing

    def _stands(self, pairing: Pairing) -> Room:
        stands = Room.READY
        for name in pairing.entrants:
            capacity, places = self._capacity(name), self.places[name]
            if places >= self._most or (places if capacity is None else places >= capacity):
                return Room.BUSY
            if capacity is None:
                stands = Room.AWAY
        return stands
