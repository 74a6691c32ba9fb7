"""Runs the match machine again from the records of a log.

Every record is either an input from outside (a seat was ready, answered, was late, dropped), or
follows from one. Inputs are read off the records and fed to the machine; whatever the machine then
gives out has to stand in the log, word for word. When a turn was first written is no record of its
own: it stands in the first record that depends on it (`start`, with the lag that counted).
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from referee.errors import MalformedActionError, RecordError
from referee.games.base import Game
from referee.match import events as ev
from referee.match.attempt import Attempt, Chosen, Index, Texted, Unreadable
from referee.match.config import Setup
from referee.match.journal import Sink
from referee.match.machine import Match
from referee.replay.record import kind_of

_encode = msgspec.json.Encoder().encode


class Divergence(NamedTuple):
    """A record that does not follow from those before it.

    `expected` and `found` are records as JSON; `expected` is empty where nothing may stand.
    """

    line: int
    problem: str
    expected: str
    found: str


class Rebuilt(NamedTuple):
    """A match as its log left it.

    `elapsed` is the time of the last logged record. `pending` are records that follow from the
    logged ones and that the crash cut off: they have to be appended before anything else.
    """

    match: Match
    elapsed: int
    pending: tuple[ev.Record, ...]


def rebuild(
    setup: Setup,
    secret: bytes,
    records: Iterable[ev.Record],
    game: Game,
    adopt: Callable[[Match], Sink] | None = None,
) -> Rebuilt:
    """Brings a machine to the state after the last record; raises `RecordError` for a bad one.

    `adopt` gets the new match and returns the sink that it keeps. That sink is called for the logged
    records too, in order, each at the moment when the state is as it says. The clock of the machine
    starts at 0; `Match.resumed` gives it another.
    """
    simulation = Resimulation(setup, secret, game, adopt)
    elapsed = 0
    for record in records:
        divergence = simulation.step(record)
        if divergence:
            raise RecordError(divergence.problem, divergence.line)
        elapsed = record.t
    return Rebuilt(simulation.match, elapsed, simulation.release())


class Resimulation:
    """A machine that is fed from records, one after another.

    Attributes:
        match: the machine; its clock starts at 0.
    """

    def __init__(
        self, setup: Setup, secret: bytes, game: Game, adopt: Callable[[Match], Sink] | None = None
    ) -> None:
        self.match = Match(setup, game, secret, 0, self._take)
        self._sink = adopt(self.match) if adopt else None
        self._pending: deque[ev.Record] = deque()
        self._collecting = True

    def step(self, record: ev.Record) -> Divergence | None:
        """Takes the next record; returns how it differs from what must stand there, or None."""
        if not self._pending:
            problem = self._feed(record)
            if problem or not self._pending:
                problem = problem or f"nothing leads to this {kind_of(record)} record"
                return Divergence(record.n + 1, problem, "", _text(record))
        expected = self._pending.popleft()
        if expected != record:
            return Divergence(record.n + 1, _difference(expected, record), _text(expected), _text(record))
        return None

    def release(self) -> tuple[ev.Record, ...]:
        """Ends the replay and returns what the machine gave out beyond the records taken."""
        self._collecting = False
        return tuple(self._pending)

    def _take(self, record: ev.Record) -> None:
        if self._collecting:
            self._pending.append(record)
        if self._sink:
            self._sink(record)

    def _feed(self, record: ev.Record) -> str:
        """Feeds the input that a record tells of; returns why it cannot be one, or nothing."""
        machine, t = self.match, record.t
        seat: int = getattr(record, "seat", 0)
        if not 0 <= seat < len(machine.setup.seats):
            return f"there is no seat {seat}"
        match record:
            case ev.Act() | ev.Rejected() | ev.Strike():
                return self._feed_conduct(record)
            case ev.Ready(entropy=entropy):
                return self._feed_ready(seat, entropy, t)
            case ev.Dropped():
                machine.dropped(seat, t)
            case ev.Rejoined():
                machine.rejoined(seat, t)
            case ev.Gone():
                machine.gone(seat, t)
            case ev.Stall(duration=duration) | ev.Resumed(duration=duration):
                if duration < 0:
                    return f"the referee cannot have stood still for {duration} microseconds"
                (machine.stalled if isinstance(record, ev.Stall) else machine.resumed)(duration, t)
            case ev.End(termination="void", note=note, at_fault=at_fault):
                machine.void(note, t, at_fault)
            case ev.End(termination="no_show"):
                machine.tick(t)
        return ""

    def _feed_ready(self, seat: int, entropy: str, t: int) -> str:
        try:
            self.match.ready(seat, bytes.fromhex(entropy), t)
        except ValueError:
            return "the entropy is not hexadecimal"
        return ""

    def _feed_conduct(self, record: ev.Act | ev.Rejected | ev.Strike) -> str:
        seat, t = record.seat, record.t
        if isinstance(record, ev.Strike) and record.fault != "late":
            return ""
        problem = self._start_clock(seat, record.start, record.credit)
        if problem:
            return problem
        match record:
            case ev.Strike():
                self.match.tick(t)
            case ev.Rejected(fault="rate_limited"):
                self.match.flooded(seat, t)
            case ev.Rejected(turn=turn):
                attempt = self._attempt(record)
                if attempt is None:
                    return f"{record.raw!r} is not an answer by {record.form}"
                self.match.act(seat, turn, attempt, t)
            case ev.Act(turn=turn, action=action):
                try:
                    self.match.act(seat, turn, Chosen(self.match.game.text.parse_action(action)), t)
                except MalformedActionError as error:
                    return str(error)
        return ""

    def _start_clock(self, seat: int, start: int, credit: int) -> str:
        question = self.match.open_turn
        if not question or question.seat != seat or question.start is not None or not start:
            return ""
        if start < question.since:
            return f"the clock started at {start}, before the turn was asked at {question.since}"
        self.match.asked(seat, question.turn, start + question.used, credit)
        return ""

    def _attempt(self, record: ev.Rejected) -> Attempt | None:
        """Returns the refused answer in the form in which it came."""
        try:
            match record.form:
                case "action":
                    return Chosen(self.match.game.text.parse_action(record.raw))
                case "index":
                    return Index(int(record.raw))
                case "text":
                    return Texted(record.raw)
        except (MalformedActionError, ValueError):
            return None
        return Unreadable(record.raw, record.reason)


def _difference(expected: ev.Record, found: ev.Record) -> str:
    kind = kind_of(found)
    if type(expected) is not type(found):
        return f"{kind} stands where {kind_of(expected)} must follow"
    fields = [field for field in found.__struct_fields__ if getattr(expected, field) != getattr(found, field)]
    told = (
        f"{field} is {_text(getattr(found, field))}, must be {_text(getattr(expected, field))}"
        for field in fields
    )
    return f"{kind}: {'; '.join(told)}"


def _text(value: object) -> str:
    return _encode(value).decode()
