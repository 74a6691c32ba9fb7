"""What a person knows of a match, made from what the referee says; knows no network and no clock."""

import copy
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

from referee.v1 import event_pb2, fault_pb2, game_pb2
from referee.v1 import play_service_pb2 as play

PROTOCOL_VERSION: Final = 1
_ENTROPY_BYTES: Final = 16

Answer: TypeAlias = game_pb2.Action | int | str
"""An action, its index in the legal actions of the turn, or its canonical text."""
Told: TypeAlias = event_pb2.Event | play.DealEnded | play.Rejected
"""What there is to tell between two turns."""


class Phase(Enum):
    """How far it has come."""

    ASKING = "asking"
    """The match was asked for, and the house bots are on their way."""
    WAITING = "waiting"
    """The match runs, and others are to act."""
    TO_ACT = "to_act"
    """The person is asked."""
    ENDED = "ended"
    """The match is over."""
    REFUSED = "refused"
    """There is no match; `Seat.note` says why."""
    LOST = "lost"
    """The seat cannot be held any more; `Seat.note` says why."""


OVER: Final = frozenset({Phase.ENDED, Phase.REFUSED, Phase.LOST})
"""Where nothing follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The match that a person asks for; `options` are those that differ from the game's defaults."""

    game: str
    level: str
    options: Mapping[str, str] = field(default_factory=dict)

    def message(self) -> play.Practice:
        """Returns what to ask the referee."""
        options = [game_pb2.GameOption(option=name, value=value) for name, value in self.options.items()]
        return play.Practice(game=self.game, level=self.level, options=options, by_person=True)


class Seat:
    """One seat in one match, from the wish for it to its last word.

    Attributes:
        phase: how far it has come.
        version: grows with every change, so that others can wait for one.
        note: why it is refused or lost.
        given_up: whether a match that runs was left, which is a forfeit.
        started: what is fixed about the match; None before.
        turn: the last question, also when it is answered; None before the first.
        deadline: when the open turn runs out, on the clock of `take`, in seconds.
        told: what happened since the person's last answer, in order.
        events: what happened in this deal, in order.
        rejected: why the last answer to the open turn was refused; None when none was.
        deals: the results of the deals that ended.
        ended: the result of the match; None before.
    """

    def __init__(self, wish: Wish) -> None:
        self.wish = wish
        self.phase = Phase.ASKING
        self.version = 0
        self.note = ""
        self.given_up = False
        self.started: play.MatchStarted | None = None
        self.turn: play.Turn | None = None
        self.deadline = 0.0
        self.told: list[Told] = []
        self.events: list[event_pb2.Event] = []
        self.rejected: play.Rejected | None = None
        self.deals: list[play.DealEnded] = []
        self.ended: play.MatchEnded | None = None
        self._answered = False
        self._last_event = 0

    @property
    def observation(self) -> game_pb2.Observation | None:
        """Returns what the seat saw when it was last asked; None before."""
        return self.turn.observation if self.turn else None

    def still(self) -> "Seat":
        """Returns the seat as it is now, for another thread to read."""
        found = copy.copy(self)
        found.told, found.events, found.deals = [*self.told], [*self.events], [*self.deals]
        return found

    def hello(self) -> play.PlayRequest:
        """Returns the first message of a stream."""
        hello = play.Hello(
            protocol_version=PROTOCOL_VERSION,
            bot_version="person",
            instance_id="person",
            games=[self.wish.game],
            event_delivery=play.EVENT_DELIVERY_AT_ONCE,
            practice_only=True,
        )
        return play.PlayRequest(frames=[play.PlayRequestFrame(hello=hello)])

    def take(self, frame: play.PlayResponseFrame, now: float) -> list[play.PlayRequestFrame]:
        """Takes what the referee says, and returns what to say to that at once."""
        match frame.WhichOneof("frame"):
            case "welcome":
                return [] if self.started else [play.PlayRequestFrame(practice=self.wish.message())]
            case "ping":
                return [play.PlayRequestFrame(pong=play.Pong(ping_id=frame.ping.ping_id))]
            case "match_started":
                return self._on_started(frame.match_started)
            case "turn":
                self._on_turn(frame.turn, now)
            case "event":
                self._on_event(frame.event)
            case "rejected":
                self._on_rejected(frame.rejected, now)
            case "deal_ended":
                self.deals.append(frame.deal_ended)
                self._tell(frame.deal_ended)
            case "match_ended":
                self.ended = frame.match_ended
                self._change(Phase.ENDED)
            case "practice_refused" if self.started is None:
                self.refuse(frame.practice_refused)
        return []

    def answer(self, turn_id: int, answer: Answer) -> play.PlayRequest | None:
        """Returns the answer to a turn as it is sent; None where that turn is not open any more."""
        turn = self.turn
        if self.phase is not Phase.TO_ACT or turn is None or turn.turn_id != turn_id:
            return None
        act = play.Act(match_id=turn.match_id, turn_id=turn_id)
        if isinstance(answer, game_pb2.Action):
            act.action.CopyFrom(answer)
        elif isinstance(answer, str):
            act.text = answer
        else:
            act.index = answer
        self.rejected = None
        self._answered = True
        self._change(Phase.WAITING)
        return play.PlayRequest(frames=[play.PlayRequestFrame(act=act)])

    def refuse(self, refused: play.PracticeRefused) -> None:
        """Takes note that there is no match."""
        self.note = refused.note
        self._change(Phase.REFUSED)

    def lose(self, note: str, *, given_up: bool = False) -> None:
        """Takes note that the seat is lost; what is over stays as it is."""
        if self.phase not in OVER:
            self.note = note
            self.given_up = given_up and self.started is not None
            self._change(Phase.LOST)

    def _on_started(self, started: play.MatchStarted) -> list[play.PlayRequestFrame]:
        self.started = started
        self._change(Phase.WAITING)
        ready = play.Ready(match_id=started.match_id, entropy=os.urandom(_ENTROPY_BYTES))
        return [play.PlayRequestFrame(ready=ready)]

    def _on_turn(self, turn: play.Turn, now: float) -> None:
        self._answered = False
        self.turn = turn
        self.rejected = None
        self._time_left(turn.clock.remaining_duration.ToMicroseconds(), now)
        self._change(Phase.TO_ACT)

    def _on_event(self, event: event_pb2.Event) -> None:
        if event.event_id > self._last_event:  # a new stream is told all of them again
            self._last_event = event.event_id
            if _begins_deal(event):
                self.events = []
            self.events.append(event)
            self._tell(event)

    def _on_rejected(self, rejected: play.Rejected, now: float) -> None:
        if rejected.HasField("played_action"):
            self._tell(rejected)
            self._change(Phase.WAITING)
            return
        turn = self.turn
        open_still = turn is not None and turn.turn_id == rejected.turn_id == rejected.answered_turn_id
        if open_still and rejected.fault in _ANOTHER_TRY:
            self._answered = False
            self.rejected = rejected
            self._time_left(rejected.remaining_duration.ToMicroseconds(), now)
            self._change(Phase.TO_ACT)

    def _time_left(self, microseconds: int, now: float) -> None:
        self.deadline = now + microseconds / 1e6

    def _tell(self, what: Told) -> None:
        if self._answered:  # the answer was taken: what follows is news
            self._answered = False
            self.told = []
        self.told.append(what)
        self.version += 1

    def _change(self, phase: Phase) -> None:
        self.phase = phase
        self.version += 1


def _begins_deal(event: event_pb2.Event) -> bool:
    game = event.game.WhichOneof("game") if event.WhichOneof("detail") == "game" else None
    return game is not None and getattr(event.game, game).WhichOneof("kind") in {"dealt", "engine"}


_ANOTHER_TRY: Final = (fault_pb2.FAULT_KIND_ILLEGAL, fault_pb2.FAULT_KIND_MALFORMED)
