"""The clock of one seat: arithmetic on times that somebody else measured, in microseconds."""

from typing import NamedTuple

from referee.match.config import MAX_LAG_CREDIT, TimeControl


class Spent(NamedTuple):
    """What a turn cost: the time charged, the lag that had to be credited, the bank left."""

    think: int
    credit: int
    bank: int


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

    def is_late(self, think: int, lag: int) -> bool:
        """Says whether an answer after `think` microseconds is late, all credit given."""
        return think > self.budget() + self.credit(lag)

    def spend(self, think: int, lag: int) -> Spent:
        """Charges a turn of `think` microseconds that is not late."""
        think = max(0, think)
        needed = min(max(0, think - self.budget()), self.credit(lag))
        self.bank -= max(0, think - needed - self._control.base)
        return Spent(think, needed, self.bank)

    def run_out(self) -> None:
        """Charges a turn that was not answered in time: the bank is used up."""
        self.bank = 0

    def deal_started(self) -> None:
        """Adds the increment; called at each deal after the first, after the last turn is judged."""
        self.bank += self._control.increment
