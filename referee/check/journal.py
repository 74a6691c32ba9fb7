"""What was said between one bot and the referee, with the times at which it passed the front.

Times are whole microseconds of the monotonic clock. What a bot did that no situation asked for is an
offence; each scenario judges its own match, and the offences of all of them are judged together.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Final

from referee.check.notes import MatchNotes, Offence, Question, StreamNotes
from referee.v1 import fault_pb2
from referee.v1 import play_service_pb2 as pb

ANSWERED_TWICE: Final = "ANSWERED_TWICE"
"""The offence of a turn that was answered again, though it was neither refused nor told again."""
SECOND_STREAM: Final = "SECOND_STREAM"
"""The offence of a stream that took over from a live one of the same instance."""
DROPPED: Final = "DROPPED"
"""The offence of a stream that its bot ended in the middle of a match."""
CLOSED: Final = "CLOSED"
"""The offence for which the referee closed a stream."""
CAME_BACK: Final = "CAME_BACK"
"""The offence of dialling in again after UNAUTHENTICATED."""
SLOW_CONSUMER: Final = "SLOW_CONSUMER"
"""The offence of not reading."""

_OPEN_AGAIN: Final = frozenset({fault_pb2.FAULT_KIND_ILLEGAL, fault_pb2.FAULT_KIND_MALFORMED})


def times(number: int) -> str:
    """Returns how often something happened, in words."""
    return "once" if number == 1 else f"{number} times"


def now() -> int:
    """Returns the time in microseconds."""
    return time.monotonic_ns() // 1000


class Journal:
    """The notes of one scenario. `spared` are the turns, by match and id, that the scenario has spoiled."""

    def __init__(self) -> None:
        self.streams: list[StreamNotes] = []
        self.matches: dict[str, MatchNotes] = {}
        self.offences: list[Offence] = []
        self.attempts: list[int] = []
        """When a stream was tried to be opened while none was to be had."""
        self.shut_out: list[str] = []
        """What each call lacked that was refused with UNAUTHENTICATED."""
        self.spared: set[tuple[str, int]] = set()
        self.over = False
        """The scenario has ended; how the streams end now says nothing of the bot."""
        self.pulse: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done at the next note."""

    # What is asked

    @property
    def greeted(self) -> list[StreamNotes]:
        """The streams that reached `Welcome`."""
        return [stream for stream in self.streams if stream.welcome is not None]

    @property
    def answered(self) -> int:
        """How many turns of all matches were answered."""
        return sum(match.answered for match in self.matches.values())

    @property
    def barred(self) -> str:
        """Says that calls were refused, how many, and why; nothing where none was."""
        if self.shut_out:
            why = " and ".join(dict.fromkeys(self.shut_out))
            return f"it dialled in {times(len(self.shut_out))} {why}"
        if refused := [stream for stream in self.streams if stream.refusal]:
            what = "its Hello" if refused[-1].hello else "a stream without a Hello"
            often = f" {times(len(refused))}" if len(refused) > 1 else ""
            return f"{what} was refused{often} with {refused[-1].refusal}"
        return ""

    def questions(self) -> Iterator[tuple[MatchNotes, Question]]:
        """Yields all turns of all matches."""
        for match in self.matches.values():
            for question in match.questions.values():
                yield match, question

    def question(self, match_id: str, turn_id: int) -> Question | None:
        """Returns a turn that was told; None for any other."""
        match = self.matches.get(match_id)
        return match.questions.get(turn_id) if match else None

    async def until(self, true: Callable[[], object], limit: float) -> bool:
        """Waits until something holds, for `limit` seconds; says whether it does."""
        loop = asyncio.get_running_loop()
        end = loop.time() + limit
        while not true():
            left = end - loop.time()
            if left <= 0:
                return False
            await asyncio.wait({self.pulse}, timeout=left)
        return True

    # What is noted

    def stir(self) -> None:
        """Wakes those who wait for a note."""
        self.pulse.set_result(None)
        self.pulse = asyncio.get_running_loop().create_future()

    def offend(self, kind: str, text: str, match_id: str = "", turn_id: int = 0) -> None:
        """Notes an offence, unless it belongs to a match that was called off."""
        if not self.over:
            self.offences.append(Offence(kind, text, match_id, turn_id))
            self.stir()

    def opened(self) -> StreamNotes:
        """Notes a new stream."""
        stream = StreamNotes(now())
        self.streams.append(stream)
        self.stir()
        return stream

    def attempted(self) -> None:
        """Notes a stream that was refused because there is no referee behind the front now."""
        self.attempts.append(now())
        self.stir()

    def unauthenticated(self, why: str) -> None:
        """Notes a call that did not show the token."""
        if self.shut_out:
            self.offend(CAME_BACK, f"it was refused with UNAUTHENTICATED, and dialled in again {why}")
        self.shut_out.append(why)
        self.stir()

    def ended(self, stream: StreamNotes, ender: str) -> None:
        """Notes the end of a stream, by `bot`, `referee` or `check`."""
        if stream.ended is None:
            stream.ended, stream.ender = now(), ender
            running = any(match.ended is None for match in self.matches.values())
            if ender == "bot" and running and not stream.goodbye:
                self.offend(DROPPED, "it ended its stream in the middle of a match")
            self.stir()

    def told(self, stream: StreamNotes, frames: list[pb.PlayResponseFrame]) -> None:
        """Notes what the bot is told in one message."""
        at, turns = now(), stream.turns
        for frame in frames:
            self._told(stream, frame, at)
        stream.messages += stream.turns > turns
        self.stir()

    def said(self, stream: StreamNotes, frames: list[pb.PlayRequestFrame], at: int) -> None:
        """Notes what the bot said in one message that arrived at a time."""
        acts = stream.acts
        for frame in frames:
            self._said(stream, frame, at)
        stream.replies += stream.acts > acts
        self.stir()

    def _told(self, stream: StreamNotes, frame: pb.PlayResponseFrame, at: int) -> None:
        match frame.WhichOneof("frame"):
            case "turn":
                notes = self.matches.get(frame.turn.match_id)
                if notes:
                    stream.turns += 1
                    question = notes.questions.setdefault(frame.turn.turn_id, Question(frame.turn))
                    question.told.append(at)
            case "match_started":
                self.matches.setdefault(frame.match_started.match_id, MatchNotes(frame.match_started, at))
            case "match_ended":
                if frame.match_ended.match_id in self.matches:
                    self.matches[frame.match_ended.match_id].ended = frame.match_ended
            case "rejected":
                self._rejected(frame.rejected)
            case "welcome":
                stream.welcome = frame.welcome
            case "goodbye":
                stream.goodbye = frame.goodbye.reason

    def _rejected(self, rejected: pb.Rejected) -> None:
        if rejected.fault not in fault_pb2.FaultKind.values():
            return  # no word of this referee
        notes = self.matches.get(rejected.match_id)
        if notes:
            notes.rejected.append(rejected)
        question = self.question(rejected.match_id, rejected.answered_turn_id)
        if question and rejected.fault in _OPEN_AGAIN and not rejected.HasField("played_action"):
            question.refusals += 1
        self._known_by_a_better_name(rejected)
        if (rejected.match_id, rejected.answered_turn_id) not in self.spared:
            kind = fault_pb2.FaultKind.Name(rejected.fault).removeprefix("FAULT_KIND_")
            about = f"turn {rejected.answered_turn_id}: " if rejected.answered_turn_id else ""
            self.offend(kind, f"{about}{rejected.reason}", rejected.match_id, rejected.answered_turn_id)

    def _known_by_a_better_name(self, rejected: pb.Rejected) -> None:
        """Forgets that a turn was answered twice where the referee has a name for that."""
        for offence in self.offences:
            named = offence.match_id == rejected.match_id and offence.turn_id == rejected.answered_turn_id
            if offence.kind == ANSWERED_TWICE and named:
                self.offences.remove(offence)
                return

    def _said(self, stream: StreamNotes, frame: pb.PlayRequestFrame, at: int) -> None:
        match frame.WhichOneof("frame"):
            case "act":
                stream.acts += 1
                self._acted(frame.act, at)
            case "ready":
                notes = self.matches.get(frame.ready.match_id)
                if notes and notes.ready is None:
                    notes.ready, notes.entropy = at, len(frame.ready.entropy)
            case "hello":
                self._greets(stream, frame.hello)
            case "leave":
                stream.left = True

    def _acted(self, act: pb.Act, at: int) -> None:
        question = self.question(act.match_id, act.turn_id)
        if question is None:
            return  # the referee says what it is
        question.answers.append(at)
        asked = len(question.told) + question.refusals
        if len(question.answers) > asked and (act.match_id, act.turn_id) not in self.spared:
            text = f"turn {act.turn_id} was answered a second time"
            self.offend(ANSWERED_TWICE, text, act.match_id, act.turn_id)

    def _greets(self, stream: StreamNotes, hello: pb.Hello) -> None:
        stream.hello = stream.hello or hello
        for other in self.streams:
            same = other.hello is not None and other.hello.instance_id == hello.instance_id
            if other is not stream and same and other.ended is None and other.welcome is not None:
                self.offend(SECOND_STREAM, "it opened a second stream while its first one was open")
