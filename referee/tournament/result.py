"""The result of one match, as the standings see it, and what makes one fit to be counted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from referee.errors import RecordError
from referee.match.result import points
from referee.tournament.names import folded

COUNTED = frozenset({"completed", "forfeited", "adjudicated"})
"""The terminations of matches that count."""
UNCOUNTED = frozenset({"no_show", "void"})
"""The terminations of matches that are shown apart and change no rating."""

MIN_SEATS = 2
"""The fewest seats of a match that has a result."""
MAX_SEATS = 12
"""The most seats: more than any game has, and few enough to rate every order that ties leave open."""
MAX_COUNT = 1_000_000_000
"""The largest count of anything in one match, and the largest number of an attempt."""
MAX_CREATED = 253_402_300_799_999_999
"""The last microsecond of the year 9999, since the Unix epoch."""
DAY = 86_400_000_000
"""Microseconds of a day."""
MAX_SCORE = 1_000_000_000_000
"""The largest score, whatever its sign; sums of such scores are exact."""
_LONGEST = 512
_EXACT = 1e-9


@dataclass(frozen=True, slots=True)
class SeatResult:
    """The outcome for one seat; `rank` and `points` are 0 where the match does not count."""

    owner: str
    bot: str
    name: str
    version: str
    rank: int
    score: int
    points: float
    forfeited: bool = False
    strikes: int = 0
    at_fault: bool = False
    """Whether the seat caused a no-show or a void."""
    faults: Mapping[str, int] = field(default_factory=dict)
    cause: str = ""
    """For a forfeited seat: the fault of its last strike, or `gone` for a process that ended."""
    turns: int = 0
    """Turns that the seat answered or let run out."""
    think: int = 0
    """Microseconds that it took over them in all."""
    longest: int = 0
    """Microseconds that the longest of them took."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of one finished match; `seats` are in seat order.

    Attributes:
        pairing_id: the pairing that the match was made for; empty for a match of its own.
        attempt: counts the matches made for the pairing, from 1.
        options: all options of the game with the values in force.
        tournament: the tournament or ladder that the match belongs to; empty for none.
        parts: how many matches the block of duplicate matches has; 1 for a match of its own.
        created: microseconds since the Unix epoch.
        duration: microseconds from there to the end.
        log: where the replay log lies under the data root; no part of the result.
        last_hash: the hash of the last line of the log; no part of the result.
    """

    match_id: str
    pairing_id: str
    attempt: int
    deal_group: str
    game: str
    rules_version: str
    options: Mapping[str, int | str]
    created: int
    termination: str
    rated: bool
    provable: bool
    seats: tuple[SeatResult, ...]
    tournament: str = ""
    parts: int = 1
    duration: int = 0
    log: str = field(default="", compare=False)
    last_hash: str = field(default="", compare=False)

    @property
    def order(self) -> tuple[int, str]:
        """The place in the order in which results are folded, whenever they arrived."""
        return self.created, self.match_id

    @property
    def pairing(self) -> str:
        """The id of the whole pairing, the same for all matches of a block; empty for none."""
        return self.pairing_id.removesuffix(f".{self._place[2]}") if self.parts > 1 else self.pairing_id

    @property
    def series(self) -> str:
        """The tournament, ladder or run whose decisions concern the match; empty for none."""
        return self.tournament or self._place[0]

    @property
    def rating_order(self) -> tuple[int, str, int, int, int, tuple[int, str]]:
        """The place in the order in which ratings are folded.

        The periods are the days in UTC on which matches were made. Within a day the pairings of a
        series stand in their own order, whichever was played first.
        """
        series, number, part = self._place
        return self.created // DAY, series, _number(number), _number(part), self.attempt, self.order

    @property
    def _place(self) -> tuple[str, str, str]:
        """The parts of the pairing's id, `<series>/<number>.<part>`."""
        series, _, place = self.pairing_id.rpartition("/")
        number, _, part = place.partition(".")
        return series, number, part


def check(result: MatchResult) -> None:
    """Raises `RecordError` for a result that contradicts itself; names its log."""
    for problem in _problems(result):
        raise RecordError(f"{result.log or result.match_id}: {problem}; this match is left out")


def _problems(result: MatchResult) -> Iterable[str]:
    if result.termination not in COUNTED | UNCOUNTED:
        yield f"unknown termination {result.termination!r}"
    if not MIN_SEATS <= len(result.seats) <= MAX_SEATS:
        yield f"{len(result.seats)} seats are no match"
    yield from _out_of_range(result)
    if any("\0" in text or len(text) > _LONGEST for text in _texts(result)):
        yield f"a name or an id holds a zero byte, or more than {_LONGEST} characters"
    if not all(seat.bot.strip() for seat in result.seats):
        yield "a seat has no bot"
    if result.rated and not distinct(result.seats):
        yield "a bot holds two seats of a rated match"
    if result.termination in COUNTED:
        yield from _bad_forfeits(result)
        yield from _bad_places(result.seats)


def distinct(seats: Iterable[SeatResult]) -> bool:
    """Says whether no bot holds two seats; ids that differ in case or typographic form are of one bot."""
    bots = [folded(seat.bot) for seat in seats]
    return len(set(bots)) == len(bots)


def _bad_forfeits(result: MatchResult) -> Iterable[str]:
    """Says where forfeits and the end disagree: with one seat left a match is over, with none it is void."""
    standing = sum(not seat.forfeited for seat in result.seats)
    if not standing:
        yield f"all seats forfeited, so the match is void and not {result.termination}"
    if result.termination == "forfeited" and standing > 1:
        yield f"a match that ended by forfeits has one seat left, not {standing}"


def _out_of_range(result: MatchResult) -> Iterable[str]:
    """Says which numbers are none that a match can have; no database has to hold them."""
    if not 0 <= result.created <= MAX_CREATED:
        yield f"created {result.created} is no time of a match"
    if not 1 <= result.attempt <= MAX_COUNT:
        yield f"attempt {result.attempt} is no attempt at a pairing"
    if not 1 <= result.parts <= MAX_COUNT:
        yield f"{result.parts} matches are no block"
    if not 0 <= result.duration <= MAX_CREATED:
        yield f"{result.duration} microseconds are no length of a match"
    for number, seat in enumerate(result.seats):
        if not -MAX_SCORE <= seat.score <= MAX_SCORE:
            yield f"score {seat.score} of seat {number} is out of range"
        counts = {"place": seat.rank, "strikes": seat.strikes, **seat.faults}
        for kind, count in counts.items():
            if not 0 <= count <= MAX_COUNT:
                yield f"{count} is no count of {kind!r} of seat {number}"
        if not (0 <= seat.turns <= MAX_COUNT and 0 <= seat.longest <= seat.think <= MAX_CREATED):
            yield f"{seat.turns} turns in {seat.think} microseconds cannot be those of seat {number}"


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def _texts(result: MatchResult) -> Iterable[str]:
    yield from (result.match_id, result.pairing_id, result.deal_group, result.game, result.rules_version)
    yield result.tournament
    for seat in result.seats:
        yield from (seat.owner, seat.bot, seat.name, seat.version, seat.cause)


def _bad_places(seats: tuple[SeatResult, ...]) -> Iterable[str]:
    ranks = [seat.rank for seat in seats]
    if any(rank != 1 + sum(other < rank for other in ranks) for rank in ranks):
        yield f"places {ranks} are no places of {len(ranks)} seats"
    standing = sorted((seat.rank, seat.score) for seat in seats if not seat.forfeited)
    if standing and any(seat.rank <= standing[-1][0] for seat in seats if seat.forfeited):
        yield "a forfeited seat is not placed last"
    if not _agree(standing):
        yield f"places and scores disagree: (place, score) {standing}"
    forfeits = [number for number, seat in enumerate(seats) if seat.forfeited]
    expected = points(ranks, forfeits)
    if not all(abs(seat.points - point) <= _EXACT for seat, point in zip(seats, expected, strict=True)):
        yield f"placement points {[seat.points for seat in seats]} do not follow from places {ranks}"


def _agree(standing: list[tuple[int, int]]) -> bool:
    """Says whether equal scores share a place and scores run one way, whichever is the better."""
    steps = {
        (rank != before[0], (score > before[1]) - (score < before[1]))
        for before, (rank, score) in pairwise(standing)
    }
    return steps <= {(False, 0), (True, 1)} or steps <= {(False, 0), (True, -1)}
