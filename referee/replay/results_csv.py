"""The results of matches as CSV: one row for each match and seat."""

import csv
import io
from collections.abc import Iterable
from typing import Final, get_args

from referee.errors import RecordError, printable
from referee.match.events import FaultName
from referee.replay.export import Match, Seat

KINDS: Final = get_args(FaultName)
"""The kinds of faults, each of which has a column."""
COLUMNS: Final = (
    "match_id",
    "tournament",
    "pairing_id",
    "attempt",
    "deal_group",
    "game",
    "rules_version",
    "options",
    "created",
    "rated",
    "termination",
    "duration_us",
    "seat",
    "bot",
    "owner",
    "name",
    "version",
    "rank",
    "score",
    "points",
    "forfeited",
    "cause",
    "strikes",
    *(f"faults_{kind}" for kind in KINDS),
    "turns",
    "think_us",
    "longest_think_us",
)
"""The columns, in order; new ones are added at the end."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet works out instead of showing it."""


def heading() -> str:
    """Returns the line with the names of the columns."""
    return _line(COLUMNS)


def rows(match: Match) -> str:
    """Returns the lines of a match, one for each seat; raises `RecordError` for one that is not over."""
    if match.termination is None:
        raise RecordError("the match has no result yet")
    return "".join(_line(_row(match, seat)) for seat in match.seats)


def _row(match: Match, seat: Seat) -> Iterable[object]:
    place = seat.place
    if place is None:
        raise RecordError(f"seat {seat.seat} has no result")
    yield from (match.match_id, _text(match.tournament), _text(match.pairing_id), match.attempt)
    yield from (_text(match.deal_group), match.game, match.rules_version)
    yield ";".join(f"{name}={value}" for name, value in match.options.items())
    yield from (match.created, _flag(match.rated), match.termination, match.duration)
    yield from (seat.seat, _text(seat.bot), _text(seat.owner), _text(seat.name), _text(seat.version))
    yield from (place.rank, place.score, place.points, _flag(place.forfeited), place.cause, place.strikes)
    yield from (place.faults.get(kind, 0) for kind in KINDS)
    yield from (seat.think.turns, seat.think.total, seat.think.longest)


def _text(text: str) -> str:
    """Returns a text that no spreadsheet takes for a formula and no terminal obeys."""
    shown = printable(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


def _flag(value: bool) -> str:  # noqa: FBT001  the value of a cell
    return "true" if value else "false"


def _line(cells: Iterable[object]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()
