"""The page of one match: its result and its facts, and the match itself, to step through or to watch."""

import gzip
from pathlib import Path
from typing import Any, Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from referee.errors import RecordError
from referee.replay import packs
from referee.replay.signature import signature_path
from referee.v1 import match_pb2
from referee.web.pages import live
from referee.web.site import Site, site_of
from referee.web.sources import NotShown
from referee.web.viewer.film import Film
from referee.web.viewer.projector import CHUNK
from referee.web.viewer.scene import Scene
from referee.web.viewer.showing import SIZES, Showing, number_of, showing, viewer_of
from referee.web.viewer.timeline import LEGEND, sample
from referee.web.viewer.words import FAULTS

_PIECE: Final = 64 * 1024
_KEPT: Final = "private, max-age=3600"
"""A finished match stays as it is, and the address of its positions names the version of the site."""


async def _match(request: Request) -> Response:
    site, match_id = site_of(request), request.path_params["match_id"]
    match = await site.sources.match(match_id)
    if match.state != match_pb2.MATCH_STATE_ENDED:
        return await live.page(request, match)
    film, shown, why = None, None, ""
    try:
        film, shown = await _shown(request, match_id)
    except NotShown as refusal:
        if refusal.status in {400, 404}:
            raise
        why = refusal.text
    return await site.page(
        request,
        "match.html",
        match=match,
        film=film,
        shown=shown,
        why=why,
        places=_places(match, film),
        options={option.option: option.value for option in match.options},
        sample=sample,
        faults=LEGEND,
    )


async def _shown(request: Request, match_id: str) -> tuple[Film, Showing]:
    projector = site_of(request).projector
    film = await projector.film(match_id)
    view, position = request.query_params.get("view", "full"), request.query_params.get("at", "")
    return film, await projector.work(lambda: showing(film, view, position))


async def _frames(request: Request) -> Response:
    """Answers with a chunk of drawn positions as JSON: `first`, and `frames` from there on."""
    site, match_id = site_of(request), request.path_params["match_id"]
    asked = request.query_params
    film = await site.projector.film(match_id)
    viewer, size = viewer_of(film, asked.get("view", "full")), asked.get("size", "wide")
    first = number_of(asked.get("from", "0"))
    if size not in SIZES or first % CHUNK or first >= film.size:
        raise NotShown(404, f"positions come {CHUNK} at a time, wide or narrow, and begin at 0")
    data = await site.projector.chunk(
        match_id, viewer, size, first // CHUNK, lambda scene: _scene(site, scene)
    )
    headers = {"Cache-Control": _KEPT, "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
    else:
        data = gzip.decompress(data)
    return Response(data, headers=headers, media_type="application/json")


def _scene(site: Site, scene: Scene) -> str:
    return site.part("scene.html", scene=scene)


async def _viewer(request: Request) -> Response:
    """Answers with the viewer of the page alone, for another view of the same position."""
    site = site_of(request)
    _, shown = await _shown(request, request.path_params["match_id"])
    return await site.page(
        request, "viewer.html", match_id=request.path_params["match_id"], shown=shown, sample=sample
    )


async def _verify(request: Request) -> Response:
    site, match_id = site_of(request), request.path_params["match_id"]
    checked = await site.projector.check(match_id)
    return await site.page(request, "verify.html", match_id=match_id, checked=checked)


async def _log(request: Request) -> Response:
    site, match_id = site_of(request), request.path_params["match_id"]
    path = await site.projector.path(match_id)
    return await _sent(site, path, f"{match_id}.jsonl", "application/x-ndjson")


async def _signature(request: Request) -> Response:
    site, match_id = site_of(request), request.path_params["match_id"]
    path = signature_path(await site.projector.path(match_id))
    return await _sent(site, path, f"{match_id}.jsonl.sig", "application/json")


async def _sent(site: Site, path: Path, name: str, kind: str) -> Response:
    """Answers with a file to be kept; `name` is made of an id that was found, and so of nothing strange."""
    try:
        file = await site.projector.work(lambda: packs.open_log(path))
    except (OSError, RecordError):
        raise NotShown(404, "there is no such file") from None

    async def pieces() -> Any:
        with file:
            while piece := file.read(_PIECE):
                yield piece

    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(pieces(), headers=headers, media_type=kind)


class _Place(NamedTuple):
    """The outcome of one seat; None for what is not known without the log."""

    seat: match_pb2.Seat
    placement: match_pb2.Placement | None
    strikes: int | None
    faults: str | None


def _places(match: match_pb2.Match, film: Film | None) -> list[_Place]:
    outcome = {place.seat: place for place in match.placements}
    ended = {place.seat: place for place in film.end.places} if film and film.end else {}
    rows = []
    for seat in match.seats:
        place = ended.get(seat.seat)
        told = (
            ", ".join(f"{count} {FAULTS.get(kind, kind)}" for kind, count in place.faults.items() if count)
            if place
            else None
        )
        rows.append(_Place(seat, outcome.get(seat.seat), place.strikes if place else None, told))
    return sorted(rows, key=lambda row: (row.placement.rank if row.placement else 0, row.seat.seat))


ROUTES: Final[list[BaseRoute]] = [
    Route("/matches/{match_id}", _match),
    Route("/matches/{match_id}/viewer", _viewer),
    Route("/matches/{match_id}/frames", _frames),
    Route("/matches/{match_id}/verify", _verify),
    Route("/matches/{match_id}/log", _log),
    Route("/matches/{match_id}/signature", _signature),
    Route("/matches/{match_id}/live", live.stream),
]
