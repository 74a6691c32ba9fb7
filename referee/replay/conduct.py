"""How each seat of a match conducted itself, as far as the records of its log tell."""

from dataclasses import dataclass

from referee.match import events as ev
from referee.replay.reader import Log


@dataclass(slots=True)
class Conduct:
    """What the records tell of one seat.

    Attributes:
        cause: the fault of its last strike, or `gone` for a process that ended; empty for neither.
        turns: turns that it answered or let run out.
        think: microseconds that it took over them in all.
        longest: microseconds that the longest of them took.
    """

    cause: str = ""
    turns: int = 0
    think: int = 0
    longest: int = 0


def conducted(log: Log) -> tuple[Conduct, ...]:
    """Returns the conduct of each seat, by seat."""
    told = tuple(Conduct() for _ in log.setup.seats)
    for record in log.records:
        match record:
            case ev.Act(seat=seat, think=think):
                _took(told[seat], think)
            case ev.Default(seat=seat, think=think, cause=cause) if cause != "forfeited":
                _took(told[seat], think)
            case ev.Strike(seat=seat, fault=fault):
                told[seat].cause = fault
            case ev.Gone(seat=seat):
                told[seat].cause = "gone"
    return told


def _took(seat: Conduct, think: int) -> None:
    seat.turns += 1
    seat.think += think
    seat.longest = max(seat.longest, think)
