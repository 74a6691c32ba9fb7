"""What one stream asks of the referee, second by second.

Answers to open turns are paced by the referee and cost nothing here. Other acts have a polite rate
and are refused above it. Whatever answers no turn (frames, messages, bytes beyond what answers take)
is load as well; a stream that brings many times the polite rate of it is closed, since reading it
takes time from all others.
"""

from typing import Final

from referee.match.config import SECOND
from referee.server.config import Limits

_MANY: Final = 10
"""How many times the polite rate of acts a stream may bring in load."""
_ANSWER_BYTES: Final = 256
"""More than any answer takes."""
_UNIT_BYTES: Final = 1024
"""How many further bytes cost as much as a frame."""


class Load:
    """Two buckets that fill with time: one for acts, a larger one for everything.

    Attributes:
        matches: how many matches of the stream are running; each allows more.
    """

    def __init__(self, limits: Limits, now: int) -> None:
        self.matches = 0
        self._limits = limits
        self._acts = float(limits.acts_per_second)
        self._room = float(_MANY * limits.acts_per_second)
        self._filled = now

    def match_started(self) -> None:
        """Raises the rates by one match."""
        self.matches += 1
        self._acts += self._limits.acts_per_second_per_match
        self._room += _MANY * self._limits.acts_per_second_per_match

    def match_ended(self) -> None:
        """Lowers the rates by one match."""
        self.matches -= 1

    def allows_act(self, now: int) -> bool:
        """Takes an act that answers no open turn; says whether it is within the polite rate."""
        self._fill(now)
        if self._acts < 1:
            return False
        self._acts -= 1
        return True

    def bears(self, size: int, frames: int, answers: int, now: int) -> bool:
        """Takes a message of `size` bytes; says whether the stream may go on after it."""
        beyond = max(0, size - _ANSWER_BYTES * answers) // _UNIT_BYTES
        units = frames - answers + beyond + (not answers)
        if units:
            self._fill(now)
            self._room -= units
        return self._room >= 0

    def _fill(self, now: int) -> None:
        rate = self._limits.acts_per_second + self.matches * self._limits.acts_per_second_per_match
        passed = max(0, now - self._filled) / SECOND
        self._filled = max(now, self._filled)
        self._acts = min(rate, self._acts + passed * rate)
        self._room = min(_MANY * rate, self._room + passed * _MANY * rate)
