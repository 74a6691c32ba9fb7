"""The frames of one seat, made anew from a log, and the judgement of an answer to a turn of it.

The machine plays the match again from its records and the codec builds the frames, so the seat is told
what it was told in the match, by the same code. Two things are left out, since they answer what the bot
did then: its own refusals, and that its stream ended and came back. Every turn is asked once.
"""

from collections.abc import Iterator
from typing import NamedTuple

from referee.errors import MalformedActionError, RecordError, RulesError
from referee.games import find
from referee.match import events as ev
from referee.match.attempt import raw, resolve
from referee.match.journal import Sink
from referee.match.machine import Match
from referee.replay.reader import Log
from referee.replay.resimulate import Resimulation
from referee.server import frames
from referee.server.answers import attempt_of
from referee.server.codec import Codec, Wish
from referee.v1 import fault_pb2 as faults
from referee.v1 import play_service_pb2 as pb

_PLAYED_ON = "this is a drill: the match goes on as in the log"


class Question(NamedTuple):
    """A turn of the seat: the frame, the time that it had, and the record of what was played then."""

    frame: bytes
    turn: int
    budget: int
    deal: int
    ply: int
    record: ev.Act | ev.Default | None


class Judgement(NamedTuple):
    """An answer in text, its fault (empty for none), what was wrong, and whether the log has the same."""

    answer: str
    fault: str
    reason: str
    same: bool


class Feed:
    """One seat of a log; raises `RecordError` for a log that cannot be played again."""

    def __init__(self, log: Log, seat: int) -> None:
        if log.secret is None:
            raise RecordError("its turns cannot be dealt again without the secret, which is not beside it")
        self.game = find(log.setup.game)
        self._log = log
        self._seat = seat
        self._now = 0
        self._codec = Codec(log.setup, self.game, [Wish()] * len(log.setup.seats))
        self._simulation = Resimulation(log.setup, log.secret, self.game, self._adopt)
        self._played = {
            record.turn: record
            for record in log.records
            if isinstance(record, ev.Act | ev.Default) and record.seat == seat and record.turn
        }

    @property
    def turns(self) -> int:
        """Counts the turns of the seat in the log."""
        return sum(isinstance(record, ev.Turn) and record.seat == self._seat for record in self._log.records)

    def wish(self, wish: Wish) -> None:
        """Takes what the bot wished for in `Hello`."""
        self._codec.wish(self._seat, wish)

    def started(self) -> bytes:
        """Returns the first word of the match."""
        return self._codec.started(self._seat)

    def again(self) -> bytes:
        """Returns the match told again to a new stream, with the open turn."""
        match = self._simulation.match
        self._codec.resync(match, self._seat, self._now)
        return b"".join(out.data for out in self._codec.take() if out.seat == self._seat)

    def steps(self) -> Iterator[bytes | Question]:
        """Yields frames for the seat, and its turns as they come; the table waits at each."""
        for record in self._log.records:
            divergence = self._simulation.step(record)
            if divergence:
                raise RecordError(divergence.problem, divergence.line)
            self._now = record.t
            self._codec.settle(self._simulation.match, record.t)
            for out in self._codec.take():
                if out.seat != self._seat:
                    continue
                if out.turn:
                    yield self._question(out.data, out.turn)
                elif told := _without_refusals(out.data):
                    yield told

    def judge(self, act: pb.Act, question: Question) -> Judgement:
        """Returns what an answer to the open turn is."""
        state, text = self._simulation.match.state, self.game.text
        attempt = attempt_of(act, self.game)
        try:
            action = resolve(attempt, state, text)
        except RulesError as error:
            fault = "malformed" if isinstance(error, MalformedActionError) else "illegal"
            return Judgement(" ".join(filter(None, raw(attempt, text))), fault, str(error), same=False)
        same = False
        if question.record:
            logged = text.parse_action(question.record.action)
            same = state.normalise(logged) == state.normalise(action)
        return Judgement(text.action(action), "", "", same=same)

    def refusal(self, question: Question, judgement: Judgement | None) -> bytes:
        """Returns what tells the bot that something else was played than it answered; None for no answer."""
        message = pb.Rejected(match_id=self._log.setup.match_id, answered_turn_id=question.turn)
        kind = (judgement.fault if judgement else "") or "late"
        message.fault = faults.FaultKind.Value(f"FAULT_KIND_{kind.upper()}")
        if judgement is None:
            message.reason = f"no answer before the deadline; {_PLAYED_ON}"
        else:
            message.reason = f"{judgement.reason}; {_PLAYED_ON}" if judgement.reason else _PLAYED_ON
        if question.record:
            played = self.game.text.parse_action(question.record.action)
            message.played_action.ParseFromString(self.game.wire.action(played))
        return frames.frame("rejected", message.SerializeToString())

    def _question(self, data: bytes, turn: int) -> Question:
        match = self._simulation.match
        budget = match.open_turn.budget if match.open_turn else 0
        return Question(data, turn, budget, match.state.deal, match.plies, self._played.get(turn))

    def _adopt(self, match: Match) -> Sink:
        return lambda record: self._codec.record(match, record)


def _without_refusals(data: bytes) -> bytes:
    told = pb.PlayResponse.FromString(data)
    kept = [frame for frame in told.frames if frame.WhichOneof("frame") != "rejected"]
    return data if len(kept) == len(told.frames) else pb.PlayResponse(frames=kept).SerializeToString()
