"""Play: the choice of a match, and the seat in it."""

import asyncio
from typing import TYPE_CHECKING, Final

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from referee.errors import RefereeError, UsageError
from referee.games import REGISTRY, find
from referee.games.info import GameInfo
from referee.person.refusals import STOPS, CrowdedError, StoppingError
from referee.person.seat import Phase, Wish
from referee.tournament.leaderboard import RANKING_POINTS
from referee.web.play import guard, own, view
from referee.web.site import site_of
from referee.web.sources import NotShown, Room, Rooms

if TYPE_CHECKING:
    from referee.web.play.streams import Streams

PATIENCE: Final = 2.0
"""Seconds that an answer without a script waits for what follows."""
PHASE: Final = "Seat-Phase"
"""The header that tells how far a seat has come."""
_SHOWN: Final = 20
"""Characters of an unknown level that are shown."""
NOT_HERE: Final = "no people are seated on this server"


def _rooms(request: Request) -> Rooms:
    rooms = site_of(request).sources.rooms
    if rooms is None:
        raise NotShown(404, NOT_HERE)
    return rooms


async def _choose(request: Request) -> Response:
    query, rooms = request.query_params, _rooms(request)
    game, level = query.get("game", ""), query.get("level", "")
    given = {"level": level, "name": query.get("name", "")}
    try:
        if game:
            find(game)
        if level:
            _check_level(level, rooms)
    except UsageError as error:
        return await _form(request, game, given, str(error), 400)
    return await _form(request, game, given, "" if rooms.stops_in is None else STOPS)


async def _form(
    request: Request, game: str, given: dict[str, str], problem: str = "", status: int = 200
) -> Response:
    rooms = _rooms(request)
    names = [one.info.name for one in REGISTRY]
    response = await site_of(request).page(
        request,
        "play.html",
        status=status,
        games=names,
        info=find(game if game in names else names[0]).info,
        levels=[(level, RANKING_POINTS[level]) for level in rooms.levels],
        given=given,
        problem=problem,
        running=own.running(request, rooms),
    )
    response.headers["Cache-Control"] = "no-store"
    return response


async def _begin(request: Request) -> Response:
    guard.check_origin(request)
    rooms, form = _rooms(request), await request.form()
    given = {name: str(value) for name, value in form.items()}
    try:
        wish = _wish(given, rooms)
        return _seated(request, rooms, given.get("name", "").strip() or "You", wish)
    except RefereeError as error:
        return await _form(request, given.get("game", ""), given, str(error), _status(error))


def _status(error: RefereeError) -> int:
    """Returns what a refusal is on the web."""
    if isinstance(error, StoppingError):
        return 503
    return 429 if isinstance(error, CrowdedError) else 400


def _check_level(level: str, rooms: Rooms) -> None:
    if level not in rooms.levels:
        raise UsageError(
            f"no house bots are called {level[:_SHOWN]!r} here; choose {', '.join(rooms.levels)}"
        )


def _wish(given: dict[str, str], rooms: Rooms) -> Wish:
    """Returns what a form asks for; raises `RefereeError` for what cannot be."""
    info = find(given.get("game", "")).info
    level = given.get("level", "")
    _check_level(level, rooms)
    options = _options(info, given)
    info.resolve(options)
    return Wish(game=info.name, level=level, options=options)


def _options(info: GameInfo, given: dict[str, str]) -> dict[str, str]:
    """Returns the options as the form shows them; those that are left empty are settled by the game."""
    values = {option.name: given.get(f"option-{option.name}", "").strip() for option in info.options}
    return {name: value for name, value in values.items() if value}


def _seated(request: Request, rooms: Rooms, name: str, wish: Wish) -> Response:
    address = request.client.host if request.client else ""
    room_id = rooms.sit_down(name, wish, address)
    room = rooms.room(room_id)
    assert room is not None  # noqa: S101  -- it was just made
    response = RedirectResponse(f"/play/{room_id}", 303)
    guard.hand_over(response, request, room_id, room.key)
    own.remember(response, request, rooms, room_id)
    return response


async def _seat(request: Request) -> Response:
    rooms = _rooms(request)
    room = guard.held(rooms, request)
    headers = {"Cache-Control": "no-store", PHASE: room.seat.phase.value}
    if request.method == "HEAD":  # by the script of a page that is hidden, or has lost its stream
        return Response(headers=headers)
    response = await site_of(request).page(
        request,
        "seat.html",
        room_id=request.path_params["room"],
        wish=room.seat.wish,
        in_force=view.in_force(room.seat.wish),
        rules=view.rules_of(room.seat.wish),
        waits=room.seat.phase in {Phase.ASKING, Phase.WAITING},
        **await asyncio.to_thread(view.part, view.still(room), rooms.stops_in),
    )
    response.headers.update(headers)
    return response


async def _post(request: Request) -> tuple[Rooms, Room, FormData]:
    """Returns whose form it is; raises `NotShown` unless it is from a page of that very seat."""
    guard.check_origin(request)
    rooms = _rooms(request)
    room = guard.held(rooms, request)
    form = await request.form()
    if not room.made(str(form.get("form", ""))):
        raise NotShown(403, guard.FOREIGN)
    return rooms, room, form


async def _act(request: Request) -> Response:
    _, room, form = await _post(request)
    turn, choice = (str(form.get(name, "")) for name in ("turn", "choice"))
    if not (_is_number(turn) and _is_number(choice)):
        raise NotShown(400, "choose one of the actions of the page")
    await room.answer(int(turn), int(choice))
    if "x-by-script" in request.headers:
        return Response(status_code=204)
    await _settled(room)
    return RedirectResponse(f"/play/{request.path_params['room']}", 303)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _DIGITS


_DIGITS: Final = 9


async def _settled(room: Room) -> None:
    """Waits for a while until the person is asked again."""
    try:
        async with asyncio.timeout(PATIENCE):
            while room.seat.phase in {Phase.ASKING, Phase.WAITING}:
                await room.change(room.seat.version)
    except TimeoutError:
        return


async def _ask_to_leave(request: Request) -> Response:
    room = guard.held(_rooms(request), request)
    room_id = request.path_params["room"]
    if room.over:
        return RedirectResponse(f"/play/{room_id}", 303)
    response = await site_of(request).page(
        request, "seat_leave.html", room_id=room_id, wish=room.seat.wish, seat=room.seat, form=room.form
    )
    response.headers["Cache-Control"] = "no-store"
    return response


async def _leave(request: Request) -> Response:
    rooms, _, _ = await _post(request)
    await rooms.leave(request.path_params["room"], "the person left", "you left")
    return RedirectResponse(f"/play/{request.path_params['room']}", 303)


async def _again(request: Request) -> Response:
    rooms, room, _ = await _post(request)
    try:
        return _seated(request, rooms, room.name, room.seat.wish)
    except RefereeError as error:
        wish = room.seat.wish
        given = {"level": wish.level, "name": room.name}
        given |= {f"option-{name}": value for name, value in wish.options.items()}
        return await _form(request, wish.game, given, str(error), _status(error))


async def _events(request: Request) -> Response:
    rooms = _rooms(request)
    room = guard.held(rooms, request)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":  # it would be a stream that nobody reads
        return Response(headers=headers, media_type="text/event-stream")
    since = request.query_params.get("since", "")
    version = int(since) if _is_number(since) else 0
    streams: Streams = request.app.state.streams
    told = streams.follow(site_of(request), rooms, request.path_params["room"], room, version)
    return StreamingResponse(told, media_type="text/event-stream", headers=headers)


ROUTES: Final[list[BaseRoute]] = [
    Route("/play", _choose, methods=["GET"]),
    Route("/play", _begin, methods=["POST"]),
    Route("/play/{room}", _seat, methods=["GET"]),
    Route("/play/{room}", _act, methods=["POST"]),
    Route("/play/{room}/leave", _ask_to_leave, methods=["GET"]),
    Route("/play/{room}/leave", _leave, methods=["POST"]),
    Route("/play/{room}/again", _again, methods=["POST"]),
    Route("/play/{room}/events", _events, methods=["GET"]),
]
