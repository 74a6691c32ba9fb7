"""The clock of one seat: arithmetic on times that somebody else measured, in microseconds."""

from referee.match.config import MAX_LAG_CREDIT, TimeControl


class Clock:
    """The reserve of a seat and the judgement of one turn after another.

    A turn may take the base and the bank. Lag is credited only to an answer that would be late
    without it, up to `min(lag, 200 ms, base / 5)`, so an honest answer never costs more than it
    would on the referee's own machine and a liar gains no more than that per turn.
    """

    __slots__ = ("_control", "bank")

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self.bank = control.bank

    def budget(self) -> int:
        """Returns the time until a turn is late, without lag credit."""
        return self._control.base + self.bank

    def credit(self, lag: int) -> int:
        """Returns the most that may be credited for a measured lag."""
        return max(0, min(lag, MAX_LAG_CREDIT, self._control.base // 5))

    def charge(self, think: int) -> int:
        """Takes what a turn in time used beyond the base from the bank; returns what is left.

        A turn that needed lag credit has used the whole bank.
        """
        if think > self._control.base:
            self.bank = max(0, self.bank - think + self._control.base)
        return self.bank

    def run_out(self) -> None:
        """Charges a turn that was not answered in time: the bank is used up."""
        self.bank = 0

    def deal_started(self) -> None:
        """Adds the increment; called at each deal after the first, after the last turn is judged."""
        self.bank += self._control.increment
