"""The lag of one stream: pings and what their answers tell."""

from collections import deque
from typing import Final

PINGS_KEPT: Final = 16
"""How many pings the lag is the minimum of."""


class PingBook:
    """Measures the way there and back while no turn is open on the stream."""

    def __init__(self, open_turns: dict[str, int]) -> None:
        self._open_turns = open_turns
        self._last = 0
        self._sent_at: int | None = None
        self._trips: deque[int] = deque(maxlen=PINGS_KEPT)

    def send(self, now: int) -> int:
        """Returns the id of a new ping, or 0 where it would measure nothing."""
        if self._open_turns or self._sent_at is not None:
            return 0
        self._last += 1
        self._sent_at = now
        return self._last

    def forget(self) -> None:
        """Drops the ping under way."""
        self._sent_at = None

    def answered(self, ping_id: int, now: int) -> None:
        """Takes a pong; one for another ping, or with a turn open, measures nothing."""
        if ping_id == self._last and self._sent_at is not None and not self._open_turns:
            self._trips.append(max(0, now - self._sent_at))
            self._sent_at = None

    @property
    def lag(self) -> int:
        """The least of the kept trips; 0 before the first."""
        return min(self._trips, default=0)
