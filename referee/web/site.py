"""What all pages share: the server that they tell of, and their templates."""

import asyncio
import hashlib
import secrets
from pathlib import Path
from typing import Any, Final

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from referee import __version__
from referee.web import figures, filters, links
from referee.web.sources import Sources
from referee.web.thinking import Thinking
from referee.web.viewer.projector import Projector

HERE: Final = Path(__file__).parent
STATIC: Final = HERE / "static"
PART: Final = "Referee-Part"
"""The header of what is a piece of a page, which nothing else sends."""


class Site:
    """What the pages share: the server they tell of, and their templates."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.reading = asyncio.Semaphore(1)
        """Logs are read and drawn one after another: it takes time from the matches that are played."""
        self.thinking = Thinking(sources, self.reading)
        self.projector = Projector(sources, self.reading)
        self._stamp = _stamp()
        self._templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(static=self.static, version=__version__)
        for module in (filters, figures, links):
            self._templates.filters.update(module.FILTERS)

    def static(self, name: str) -> str:
        """Returns the address of a file that browsers may keep for as long as it is the same."""
        return f"/static/{name}?{self._stamp}"

    async def page(
        self, request: Request, template: str, /, *, status: int = 200, **context: Any
    ) -> Response:
        """Returns a page, rendered on a thread: `here` is its path, `nonce` lets its styles of charts in."""
        nonce = request.state.nonce = secrets.token_urlsafe(12)
        found = self._templates.get_template(template)
        text = await asyncio.to_thread(found.render, here=request.scope["path"], nonce=nonce, **context)
        return HTMLResponse(text, status)

    async def either(self, request: Request, whole: str, part: str, /, **context: Any) -> Response:
        """Returns a page or, where the address asks for it, the part of it that changes, with a mark."""
        asked = bool(request.query_params.get("part"))
        response = await self.page(request, part if asked else whole, **context)
        if asked:
            response.headers[PART] = "1"
        return response

    def part(self, template: str, /, **context: Any) -> str:
        """Returns a piece of a page, for example one that is sent as it changes."""
        return self._templates.get_template(template).render(**context)


def site_of(request: Request) -> Site:
    """Returns the site that a request came to."""
    site: Site = request.app.state.site
    return site


def _stamp() -> str:
    """Returns a word that changes when any static file does."""
    digest = hashlib.sha256()
    for path in sorted(STATIC.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
