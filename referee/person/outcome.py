"""What a match came to for a person: the place, the scores, and ranking points for a win."""

from typing import NamedTuple

from referee.person.seat import Seat
from referee.tournament.leaderboard import RANKING_POINTS
from referee.v1 import match_pb2

_COUNTED = (match_pb2.TERMINATION_COMPLETED, match_pb2.TERMINATION_ADJUDICATED)


class Outcome(NamedTuple):
    """How a match ended for one seat.

    Attributes:
        place: the place of the seat; 0 where the match does not count.
        shared: whether others have it too.
        points: the ranking points of a match that was won, with the first place alone; else 0.
        forfeited: whether the seat lost by conduct.
        note: why the match ended, for people; empty where it went to its end.
    """

    place: int = 0
    shared: bool = False
    points: int = 0
    forfeited: bool = False
    note: str = ""


def outcome(seat: Seat) -> Outcome:
    """Returns what the match of a seat came to; it has ended."""
    ended, started = seat.ended, seat.started
    if ended is None or started is None:
        raise ValueError("the match has not ended")
    own = next((one for one in ended.placements if one.seat == started.seat), None)
    if own is None:
        return Outcome(note=ended.note)
    shared = sum(one.rank == own.rank for one in ended.placements) > 1
    won = own.rank == 1 and not shared and not own.forfeited
    note = "" if ended.termination in _COUNTED else ended.note
    return Outcome(own.rank, shared, RANKING_POINTS[seat.wish.level] if won else 0, own.forfeited, note)
