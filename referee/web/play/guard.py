"""Who may act: forms from elsewhere, and browsers without the key of a seat, change nothing."""

from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from referee.web.sources import NotShown, Room, Rooms

COOKIE: Final = "seat"
FOREIGN: Final = "this was sent from a page of another site; open the page here and try again"
NO_KEY: Final = "this seat is held by another browser; only that one can see it"


def check_origin(request: Request) -> None:
    """Raises `NotShown` for a form that a page of another site has sent."""
    origin = request.headers.get("origin")
    if origin is not None and _host_of(origin) != request.headers.get("host"):
        raise NotShown(403, FOREIGN)
    if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        raise NotShown(403, FOREIGN)


def _host_of(origin: str) -> str:
    """Returns host and port of an origin, empty for what is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def held(rooms: Rooms, request: Request) -> Room:
    """Returns the room that a request is about; raises `NotShown` unless it has the key."""
    room_id = request.path_params["room"]
    given = request.cookies.get(COOKIE, "")
    room = rooms.room(room_id) if given else None
    if room is None or not room.opens(given):
        raise NotShown(404 if given and room is None else 403, GONE if given and room is None else NO_KEY)
    return room


def hand_over(response: Response, request: Request, room_id: str, key: str) -> None:
    """Gives a browser the key of a room: for that page, in no script's reach, and from no other site."""
    response.set_cookie(
        COOKIE,
        key,
        path=f"/play/{room_id}",
        httponly=True,
        samesite="strict",
        secure=request.scope["scheme"] == "https",
    )


GONE: Final = "this match is not kept any more; begin another one under Play"
