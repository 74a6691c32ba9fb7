"""Numbers and times the records of a match and hands them on."""

from collections.abc import Callable
from typing import Any, TypeAlias

from referee.match.events import R, Record

Sink: TypeAlias = Callable[[Record], None]


class Journal:
    """Turns the caller's clock into the time of the match, which never goes back."""

    def __init__(self, now: int, sink: Sink) -> None:
        self._sink = sink
        self._origin = now
        self._last = 0
        self._count = 0

    def time(self, now: int) -> int:
        """Returns `now` in microseconds since the start of the match, not before the last record."""
        return max(self._last, now - self._origin)

    def exact(self, now: int) -> int:
        """Returns `now` in microseconds since the start of the match, also when it lies back."""
        return now - self._origin

    def clock(self, t: int) -> int:
        """Returns a time of the match on the caller's clock."""
        return self._origin + t

    def rebase(self, now: int, outage: int) -> None:
        """Takes a new clock of the caller, `outage` microseconds after the last record."""
        self._origin = now - self._last - outage

    def emit(self, kind: type[R], t: int, **fields: Any) -> R:
        """Hands on the next record and returns it."""
        self._count += 1
        self._last = t
        record = kind(n=self._count, t=t, **fields)
        self._sink(record)
        return record
