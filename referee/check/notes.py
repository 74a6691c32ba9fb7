"""What a journal holds: matches with their turns, streams, and offences."""

from dataclasses import dataclass, field
from typing import NamedTuple

from referee.v1 import play_service_pb2 as pb


class Offence(NamedTuple):
    """Something that no situation asked for; `kind` is a fault of the contract, or one from above."""

    kind: str
    text: str
    match_id: str = ""
    turn_id: int = 0


@dataclass(slots=True)
class Question:
    """One turn of the bot: when it was told, again on each new stream, and when it was answered."""

    turn: pb.Turn
    told: list[int] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    refusals: int = 0
    """How often an answer was refused with the turn still open."""

    @property
    def think(self) -> int | None:
        """The time from the first telling to the first answer; None without one."""
        return self.answers[0] - self.told[0] if self.answers else None


@dataclass(slots=True)
class MatchNotes:
    """One match of the bot."""

    started: pb.MatchStarted
    at: int
    ready: int | None = None
    entropy: int = 0
    """How many bytes its `Ready` brought for the deals."""
    questions: dict[int, Question] = field(default_factory=dict)
    rejected: list[pb.Rejected] = field(default_factory=list)
    ended: pb.MatchEnded | None = None

    @property
    def game(self) -> str:
        """The name of its game."""
        return self.started.game

    @property
    def answered(self) -> int:
        """How many turns were answered."""
        return sum(bool(question.answers) for question in self.questions.values())


@dataclass(slots=True)
class StreamNotes:
    """One stream: what the bot said hello with, and how it ended, by the word of `ender`."""

    opened: int
    hello: pb.Hello | None = None
    welcome: pb.Welcome | None = None
    refusal: str = ""
    """With which status, and why, the referee ended it before `Welcome`."""
    left: bool = False
    """The bot said `Leave`."""
    ended: int | None = None
    ender: str = ""
    goodbye: int = 0
    messages: int = 0
    """Messages with turns that were told."""
    turns: int = 0
    replies: int = 0
    """Messages with acts that came."""
    acts: int = 0
