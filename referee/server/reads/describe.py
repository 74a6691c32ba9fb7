"""Matches as messages for reading."""

from collections.abc import Iterable, Mapping

from google.protobuf.timestamp_pb2 import Timestamp

from referee.match.config import SECOND, Setup
from referee.match.machine import Match
from referee.server import announce
from referee.tournament.result import COUNTED, MatchResult
from referee.v1 import match_pb2
from referee.v1.game_pb2 import GameOption


def running(match: Match) -> match_pb2.Match:
    """Returns a match that is played here, with no more than its seats know of each other."""
    starting = match.phase == "starting"
    state = match_pb2.MATCH_STATE_STARTING if starting else match_pb2.MATCH_STATE_RUNNING
    return unfinished(match.setup, state)


def unfinished(setup: Setup, state: "match_pb2.MatchState.ValueType") -> match_pb2.Match:
    """Returns what is told of a match before its end, in one of the states before it."""
    return match_pb2.Match(
        match_id=setup.match_id,
        game=setup.game,
        options=options(setup.options),
        seats=announce.seats(setup),
        state=state,
        create_time=timestamp(setup.created),
    )


def finished(result: MatchResult, *, named: bool = True) -> match_pb2.Match:
    """Returns a match that has ended, with the names of its bots if these may be told."""
    counted = result.termination in COUNTED
    seats = [
        match_pb2.Seat(seat=at, display_name=one.name, bot_id=one.bot, bot_version=one.version)
        for at, one in enumerate(result.seats)
    ]
    return match_pb2.Match(
        match_id=result.match_id,
        game=result.game,
        options=options(result.options),
        seats=seats if named else announce.nameless(len(seats)),
        state=match_pb2.MATCH_STATE_ENDED,
        termination=termination(result.termination),
        placements=_placements(result, named=named) if counted else (),
        create_time=timestamp(result.created),
        end_time=timestamp(result.created + result.duration),
    )


def _placements(result: MatchResult, *, named: bool) -> Iterable[match_pb2.Placement]:
    for at, seat in enumerate(result.seats):
        yield match_pb2.Placement(
            seat=at,
            rank=seat.rank,
            score=seat.score,
            points=seat.points,
            forfeited=seat.forfeited,
            display_name=seat.name if named else announce.nobody(at),
        )


def termination(name: str) -> "match_pb2.Termination.ValueType":
    """Returns a termination by its name in the logs."""
    return match_pb2.Termination.Value(f"TERMINATION_{name.upper()}")


def options(values: Mapping[str, int | str]) -> list[GameOption]:
    """Returns options by name."""
    return [GameOption(option=name, value=str(value)) for name, value in sorted(values.items())]


def timestamp(microseconds: int) -> Timestamp:
    """Returns a time of the wall clock, given in microseconds since the Unix epoch."""
    seconds, rest = divmod(microseconds, SECOND)
    return Timestamp(seconds=seconds, nanos=rest * 1000)
