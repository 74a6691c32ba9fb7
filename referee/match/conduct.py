"""Strikes and forfeits of one match: which fault costs what.

| fault | consequence |
|---|---|
| late | default action, one strike |
| illegal, malformed | refused; past the retries of the turn the default action, one strike |
| stale, future, not_your_turn, conflicting | refused; every `strays`-th in a match is one strike |
| rate_limited | refused, one strike (told at most once a second) |
| dropped | none; only the seat to act loses time |
| gone | forfeits at once; before the start the match ends unrated |
| no_show | the match ends unrated |
"""

from collections import Counter

from referee.match.config import Penalties
from referee.match.events import FaultName

STRAYS: frozenset[FaultName] = frozenset(("stale", "future", "not_your_turn", "conflicting"))
"""Faults of acts that answer no open question of the seat."""


class Conduct:
    """Counts the faults of every seat and says when they are strikes."""

    def __init__(self, seats: int, penalties: Penalties) -> None:
        self.penalties = penalties
        self.faults: tuple[Counter[FaultName], ...] = tuple(Counter() for _ in range(seats))
        self.strikes = [0] * seats
        self.forfeits: list[int] = []
        """Seats in the order in which they forfeited."""

    def note(self, seat: int, fault: FaultName) -> bool:
        """Counts a fault; says whether it is a stray that makes one strike."""
        counts = self.faults[seat]
        counts[fault] += 1
        if fault not in STRAYS:
            return False
        return sum(counts[stray] for stray in STRAYS) % self.penalties.strays == 0

    def strike(self, seat: int) -> bool:
        """Counts a strike; says whether the seat forfeits by it."""
        self.strikes[seat] += 1
        return self.strikes[seat] >= self.penalties.strikes and seat not in self.forfeits

    def standing(self) -> list[int]:
        """Returns the seats that have not forfeited."""
        return [seat for seat in range(len(self.strikes)) if seat not in self.forfeits]
