"""Standings: the list of tables, one table, its crosstable, and how its ratings went."""

import asyncio
from collections.abc import Iterable
from itertools import groupby
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from referee.tournament.standings import Standings
from referee.web import courses, figures, links, rows
from referee.web.charts import bar
from referee.web.columns import Sorting
from referee.web.finding import absent, meant, whole
from referee.web.site import site_of

_LISTED: Final = 200
"""How many tables are listed on a page, those that changed last."""

_LINES: Final = 50
"""How many lines of a crosstable are on a page; each has a cell for every bot."""


async def _list(request: Request) -> Response:
    query = request.query_params
    words, game = query.get("q", "").casefold().split(), query.get("game", "")
    every = await site_of(request).sources.tables()
    found = await asyncio.to_thread(_fitting, every, game, words)
    return await _listed(request, found, games=sorted({one.key.game for one in every}), every=len(every))


async def _listed(request: Request, found: list[Standings], **more: Any) -> Response:
    """Shows tables by game, those of all matches first, then those that changed last."""
    newest = sorted(found, key=lambda one: -one.updated)[:_LISTED]
    newest.sort(key=lambda one: (one.key.game, bool(one.key.tournament), -one.updated))
    return await site_of(request).page(
        request,
        "standings_list.html",
        groups=[(game, list(tables)) for game, tables in groupby(newest, lambda one: one.key.game)],
        shown=len(newest),
        found=len(found),
        query=request.query_params,
        **{"games": (), "every": len(found), "which": "", **more},
    )


def _fitting(every: Iterable[Standings], game: str, words: list[str]) -> list[Standings]:
    return [one for one in every if game in {"", one.key.game} and _names(one, words)]


def _names(table: Standings, words: list[str]) -> bool:
    """Says whether all words stand in what names a table, or its rows."""
    key = table.key
    text = " ".join((key.tournament, key.game, figures.title(key), figures.options(key))).casefold()
    return all(word in text or any(word in row.name.casefold() for row in table.rows) for word in words)


async def _of_tournament(request: Request) -> Response:
    """Shows the tables of one tournament; where there is one, that is meant."""
    every = await site_of(request).sources.tables()
    tournament = links.tournament_of(request.path_params["tournament"])
    found = [one for one in every if one.key.tournament == tournament]
    if not found:
        raise absent(tournament, "", every)
    if len(found) == 1:
        return RedirectResponse(links.table(found[0].key, ""))
    of_what = tournament or "matches that belong to no tournament"
    return await _listed(request, found, which=f"The tables of {of_what}.")


async def _table(request: Request) -> Response:
    table = await _found(request, "")
    if isinstance(table, Response):
        return table
    current = [row for row in table.rows if row.current]
    columns = rows.columns(table.key.game)
    sorting = Sorting(columns, request.query_params, request.scope["path"])
    return await site_of(request).page(
        request,
        "standings.html",
        table=table,
        sorting=sorting,
        current=sorting.sort(current),
        older=[row for row in table.rows if not row.current],
        clashes=rows.clashes(table.rows),
        notes=[(row, said) for row in current if (said := rows.notes(row))],
        ends=rows.ends(current),
        bar=bar,
    )


async def _crosstable(request: Request) -> Response:
    table = await _found(request, "crosstable")
    if isinstance(table, Response):
        return table
    current = [row for row in table.rows if row.current]
    first = whole(request.query_params.get("from", ""), 0)
    return await site_of(request).page(
        request, "crosstable.html", table=table, current=current, first=first, step=_LINES
    )


async def _history(request: Request) -> Response:
    table = await _found(request, "history")
    if isinstance(table, Response):
        return table
    query = request.query_params
    wanted, by = query.getlist("bot"), query.get("by", "")
    site = site_of(request)
    async with site.reading:
        course = await asyncio.to_thread(courses.of_table, table, wanted, by)
    rated = [row for row in table.rows if row.line in table.history]
    return await site.page(request, "history.html", table=table, course=course, rated=rated)


async def _found(request: Request, page: str) -> Standings | Response:
    """Returns the table of an address, or the answer to one that names no table in full."""
    found = meant(request, await site_of(request).sources.tables())
    if isinstance(found, list):
        return await _listed(request, found, which="This address fits none, or more than one, of these.")
    if not links.fits(found.key, found.key.tournament, found.key.game, request.query_params):
        return RedirectResponse(links.table(found.key, page))
    return found


ROUTES: Final[list[BaseRoute]] = [
    Route("/standings", _list),
    Route("/standings/{tournament}", _of_tournament),
    Route("/standings/{tournament}/{game}", _table),
    Route("/standings/{tournament}/{game}/crosstable", _crosstable),
    Route("/standings/{tournament}/{game}/history", _history),
]
