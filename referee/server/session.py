"""One stream as a sans-I/O state machine: bytes in, signals out.

Theory of operation. A stream is `new` until a valid `Hello`, then `open`, `leaving` after `Leave`,
`closed` at the end. Each message holds frames; each frame is a kind, and `TRANSITIONS` says for each
state which kinds are taken and what state follows. What the table does not list is a fault by
construction: in `new` it closes the stream, later it counts as a stream fault, and the third one of
those closes the stream. Signals come one by one, so that what an act changed is known when the next
frame of the same message is judged. Time comes as an argument; nothing here waits.
"""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

import msgspec
from google.protobuf.message import DecodeError

from referee.errors import MalformedActionError
from referee.match.config import MAX_ENTROPY, SECOND
from referee.server import strict
from referee.server.config import Limits
from referee.server.hello import Introduction, introduce
from referee.server.load import Load
from referee.server.pings import PingBook
from referee.v1 import fault_pb2 as faults
from referee.v1 import play_service_pb2 as pb

State: TypeAlias = Literal["new", "open", "leaving", "closed"]
Kind: TypeAlias = Literal[
    "hello", "ready", "act", "pong", "leave", "practice", "unknown", "unparsable", "oversize", "crowded"
]

TRANSITIONS: Final[Mapping[State, Mapping[Kind, State]]] = {
    "new": {"hello": "open"},
    "open": {"ready": "open", "act": "open", "pong": "open", "practice": "open", "leave": "leaving"},
    "leaving": {"ready": "leaving", "act": "leaving", "pong": "leaving", "leave": "leaving"},
    "closed": {},
}
"""The state after each kind of frame that a state takes."""

_FAULT_OF: Final[Mapping[Kind, int]] = {
    "unknown": faults.FAULT_KIND_UNPARSABLE,
    "unparsable": faults.FAULT_KIND_UNPARSABLE,
    "oversize": faults.FAULT_KIND_OVERSIZE,
    "crowded": faults.FAULT_KIND_OVERSIZE,
}
_TOO_MUCH: Final = "the stream brings far more than a bot needs to say"
_FAULT_TEXT: Final[Mapping[Kind, str]] = {
    "unknown": "a frame has no arm that this protocol version knows",
    "unparsable": "these bytes are no PlayRequest of referee.v1",
    "oversize": "the message is larger than Limits.max_request_bytes",
    "crowded": "the message holds more frames than a bot of many matches needs",
}


class Acted(msgspec.Struct, frozen=True):
    """An act within the limits."""

    act: pb.Act


class ReadySaid(msgspec.Struct, frozen=True):
    """A seat is ready."""

    match_id: str
    entropy: bytes


class Flooded(msgspec.Struct, frozen=True):
    """Acts for a match are above the rate limit; told once a second and match.

    Acts that name no running match of this bot are counted together, as one match without id.
    """

    match_id: str


class LeaveAsked(msgspec.Struct, frozen=True):
    """The bot wants no new matches."""


class PracticeAsked(msgspec.Struct, frozen=True):
    """The bot wants an unrated match against house bots."""

    wish: pb.Practice


class StreamFault(msgspec.Struct, frozen=True):
    """Something on the stream was refused; it concerns no running match of the bot."""

    fault: int
    """A value of `FaultKind`."""
    reason: str
    match_id: str = ""
    """The match that it named, with the turn."""
    turn_id: int = 0


class Closing(msgspec.Struct, frozen=True):
    """The stream has to be closed."""

    reason: int
    """A value of `GoodbyeReason`."""
    note: str
    code: str = ""
    """The name of the gRPC status, where it is not the usual one of the reason."""


Signal: TypeAlias = (
    Introduction | Acted | ReadySaid | Flooded | LeaveAsked | PracticeAsked | StreamFault | Closing
)


class Session:
    """What one stream has said so far."""

    def __init__(self, limits: Limits, now: int) -> None:
        self.state: State = "new"
        self.fault_count = 0
        self._limits = limits
        self._load = Load(limits, now)
        self._told: dict[str, int] = {}
        """When a flood was last told, by running match."""
        self._told_strays = now - SECOND
        self._open_turns: dict[str, int] = {}
        self._pings = PingBook(self._open_turns)

    def receive(self, data: bytes, now: int) -> Iterator[Signal]:
        """Yields what a message means, frame by frame, each to be acted on before the next."""
        if self.state == "closed":
            return  # not even read: a flood may go on for a while
        if len(data) > self._limits.request_bytes:
            self.fault_count = self._limits.stream_faults
            yield from self._refuse("oversize")
            return
        try:
            request = pb.PlayRequest.FromString(data)
        except DecodeError:
            yield from self._refuse("unparsable")
            return
        if len(request.frames) > self._limits.request_frames:
            self.fault_count = self._limits.stream_faults
            yield from self._refuse("crowded")
            return
        if request.ByteSize() != len(data) and (problem := strict.problem(data, request.DESCRIPTOR)):
            yield from self._refuse("unparsable", problem)
            return
        answers = 0
        for frame in request.frames:
            if frame.WhichOneof("frame") == "act" and self._answers(frame.act):
                answers += 1
                yield Acted(frame.act)  # what nearly every frame is, on the shortest way
            else:
                yield from self._frame(frame, now)
        if not self._load.bears(len(data), len(request.frames), answers, now):
            yield from self._overloaded()

    def ping(self, now: int) -> int:
        """Returns the id of a ping to send now, or 0 while a turn is open or a ping is under way."""
        return self._pings.send(now) if self.state in {"open", "leaving"} else 0

    @property
    def lag(self) -> int:
        """The least way there and back that was measured lately, in microseconds."""
        return self._pings.lag

    def adopt(self, open_turns: dict[str, int]) -> None:
        """Takes the open turns of the bot by match id, kept up to date by those who run the matches."""
        self._open_turns = open_turns
        self._pings = PingBook(open_turns)

    def unknown_match(self, match_id: str, turn_id: int, *, ended: bool) -> Iterator[Signal]:
        """Yields what follows from a frame for a match in which the bot has no running seat.

        It is no fault where the match has just `ended`: the frame was on its way.
        """
        reason = "you have no running seat in this match"
        refusal = StreamFault(faults.FAULT_KIND_UNKNOWN_MATCH, reason, match_id, turn_id)
        if ended:
            yield refusal
        else:
            yield from self._count(refusal)

    def match_started(self, match_id: str) -> None:
        """Raises the rate limit by one match."""
        self._told.setdefault(match_id, -SECOND)
        self._load.match_started()

    def match_ended(self, match_id: str) -> None:
        """Lowers the rate limit by one match."""
        self._told.pop(match_id, None)
        self._load.match_ended()

    def turn_opened(self) -> None:
        """Forgets the ping under way: the bot has something better to do than to answer it."""
        self._pings.forget()

    def close(self) -> None:
        """Takes nothing more."""
        self.state = "closed"

    def _frame(self, frame: pb.PlayRequestFrame, now: int) -> Iterator[Signal]:
        kind: Kind = frame.WhichOneof("frame") or "unknown"
        following = TRANSITIONS[self.state].get(kind)
        if following is None:
            yield from self._refuse(kind)
        elif kind == "act":
            yield from self._act(frame.act, now)
        elif kind == "pong":
            self._pings.answered(frame.pong.ping_id, now)
        elif kind == "ready":
            yield from self._ready(frame.ready)
        elif kind == "hello":
            yield from self._hello(frame.hello)
        elif kind == "practice":
            yield PracticeAsked(frame.practice)
        elif self.state != following:
            self.state = following
            yield LeaveAsked()

    def _hello(self, hello: pb.Hello) -> Iterator[Signal]:
        try:
            introduction = introduce(hello)
        except MalformedActionError as error:
            self.state = "closed"
            yield Closing(pb.GOODBYE_REASON_BAD_HELLO, str(error))
            return
        self.state = "open"
        yield introduction

    def _ready(self, ready: pb.Ready) -> Iterator[Signal]:
        if len(ready.entropy) > MAX_ENTROPY:
            reason = f"Ready.entropy holds more than {MAX_ENTROPY} bytes"
            yield from self._count(StreamFault(faults.FAULT_KIND_OVERSIZE, reason))
        else:
            yield ReadySaid(ready.match_id, ready.entropy)

    def _answers(self, act: pb.Act) -> bool:
        """Says whether an act answers an open turn; those take no tokens."""
        return self._open_turns.get(act.match_id) == act.turn_id and "act" in TRANSITIONS[self.state]

    def _act(self, act: pb.Act, now: int) -> Iterator[Signal]:
        match_id = act.match_id
        if self._load.allows_act(now):
            yield Acted(act)
        elif match_id not in self._told:
            if now - self._told_strays >= SECOND:
                self._told_strays = now
                yield Flooded("")
        elif now - self._told[match_id] >= SECOND:
            self._told[match_id] = now
            yield Flooded(match_id)

    def _refuse(self, kind: Kind, reason: str = "") -> Iterator[Signal]:
        reason = reason or _FAULT_TEXT.get(kind, f"{kind} has no place here")
        if self.state == "new":
            self.state = "closed"
            code = "RESOURCE_EXHAUSTED" if kind in {"oversize", "crowded"} else ""
            yield Closing(pb.GOODBYE_REASON_BAD_HELLO, f"a stream begins with a valid Hello: {reason}", code)
            return
        yield from self._count(StreamFault(_FAULT_OF.get(kind, faults.FAULT_KIND_OUT_OF_ORDER), reason))

    def _overloaded(self) -> Iterator[Signal]:
        if self.state != "closed":
            self.state = "closed"
            yield Closing(pb.GOODBYE_REASON_STREAM_FAULTS, _TOO_MUCH, "RESOURCE_EXHAUSTED")

    def _count(self, refusal: StreamFault) -> Iterator[Signal]:
        self.fault_count += 1
        yield refusal
        if self.fault_count >= self._limits.stream_faults:
            self.state = "closed"
            code = "RESOURCE_EXHAUSTED" if refusal.fault == faults.FAULT_KIND_OVERSIZE else ""
            yield Closing(pb.GOODBYE_REASON_STREAM_FAULTS, refusal.reason, code)
