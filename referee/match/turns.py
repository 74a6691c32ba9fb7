"""The questions of one match: the open one, and what each seat was asked and answered."""

from dataclasses import dataclass, field

from referee.games.base import Action
from referee.match.attempt import Attempt, Chosen, Index
from referee.match.events import FaultName


@dataclass(slots=True)
class OpenTurn:
    """The question that waits for an answer. Times are in microseconds of the match.

    `since` is the time of its record; `start` is None until the write of the turn was first
    attempted, and never before `since`; `retries` counts the refused answers that are still allowed;
    `credit` is the most lag that may be credited; `used` is what was used of the budget before an
    outage, as far as the log tells.
    """

    seat: int
    turn: int
    since: int
    budget: int
    bank: int
    retries: int
    start: int | None = None
    credit: int = 0
    used: int = 0

    def begin(self, t: int) -> None:
        """Starts the clock at `t`; what was used before an outage counts."""
        self.start = max(self.since, t - self.used)

    def interrupt(self, t: int) -> None:
        """Stops the clock for an outage from `t` on; it starts when the turn is written again."""
        if self.start is not None:
            self.used = max(self.used, t - self.start)
            self.start = None

    def is_late(self, t: int) -> bool:
        """Says whether an answer at `t` is late, all credit given."""
        return self.start is not None and t - self.start > self.budget + self.credit


@dataclass(slots=True)
class SeatTurns:
    """What one seat was asked and what it answered last."""

    asked: int = 0
    """The id of its last turn; 0 before the first."""
    late: set[int] = field(default_factory=set)
    """Its turns that ran out and whose late answers have not come."""
    answered: int = 0
    """Its last turn with an accepted answer."""
    answer: Attempt | None = None
    """The accepted answer as it came."""
    action: Action = 0
    """The action that it named."""
    legal: tuple[Action, ...] = ()
    """The legal actions that it counted in."""

    def ask(self) -> int:
        """Counts a new question and returns its id."""
        self.asked += 1
        return self.asked

    def accepted(self, turn: int, answer: Attempt, action: Action, legal: tuple[Action, ...]) -> None:
        """Remembers an accepted answer, so that the same one again is not a fault."""
        self.answered = turn
        self.answer = answer
        self.action = action
        self.legal = legal

    def repeats(self, turn: int, attempt: Attempt) -> bool:
        """Says whether an act is the accepted answer once more, in whatever form."""
        if turn != self.answered or turn == 0:
            return False
        if isinstance(attempt, Index) and 0 <= attempt.index < len(self.legal):
            attempt = Chosen(self.legal[attempt.index])
        return attempt in (self.answer, Chosen(self.action))

    def stray(self, turn: int, open_turn: int) -> tuple[FaultName, str]:
        """Names the fault of an act that answers no open question, with its reason.

        `open_turn` is the id of the seat's open turn, 0 if none is open.
        """
        now = f"turn {open_turn} is open" if open_turn else "no turn of yours is open"
        if turn == self.answered != 0:
            return "conflicting", f"turn {turn} has another accepted answer; {now}"
        if turn <= self.asked:
            return "stale", f"turn {turn} is over; {now}"
        if open_turn:
            return "future", f"turn {turn} has not been asked yet; {now}"
        return "not_your_turn", f"turn {turn} has not been asked yet; {now}"
