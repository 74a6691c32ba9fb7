"""The site as an application: its routes, what guards them, and how refusals look."""

from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.errors import StoreUnavailableError
from referee.web.intake import Crowd, Intake
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
from referee.web.play.streams import Streams
from referee.web.proxies import Proxied, Proxies
from referee.web.security import Admission, Headers
from referee.web.site import STATIC, Site, site_of
from referee.web.sources import NotShown, Sources

PAGES: Final = (home, live, matches, match, standings, bots, challenges, tournaments, play, rules)
"""The modules of pages; each lists its `ROUTES`."""


def application(sources: Sources, *, proxies: Proxies, most: int, local: bool) -> Starlette:
    """Returns the site of a server.

    `most` is how many requests of one household are answered at a time; a `local` site has no name
    that others could have.
    """
    routes: list[BaseRoute] = [route for module in PAGES for route in module.ROUTES]
    routes.append(Mount("/static", StaticFiles(directory=STATIC), name="static"))
    app = Starlette(
        routes=routes,
        middleware=[
            Middleware(Proxied, proxies=proxies),
            Middleware(Headers),
            Middleware(Contained),
            Middleware(Crowd, household=sources.household, most=most),
            Middleware(Intake, local=local),
            Middleware(Admission, sources=sources),
            Middleware(GZipMiddleware, minimum_size=1000),
        ],
        exception_handlers={
            NotShown: _not_shown,
            StoreUnavailableError: _unavailable,
            404: _not_found,
            405: _not_allowed,
        },
    )
    app.state.site = Site(sources)
    app.state.streams = Streams()
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


class Contained:
    """Keeps what goes wrong with a page in its answer, and tells the operator of it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request; the page of an incident has its number."""
        begun = False

        async def told(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, told)
        except ClientDisconnect:
            return
        except Exception:  # noqa: BLE001  whatever it is, only this page ends by it
            number = scope["app"].state.site.sources.incident(f"{scope['method']} {scope['path']} failed")
            if not begun:
                text = f"This page could not be made: {number}. The operator can look it up."
                answer = await _problem(Request(scope), 500, "Failed", text)
                await answer(scope, receive, send)
