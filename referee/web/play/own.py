"""The matches that a browser plays: it keeps their rooms in a cookie, so that a closed page is found again.

The cookie opens no seat; the key of each is in one of its own, for the page of that seat alone.
"""

from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from referee.person.seat import Phase
from referee.web.sources import Rooms

COOKIE: Final = "seats"
MOST: Final = 8
"""How many rooms a browser keeps."""
_BETWEEN: Final = "."
"""Stands between rooms; no id holds it."""


class Running(NamedTuple):
    """A match of this browser that is not over."""

    room_id: str
    game: str
    level: str
    name: str
    to_act: bool


def running(request: Request, rooms: Rooms) -> list[Running]:
    """Returns the matches of a browser that are not over, the newest first."""
    found = []
    for room_id in _kept(request):
        room = rooms.room(room_id)
        if room is not None and not room.over:
            wish = room.seat.wish
            to_act = room.seat.phase is Phase.TO_ACT
            found.append(Running(room_id, wish.game, wish.level, room.name, to_act))
    return found


def remember(response: Response, request: Request, rooms: Rooms, room_id: str) -> None:
    """Has a browser keep a room beside those of its other matches."""
    kept = [room_id, *(one.room_id for one in running(request, rooms) if one.room_id != room_id)]
    response.set_cookie(
        COOKIE,
        _BETWEEN.join(kept[:MOST]),
        path="/play",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


def _kept(request: Request) -> list[str]:
    return list(dict.fromkeys(request.cookies.get(COOKIE, "").split(_BETWEEN)[:MOST]))
