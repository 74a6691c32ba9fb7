"""How far a tournament is, for those who watch it."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from referee.server.request import MatchOutcome
from referee.tournament.formats.base import Pairing

_LATELY = 60.0
"""Seconds over which the speed is measured."""
_ENOUGH = 5
_KEPT = 100_000


@dataclass(slots=True)
class Table:
    """A pairing that is being played, since when by the clock of the run, and at which attempt."""

    pairing: Pairing
    attempt: int
    since: float


@dataclass(slots=True, kw_only=True)
class Tally:
    """What a run has come to so far; `now` is a monotonic clock in seconds.

    Attributes:
        total: matches of the whole tournament, as far as its schedule is known.
        before: matches that were played, or whose pairings were given up, before this run.
        played: matches of this run that count.
        given_up: matches of pairings that were given up in this run.
        spoiled: attempts of this run that came to nothing.
        unplayed: the reasons of pairings that were given up, by pairing id, the latest ones.
        faults: how often each kind of fault was seen.
        tables: what is being played, by number of the pairing.
        replays: the log of the last match that counts.
    """

    now: Callable[[], float]
    total: int
    before: int = 0
    played: int = 0
    forfeited: int = 0
    given_up: int = 0
    spoiled: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    unplayed: dict[str, str] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    tables: dict[int, Table] = field(default_factory=dict)
    replays: deque[str] = field(default_factory=lambda: deque(maxlen=_KEPT))
    _ends: deque[float] = field(default_factory=deque)

    @property
    def done(self) -> int:
        """How many matches are settled, in this run and before it."""
        return self.before + self.played + self.given_up

    @property
    def speed(self) -> float:
        """Matches per second lately; 0 before there is anything to tell."""
        if len(self._ends) < 2:
            return 0.0
        span = self.now() - self._ends[0]
        return (len(self._ends) - 1) / span if span > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds until all is played at the present speed; None where that cannot be told."""
        speed = self.speed
        return (self.total - self.done) / speed if speed and self.played >= _ENOUGH else None

    def count(self, outcomes: list[MatchOutcome]) -> None:
        """Takes the matches of a pairing that was accepted."""
        moment = self.now()
        for outcome in outcomes:
            self.played += 1
            self._ends.append(moment)
            if outcome.replay:
                self.replays.append(str(outcome.replay))
            places = outcome.end.places if outcome.end else ()
            self.forfeited += any(place.forfeited for place in places)
        while self._ends and moment - self._ends[0] > _LATELY and len(self._ends) > _ENOUGH:
            self._ends.popleft()

    def see(self, outcomes: list[MatchOutcome]) -> None:
        """Takes the faults of matches, whether they count or not."""
        for outcome in outcomes:
            for place in outcome.end.places if outcome.end else ():
                self.faults.update(place.faults)

    def give_up(self, pairing_id: str, matches: int, why: str) -> None:
        """Takes a pairing that was given up."""
        self.given_up += matches
        self.reasons[why] += matches
        self.unplayed[pairing_id] = why
        while len(self.unplayed) > _KEPT:
            del self.unplayed[next(iter(self.unplayed))]
