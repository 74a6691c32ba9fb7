"""One question to the bot, as `choose` sees it."""

from collections.abc import Sequence
from typing import TypeAlias

from google.protobuf.duration_pb2 import Duration

from referee.v1 import event_pb2, game_pb2, play_service_pb2

Answer: TypeAlias = game_pb2.Action | int | str
"""An action, its index in the legal actions of the turn, or its canonical text (`play 2-5 left`)."""


class Turn:
    """One question of one match, whole in itself.

    Attributes:
        message: the turn as it came.
        started: what is fixed about its match: seats, options, time control.
        rejected: why the last answer to this very turn was refused; None on the first try.
    """

    __slots__ = ("message", "rejected", "started")

    def __init__(
        self,
        message: play_service_pb2.Turn,
        started: play_service_pb2.MatchStarted,
        rejected: play_service_pb2.Rejected | None = None,
    ) -> None:
        self.message = message
        self.started = started
        self.rejected = rejected

    def __repr__(self) -> str:
        return f"Turn(match {self.match_id}, seat {self.seat}, turn {self.turn_id})"

    @property
    def match_id(self) -> str:
        """Returns the id of the match."""
        return self.message.match_id

    @property
    def game(self) -> str:
        """Returns the name of the game."""
        return self.started.game

    @property
    def seat(self) -> int:
        """Returns the bot's own seat, counted from 0."""
        return self.started.seat

    @property
    def turn_id(self) -> int:
        """Returns the number of the question: counted from 1 for this seat in this match."""
        return self.message.turn_id

    @property
    def observation(self) -> game_pb2.Observation:
        """Returns all that the seat may know now; the game's own arm is set."""
        return self.message.observation

    @property
    def legal_actions(self) -> Sequence[game_pb2.Action]:
        """Returns the legal actions in canonical order; empty if the bot asked for none."""
        return self.message.legal_actions

    @property
    def events(self) -> Sequence[event_pb2.Event]:
        """Returns what happened since the bot's last turn in this match, its own actions too."""
        return self.message.events

    @property
    def remaining(self) -> float:
        """Returns the seconds to the deadline, the bank included, as they were when it was asked."""
        return _seconds(self.message.clock.remaining_duration)

    @property
    def bank(self) -> float:
        """Returns the seconds of `remaining` that come out of the bank."""
        return _seconds(self.message.clock.bank_duration)


def _seconds(duration: Duration) -> float:
    return duration.seconds + duration.nanos / 1e9
