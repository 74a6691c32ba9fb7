"""Challenges: ranking points for matches won against house bots, by table."""

from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from referee.tournament.leaderboard import A_DAY, RANKING_POINTS, Challenger, Leaderboard
from referee.web import links
from referee.web.columns import Column, Sorting, Value
from referee.web.finding import meant
from referee.web.site import site_of

_Number = Callable[[Challenger], Value]


async def _list(request: Request) -> Response:
    return await _listed(request, list(await site_of(request).sources.leaderboards()), "")


async def _listed(request: Request, boards: list[Leaderboard], which: str) -> Response:
    return await site_of(request).page(
        request, "challenges.html", boards=boards, which=which, worth=RANKING_POINTS, a_day=A_DAY
    )


async def _board(request: Request) -> Response:
    found = meant(request, await site_of(request).sources.leaderboards())
    if isinstance(found, list):
        return await _listed(request, found, "This address fits none, or more than one, of these.")
    if not links.fits(found.key, found.key.tournament, found.key.game, request.query_params):
        return RedirectResponse(links.leaderboard(found.key))
    sorting = Sorting(_COLUMNS, request.query_params, request.scope["path"])
    return await site_of(request).page(
        request,
        "challenge.html",
        board=found,
        sorting=sorting,
        rows=sorting.sort(found.rows),
        worth=RANKING_POINTS,
        a_day=A_DAY,
    )


def _wins(level: str) -> _Number:
    return lambda row: row.levels[level].wins if level in row.levels else None


def _margin(level: str) -> _Number:
    return lambda row: row.levels[level].margin if level in row.levels else None


def _of_level(level: str, worth: int) -> tuple[Column[Challenger], Column[Challenger]]:
    return (
        Column(
            level, f"{level.capitalize()}: wins (+{worth})", _wins(level), "won of played", best_last=True
        ),
        Column(
            f"{level}_margin",
            "best margin",
            _margin(level),
            "points by which the best win was won",
            best_last=True,
        ),
    )


_COLUMNS: Final[tuple[Column[Challenger], ...]] = (
    Column("place", "#", lambda row: row.place, "place"),
    Column("bot", "Bot", lambda row: row.name.casefold(), number=False),
    Column("owner", "Owner", lambda row: row.owner.casefold(), number=False),
    Column("points", "Ranking points", lambda row: row.points, best_last=True),
    *(column for level, worth in RANKING_POINTS.items() for column in _of_level(level, worth)),
)

ROUTES: Final[list[BaseRoute]] = [
    Route("/challenges", _list),
    Route("/challenges/{tournament}/{game}", _board),
]
