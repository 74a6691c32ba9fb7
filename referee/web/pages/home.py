"""The first page: what is played here, and what has just happened."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from referee.games import REGISTRY
from referee.v1 import arena_service_pb2 as arena
from referee.v1 import match_pb2
from referee.web.site import site_of

_LATEST: Final = 8
"""How many finished matches are listed."""


async def _home(request: Request) -> Response:
    site = site_of(request)
    wish = arena.ListMatchesRequest(page_size=_LATEST, state=match_pb2.MATCH_STATE_ENDED)
    running = site.sources.running()  # first: what ends meanwhile is found below
    ended = await site.sources.matches(wish)
    over = {one.match_id for one in ended.matches}
    return await site.either(
        request,
        "home.html",
        "home_matches.html",
        games=[game.info.name for game in REGISTRY],
        running=[one for one in running if one.match_id not in over][:_LATEST],
        ended=ended.matches,
        tables=[table.key for table in await site.sources.tables()],
    )


ROUTES: Final[list[BaseRoute]] = [Route("/", _home)]
