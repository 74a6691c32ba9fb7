"""Matches as the operator is told of them: with all names, also while they run."""

from google.protobuf.timestamp_pb2 import Timestamp

from referee.match.config import Setup
from referee.match.flow import COUNTING
from referee.server.live import LiveMatch
from referee.tournament.result import MatchResult
from referee.v1 import match_pb2
from referee.v1.game_pb2 import GameOption


def timestamp(microseconds: int) -> Timestamp:
    """Returns a time since the Unix epoch as the wire has it."""
    seconds, rest = divmod(microseconds, 1_000_000)
    return Timestamp(seconds=seconds, nanos=rest * 1000)


def running_match(live: LiveMatch) -> match_pb2.Match:
    """Returns a match of this process, as it runs or as it has just ended."""
    setup, end = live.match.setup, live.match.end
    message = match_pb2.Match(
        match_id=setup.match_id,
        game=setup.game,
        options=[GameOption(option=name, value=str(value)) for name, value in setup.options.items()],
        seats=_seats(setup),
        state=match_pb2.MATCH_STATE_ENDED if end else match_pb2.MATCH_STATE_RUNNING,
        create_time=timestamp(setup.created),
    )
    if end:
        message.termination = _termination(end.termination)
        message.end_time.CopyFrom(timestamp(setup.created + end.t))
        for place in end.places if end.termination in COUNTING else ():
            message.placements.add(
                seat=place.seat,
                rank=place.rank,
                score=place.score,
                points=place.points,
                forfeited=place.forfeited,
                display_name=setup.seats[place.seat].name,
            )
    return message


def ended_match(result: MatchResult) -> match_pb2.Match:
    """Returns a match by its result."""
    counted = [(number, seat) for number, seat in enumerate(result.seats) if seat.rank]
    return match_pb2.Match(
        match_id=result.match_id,
        game=result.game,
        options=[GameOption(option=name, value=str(value)) for name, value in result.options.items()],
        seats=[
            match_pb2.Seat(seat=number, display_name=seat.name, bot_id=seat.bot, bot_version=seat.version)
            for number, seat in enumerate(result.seats)
        ],
        state=match_pb2.MATCH_STATE_ENDED,
        termination=_termination(result.termination),
        placements=[
            match_pb2.Placement(
                seat=number,
                rank=seat.rank,
                score=seat.score,
                points=seat.points,
                forfeited=seat.forfeited,
                display_name=seat.name,
            )
            for number, seat in counted
        ],
        create_time=timestamp(result.created),
        end_time=timestamp(result.created + result.duration),
    )


def _seats(setup: Setup) -> list[match_pb2.Seat]:
    return [
        match_pb2.Seat(seat=at, display_name=info.name, bot_id=info.bot, bot_version=info.version)
        for at, info in enumerate(setup.seats)
    ]


def _termination(name: str) -> match_pb2.Termination.ValueType:
    return match_pb2.Termination.Value(f"TERMINATION_{name.upper()}")
