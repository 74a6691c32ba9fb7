"""The list of matches, with what it can be searched by."""

import re
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from referee.games import REGISTRY, names
from referee.v1 import arena_service_pb2 as arena
from referee.v1 import match_pb2
from referee.web.site import Site, site_of
from referee.web.sources import NotShown

_SIZE: Final = 50
"""Matches of a page."""
_STATES: Final = {
    "": match_pb2.MATCH_STATE_UNSPECIFIED,
    "running": match_pb2.MATCH_STATE_RUNNING,
    "starting": match_pb2.MATCH_STATE_STARTING,
    "ended": match_pb2.MATCH_STATE_ENDED,
}
_FIELDS: Final = ("game", "bot", "tournament", "state")
_LONGEST: Final = 512
_ID: Final = re.compile(r"[0-9a-f-]{4,36}")
_WHOLE: Final = 36
"""Characters of a whole match id."""


async def _matches(request: Request) -> Response:
    site, asked = site_of(request), request.query_params
    wanted = {field: asked.get(field, "").strip()[:_LONGEST] for field in _FIELDS}
    if wanted["state"] not in _STATES or wanted["game"] not in {"", *names()}:
        raise NotShown(404, "there is no such game, or no such state of a match")
    bots = [wanted["bot"]]
    if wanted["bot"]:
        bots = await site.sources.read(lambda store: store.bots_called(wanted["bot"])) or bots
    found = arena.ListMatchesResponse()
    if len(bots) == 1:
        found = await _page(site, _request(wanted, bots[0], asked.get("page", "")))
    here = {field: value for field, value in wanted.items() if value}
    return await site.page(
        request,
        "matches.html",
        matches=found.matches,
        bots=bots if len(bots) > 1 else [],
        others=[_address({**here, "bot": bot}) for bot in bots],
        older=_address(here, found.next_page_token) if found.next_page_token else "",
        newest=_address(here) if asked.get("page") else "",
        **await _form(site, wanted),
    )


async def _page(site: Site, wish: arena.ListMatchesRequest) -> arena.ListMatchesResponse:
    try:
        return await site.sources.matches(wish)
    except NotShown as error:
        if wish.page_token and error.status == HTTPStatus.BAD_REQUEST:
            raise NotShown(400, "there is no such page of this list; begin with the newest matches") from None
        raise


def _address(fields: dict[str, str], page: str = "") -> str:
    return f"/matches?{urlencode(fields | ({'page': page} if page else {}))}"


def _request(wanted: dict[str, str], bot: str, page: str) -> arena.ListMatchesRequest:
    return arena.ListMatchesRequest(
        game=wanted["game"],
        state=_STATES[wanted["state"]],
        bot_id=bot,
        tournament=wanted["tournament"],
        page_size=_SIZE,
        page_token=page,
    )


async def _form(site: Site, wanted: dict[str, str]) -> dict[str, Any]:
    """Returns what the forms of the page show."""
    tables = await site.sources.tables()
    return {
        "wanted": wanted,
        "games": [game.info.name for game in REGISTRY],
        "states": [state for state in _STATES if state],
        "tournaments": sorted({table.key.tournament for table in tables} - {""}),
    }


async def _find(request: Request) -> Response:
    """Leads to the match with an id, or lists those in whose ids a part of one occurs."""
    site, part = site_of(request), request.query_params.get("id", "").strip().lower()
    if not _ID.fullmatch(part):
        raise NotShown(404, "a match id has digits, the letters a to f and dashes; give four of them or more")
    ids = [match.match_id for match in site.sources.running() if part in match.match_id][:_SIZE]
    ids += await site.sources.read(lambda store: store.match_ids(part, _SIZE - len(ids)))
    if len(part) == _WHOLE and not ids:
        ids = [(await site.sources.match(part)).match_id]
    if len(ids) == 1:
        return RedirectResponse(f"/matches/{ids[0]}", 303)
    return await site.page(
        request,
        "matches.html",
        matches=[await site.sources.match(match_id) for match_id in dict.fromkeys(ids)],
        part=part,
        bots=[],
        others=[],
        older="",
        newest="/matches",
        **await _form(site, dict.fromkeys(_FIELDS, "")),
    )


ROUTES: Final[list[BaseRoute]] = [Route("/matches", _matches), Route("/matches/find", _find)]
