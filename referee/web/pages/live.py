"""Matches that are played now: the page of one, and what it is told as it goes on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from referee.v1 import match_pb2
from referee.web.site import Site, site_of
from referee.web.sources import NotShown
from referee.web.viewer.watching import News, Watching

_HEARTBEAT: Final = 15
"""Seconds after which a line that says nothing keeps a quiet stream open."""
_PACE: Final = 0.25
"""Seconds between two pictures at least; what came in between is told with the next."""
_PATIENCE: Final = 10
"""Seconds that a page waits for the table of a match."""
_LONGEST_ID: Final = 18
"""Digits of the number of an event."""
_ELSEWHERE: Final = "the match does not go on here; come back later"


async def page(request: Request, match: match_pb2.Match) -> Response:
    """Answers with the page of a match that is played: the table as it is, and how to hear more."""
    site = site_of(request)
    spectator = _Spectator(site, match.match_id, 0, _address(request))
    try:
        async with asyncio.timeout(_PATIENCE):
            news = await spectator.news()
    except TimeoutError:
        news = None
    finally:
        await spectator.leave()
    return await site.page(request, "live.html", match=match, news=news)


async def stream(request: Request) -> Response:
    """Answers with a match as it goes on, as server-sent events."""
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")  # it would be a spectator who reads nothing
    site, match_id = site_of(request), request.path_params["match_id"]
    last = request.headers.get("last-event-id", "") or request.query_params.get("after", "")
    known = int(last) if last.isascii() and last.isdecimal() and len(last) <= _LONGEST_ID else 0
    spectator = _Spectator(site, match_id, known, _address(request))
    try:
        first = await spectator.news()
    except BaseException:
        await spectator.leave()
        raise
    return _Stream(site, spectator, first)


class _Spectator:
    """The place of a spectator, from its making until it leaves."""

    def __init__(self, site: Site, match_id: str, event_id: int, address: str) -> None:
        self._queue: asyncio.Queue[bytes] = asyncio.Queue(1)
        self._watching = Watching()
        watch = site.sources.watch(match_id, event_id, address, self._queue.put)
        self._watch = asyncio.ensure_future(watch)

    async def news(self) -> News:
        """Returns the next news; raises `NotShown` where there are none, and says why."""
        waiting = asyncio.ensure_future(self._queue.get())
        try:
            await asyncio.wait({waiting, self._watch}, return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                self._watching.hear(waiting.result())
            elif self._queue.empty():
                self._watch.result()
                raise NotShown(503, _ELSEWHERE)
        finally:
            waiting.cancel()
        while not self._queue.empty():
            self._watching.hear(self._queue.get_nowait())
        return self._watching.news()

    async def leave(self) -> None:
        """Gives the place back."""
        self._watch.cancel()
        with contextlib.suppress(asyncio.CancelledError, NotShown):
            await self._watch


class _Stream(StreamingResponse):
    """What a spectator is sent; the place is given back however it ends."""

    def __init__(self, site: Site, spectator: _Spectator, first: News) -> None:
        self._spectator = spectator
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(_told(site, spectator, first), media_type="text/event-stream", headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends all of it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._spectator.leave()


async def _told(site: Site, spectator: _Spectator, news: News) -> AsyncIterator[str]:
    yield "retry: 3000\n\n"
    while True:
        yield await asyncio.to_thread(_event, site, news)
        if news.over:
            return
        await asyncio.sleep(_PACE)
        following = asyncio.ensure_future(spectator.news())
        try:
            while not (await asyncio.wait({following}, timeout=_HEARTBEAT))[0]:
                yield ": quiet\n\n"
            news = following.result()
        except NotShown:
            return  # the browser asks again, and hears why
        finally:
            following.cancel()


def _event(site: Site, news: News) -> str:
    """Returns what has happened as one server-sent event; JSON has no line ends in it."""
    body = {
        "told": news.told,
        "html": site.part("scene.html", scene=news.scene) if news.scene else "",
        "deals": site.part("live_deals.html", news=news),
        "state": news.state,
    }
    kind = "ended" if news.over else "scene"
    return f"id: {news.event_id}\nevent: {kind}\ndata: {msgspec.json.encode(body).decode()}\n\n"


def _address(request: Request) -> str:
    """Returns from where a spectator comes."""
    return request.client.host if request.client else ""


async def _live(request: Request) -> Response:
    site = site_of(request)
    matches = site.sources.running()
    return await site.either(request, "live_matches.html", "live_list.html", matches=matches)


ROUTES: Final[list[BaseRoute]] = [Route("/live", _live)]
