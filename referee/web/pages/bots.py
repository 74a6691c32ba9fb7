"""Bots: the list of those that have played, and what each of them achieved."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from referee.tournament.house import is_house
from referee.tournament.standings import Row, Standings
from referee.v1 import arena_service_pb2 as arena
from referee.v1 import match_pb2
from referee.web import courses, links
from referee.web.charts import bar, histogram
from referee.web.finding import near_names
from referee.web.site import site_of
from referee.web.sources import NotShown

_LISTED: Final = 500
_RECENT: Final = 20
_CHARTS: Final = 2
"""How many tables have a chart of their ratings, those with the most matches."""
_VERSIONS: Final = 8


@dataclass(slots=True)
class Known:
    """A bot by its rows; `name` and `owner` are those of the table that changed last."""

    bot: str
    name: str = ""
    owner: str = ""
    updated: int = -1
    rows: list[tuple[Standings, Row]] = field(default_factory=list)

    @property
    def house(self) -> bool:
        """Whether it comes with the referee."""
        return is_house(self.bot)

    @property
    def games(self) -> list[str]:
        """What it has played."""
        return sorted({table.key.game for table, _ in self.rows})

    @property
    def tables(self) -> int:
        """In how many tables it stands."""
        return len({str(table.key) for table, _ in self.rows})


def known(tables: Iterable[Standings]) -> dict[str, Known]:
    """Returns all bots that stand in a table, by id."""
    found: dict[str, Known] = {}
    for table in tables:
        for row in table.rows:
            one = found.setdefault(row.bot, Known(row.bot))
            one.rows.append((table, row))
            if row.current and table.updated > one.updated:
                one.name, one.owner, one.updated = row.name, row.owner, table.updated
    return found


async def _list(request: Request) -> Response:
    site = site_of(request)
    query = request.query_params.get("q", "").casefold()
    every = (await asyncio.to_thread(known, await site.sources.tables())).values()
    fitting = [one for one in every if query in f"{one.name}\n{one.owner}\n{one.bot}".casefold() or not query]
    fitting.sort(key=lambda one: (one.name.casefold(), one.bot))
    return await site.page(
        request,
        "bots.html",
        bots=fitting[:_LISTED],
        found=len(fitting),
        every=len(every),
        query=request.query_params.get("q", ""),
    )


async def _bot(request: Request) -> Response:
    site = site_of(request)
    if not request.path_params["bot"]:
        return RedirectResponse("/bots")
    bot_id = links.bot_of(request.path_params["bot"])
    every = await asyncio.to_thread(known, await site.sources.tables())
    if bot_id not in every:
        raise NotShown(404, _unknown(bot_id, every))
    bot = every[bot_id]
    listed = await site.sources.matches(arena.ListMatchesRequest(bot_id=bot_id, page_size=_RECENT))
    ended = [one.match_id for one in listed.matches if one.state == match_pb2.MATCH_STATE_ENDED]
    thought = await site.thinking.of(bot_id, ended)
    versions = await site.sources.read(lambda store: store.versions(bot_id))
    rows = sorted(bot.rows, key=lambda one: (one[0].key.game, str(one[0].key), not one[1].current))
    async with site.reading:
        charts = await asyncio.to_thread(_charts, rows)
    return await site.page(
        request,
        "bot.html",
        bot=bot,
        rows=rows,
        faults=sorted({kind for _, row in rows for kind, count in row.faults.items() if count}),
        matches=listed.matches,
        thought=thought,
        picture=histogram(thought.bins, _told(thought.words)),
        versions=versions,
        charts=charts,
        bar=bar,
    )


def _told(words: Sequence[tuple[str, int]]) -> str:
    return "Turns by think time: " + ", ".join(f"{count} took {name}" for name, count in words if count)


def _charts(rows: Sequence[tuple[Standings, Row]]) -> list[tuple[Standings, courses.Chart]]:
    """Returns how the ratings went, a line for each version, in the tables with the most matches."""
    lines: dict[str, tuple[Standings, list[Row]]] = {}
    for table, row in rows:
        if row.matches:
            lines.setdefault(str(table.key), (table, []))[1].append(row)
    largest = sorted(lines.values(), key=lambda one: -sum(row.matches for row in one[1]))[:_CHARTS]
    return [(table, courses.chart(table, found[:_VERSIONS], "")) for table, found in largest]


def _unknown(bot_id: str, every: Mapping[str, Known]) -> str:
    names = {one.name for one in every.values()} | set(every)
    return f"No bot {bot_id!r} has ended a match here{near_names(bot_id, names)}"


ROUTES: Final[list[BaseRoute]] = [Route("/bots", _list), Route("/bots/{bot:path}", _bot)]
