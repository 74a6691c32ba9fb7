"""The site as an application: its routes, what guards them, and how refusals look."""

from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from referee.errors import StoreUnavailableError
from referee.web.pages import (
    bots,
    challenges,
    home,
    live,
    match,
    matches,
    play,
    rules,
    standings,
    tournaments,
)
from referee.web.security import Admission, Headers
from referee.web.site import STATIC, Site, site_of
from referee.web.sources import NotShown, Sources

PAGES: Final = (home, live, matches, match, standings, bots, challenges, tournaments, play, rules)
"""The modules of pages; each lists its `ROUTES`."""


def application(sources: Sources) -> Starlette:
    """Returns the site of a server."""
    routes: list[BaseRoute] = [route for module in PAGES for route in module.ROUTES]
    routes.append(Mount("/static", StaticFiles(directory=STATIC), name="static"))
    app = Starlette(
        routes=routes,
        middleware=[
            Middleware(Headers),
            Middleware(Admission, sources=sources),
            Middleware(GZipMiddleware, minimum_size=1000),
        ],
        exception_handlers={
            NotShown: _not_shown,
            StoreUnavailableError: _unavailable,
            404: _not_found,
            405: _not_allowed,
            500: _failed,
        },
    )
    app.state.site = Site(sources)
    return app


async def _problem(request: Request, status: int, title: str, text: str) -> Response:
    return await site_of(request).page(request, "problem.html", status=status, title=title, text=text)


async def _not_shown(request: Request, error: Exception) -> Response:
    assert isinstance(error, NotShown)  # noqa: S101  -- the handler of this class
    return await _problem(request, error.status, "Not shown", error.text)


async def _unavailable(request: Request, _: Exception) -> Response:
    return await _problem(request, 503, "Not now", "The results cannot be read now; come back in a while.")


async def _not_found(request: Request, _: Exception) -> Response:
    return await _problem(request, 404, "Not here", "There is no such page.")


async def _not_allowed(request: Request, _: Exception) -> Response:
    return await _problem(request, 405, "Not like this", "This page does not take that kind of request.")


async def _failed(request: Request, _: Exception) -> Response:
    return await _problem(request, 500, "Failed", "This page could not be made. The operator finds out why.")
