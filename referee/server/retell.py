"""Tells a match again from its log, by the code that told it while it was played.

The machine plays the match again and the codec builds its frames, so a seat is told what it was told
live, to the byte but for what no log holds: what its bot wished for in `Hello` (it is told as one that
wished for nothing special), frames that its stream never took, and how much later than its record a frame
left. Of what happened while its stream was gone it hears when it is back.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from referee.errors import RecordError
from referee.games import find
from referee.match import events as ev
from referee.match.journal import Sink
from referee.match.machine import Match
from referee.replay.reader import Log
from referee.replay.resimulate import Resimulation
from referee.server.codec import Codec, Wish
from referee.server.watch import message
from referee.server.watch.past import past
from referee.server.watch.telling import BEGINNING


class Heard(NamedTuple):
    """Frames for one seat: a `PlayResponse`, most often of one frame.

    `n` is the log record that they follow from, 0 for the first word; `t` is its time.
    """

    n: int
    t: int
    seat: int
    data: bytes


def retell(log: Log, wish: Wish | None = None) -> Iterator[Heard]:
    """Yields what all seats were told, in order, up to the first bad line of the log.

    Raises `RecordError` where the log has no secret, or a record that does not follow from the others.
    """
    if log.secret is None:
        raise RecordError("what its seats were told takes the secret of its deals, which is not beside it")
    telling = _Telling(log, log.secret, wish or Wish())
    yield from telling.start()
    for record in log.records:
        yield from telling.step(record)


def retell_spectator(log: Log) -> Iterator[bytes]:
    """Yields what a spectator was told, without the delay: messages as `WatchMatch` streams them."""
    yield message.started(log.setup, BEGINNING, 0)
    yield from (group.data for group in past(log, ply=-1).groups)
    if log.end:
        yield message.ended(log.setup, log.end)


class _Telling:
    """The machine, the codec, and which seats have no stream."""

    def __init__(self, log: Log, secret: bytes, wish: Wish) -> None:
        seats = len(log.setup.seats)
        game = find(log.setup.game)
        self._codec = Codec(log.setup, game, [wish] * seats)
        self._seats = range(seats)
        self._away: set[int] = set()
        self._marks: list[ev.Record] = []
        """The record that each frame of the codec follows from."""
        self._held: deque[Heard] = deque()
        """What follows from records that are not known to be in the log: nobody has heard it yet."""
        self._simulation = Resimulation(log.setup, secret, game, self._adopt)

    def start(self) -> Sequence[Heard]:
        """Returns the first word to each seat."""
        return [Heard(0, 0, seat, self._codec.started(seat)) for seat in self._seats]

    def step(self, record: ev.Record) -> Iterator[Heard]:
        """Takes the next record and yields what is told once it is in the log."""
        divergence = self._simulation.step(record)
        if divergence:
            raise RecordError(divergence.problem, divergence.line)
        if isinstance(record, ev.Resumed):
            self._away = set(self._seats)
        elif isinstance(record, ev.Dropped):
            self._away.add(record.seat)
        elif isinstance(record, ev.Act | ev.Rejected):
            self._away.discard(record.seat)  # who answers is there
        elif isinstance(record, ev.Rejoined):
            self._away.discard(record.seat)
            self._codec.resync(self._simulation.match, record.seat, record.t)
            self._mark(record)
        self._codec.settle(self._simulation.match, record.t)
        marks, self._marks = self._marks, []
        for cause, out in zip(marks, self._codec.take(), strict=True):
            self._held.append(Heard(cause.n, cause.t, out.seat, out.data))
        while self._held and self._held[0].n <= record.n:
            heard = self._held.popleft()
            if heard.seat not in self._away:
                yield heard

    def _adopt(self, match: Match) -> Sink:
        def take(record: ev.Record) -> None:
            self._codec.record(match, record)
            self._mark(record)

        return take

    def _mark(self, record: ev.Record) -> None:
        self._marks += [record] * (len(self._codec.out) - len(self._marks))
