"""What the matches of a table come to, row by row, while they are counted."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from referee.match.result import points
from referee.tournament.counting import NO_SHOW, Judged
from referee.tournament.result import MatchResult, SeatResult

NO_SHOW_OF_OTHERS = "no_show_of_others"
"""How a match ended for a bot that was there when another one was not."""
ENDED_BY_FORFEITS = "ended_by_forfeits"
"""How a match ended for the one that had not forfeited when all others had."""
FORFEITED = "forfeited"
"""How it ended for a bot that forfeited; `forfeited_late` and the like where the cause is known."""


class Line(NamedTuple):
    """Names a row: one version of one bot."""

    bot: str
    version: str


@dataclass(slots=True)
class Tally:
    """What is known of a row; `last` is its seat in the last match that was made."""

    last: SeatResult
    groups: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    ranks: Counter[int] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    think: int = 0
    longest: int = 0


@dataclass(slots=True)
class Met:
    """How two rows did in the matches that counted and that they played together.

    Attributes:
        matches: how many there were.
        wins: how often the first was placed before the second; a shared place is half a win.
    """

    matches: int = 0
    wins: float = 0.0


@dataclass(slots=True)
class Tallies:
    """All rows of a table, the version of each bot's last match, and who met whom.

    In `met` the lesser of two lines stands first.
    """

    rows: dict[Line, Tally] = field(default_factory=dict)
    current: dict[str, str] = field(default_factory=dict)
    met: dict[tuple[Line, Line], Met] = field(default_factory=lambda: defaultdict(Met))


def tally(matches: Iterable[Judged]) -> Tallies:
    """Returns what matches come to, which stand in the order in which they were made."""
    found = Tallies()
    for result, apart in matches:
        ends: dict[Line, str] = {}
        for seat in result.seats:
            line = Line(seat.bot, seat.version)
            row = found.rows.get(line)
            if row is None:
                row = found.rows[line] = Tally(seat)
            _add_conduct(row, seat)
            ends[line] = _end(result, seat, apart)
            found.current[seat.bot] = seat.version
        for line, end in ends.items():
            found.rows[line].ends[end] += 1
        if not apart:
            _count(result, found)
    return found


def _add_conduct(row: Tally, seat: SeatResult) -> None:
    row.last = seat
    if seat.faults:
        row.faults.update(seat.faults)
    row.turns += seat.turns
    row.think += seat.think
    row.longest = max(row.longest, seat.longest)


def _end(result: MatchResult, seat: SeatResult, apart: str) -> str:
    """Returns how a match ended for a seat, in one word."""
    if apart:
        return NO_SHOW_OF_OTHERS if apart == NO_SHOW and not seat.at_fault else apart
    if seat.forfeited:
        return f"{FORFEITED}_{seat.cause}" if seat.cause else FORFEITED
    return ENDED_BY_FORFEITS if result.termination == "forfeited" else result.termination


def _count(result: MatchResult, found: Tallies) -> None:
    seats = result.seats
    lines = [Line(seat.bot, seat.version) for seat in seats]
    earned = points(
        [seat.rank for seat in seats], [number for number, seat in enumerate(seats) if seat.forfeited]
    )
    for line, seat, point in zip(lines, seats, earned, strict=True):
        row = found.rows[line]
        row.groups[result.deal_group].append((point, float(seat.score)))
        row.ranks[seat.rank] += 1
    for one, other in combinations(sorted(zip(lines, (seat.rank for seat in seats), strict=True)), 2):
        met = found.met[one[0], other[0]]
        met.matches += 1
        met.wins += 0.5 if one[1] == other[1] else float(one[1] < other[1])
