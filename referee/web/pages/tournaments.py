"""Tournaments, ladders and round robins: the list, and how each of them stands."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from referee.store.store import Store
from referee.tournament import decision as dec
from referee.tournament.result import COUNTED, MatchResult
from referee.web import links
from referee.web.contest import SERIES, Contest, Scheduled
from referee.web.finding import near_names, whole
from referee.web.site import Site, site_of
from referee.web.sources import NotShown

_PAGE: Final = 30
"""How many contests a page of the list has: each is read."""
_PAIRINGS: Final = 30
"""How many pairings of the schedule are shown at a time."""
_RECENT: Final = 12
_LATEST: Final = 400
"""Among so many matches, the newest ones, those are looked for that may be told."""


class Told(NamedTuple):
    """A decision in words; `bot` and `match` are the ids of what it is about, empty for neither."""

    at: int
    what: str
    bot: str
    match: str
    why: str


async def _list(request: Request) -> Response:
    sources = site_of(request).sources
    query = request.query_params.get("q", "").casefold()
    names = await sources.contests()
    fitting = [name for name in names if query in name.casefold()]
    page = whole(request.query_params.get("page", ""), 1)
    contests = [await sources.contest(name) for name in fitting[(page - 1) * _PAGE : page * _PAGE]]
    return await site_of(request).page(
        request,
        "tournaments.html",
        contests=contests,
        every=len(names),
        found=len(fitting),
        query=request.query_params.get("q", ""),
        page=page,
        more=len(fitting) > page * _PAGE,
    )


async def _contest(request: Request) -> Response:
    site = site_of(request)
    name = links.name_of(request.path_params["name"])
    every = await site.sources.tables()
    tables = [one for one in every if one.key.tournament == name]
    contest = await _found(site, name, known=bool(tables))
    first = whole(request.query_params.get("from", ""), 0)
    planned = contest.kind != SERIES
    schedule = await site.sources.schedule(name, first, _PAIRINGS + 1) if planned else ()
    boards = [one for one in await site.sources.leaderboards() if one.key.tournament == name]
    recent = await site.sources.read(lambda store: _recent(store, name))
    return await site.page(
        request,
        "tournament.html",
        contest=contest,
        schedule=[_slot(contest, one) for one in schedule[:_PAIRINGS]],
        first=first,
        more=len(schedule) > _PAIRINGS,
        step=_PAIRINGS,
        tables=tables,
        known={row.bot for one in every for row in one.rows},
        boards=boards,
        recent=recent,
        decisions=[told(one) for one in contest.decisions],
    )


async def _found(site: Site, name: str, *, known: bool) -> Contest:
    """Returns a contest; where only its matches are known, what they tell."""
    try:
        return await site.sources.contest(name)
    except NotShown as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        if known:
            return Contest(name=name, kind=SERIES)
        near = near_names(name, {*await site.sources.contests()})
        raise NotShown(HTTPStatus.NOT_FOUND, f"{error.text}{near}") from None


class Slot(NamedTuple):
    """A pairing as it is shown: `seats` are the bots of each match, or none while they stay unnamed."""

    pairing: Scheduled
    seats: Sequence[Sequence[tuple[str, str]]]
    state: str
    matches: Sequence[str]


def _slot(contest: Contest, pairing: Scheduled) -> Slot:
    pairing_id = f"{contest.name}/{pairing.number}"
    accepted = contest.rulings.accepted.get(pairing_id)
    unplayed = contest.rulings.unplayed.get(pairing_id)
    settled = accepted is not None or unplayed is not None
    seats = [[(name, contest.entrants.get(name, name)) for name in one] for one in pairing.sittings]
    if accepted is not None:
        state = "played"
    else:
        state = f"given up: {unplayed.why}" if unplayed is not None else "to be played"
    shown = settled or not contest.anonymous
    return Slot(pairing, seats if shown else (), state, accepted.match_ids if accepted else ())


def _recent(store: Store, name: str) -> list[MatchResult]:
    """Returns the matches that came to an end last; what came to nothing is told by numbers alone."""
    found = store.matches(limit=_LATEST, tournament=name) or store.matches(limit=_LATEST, run=name)
    return [one for one in found if one.termination in COUNTED][:_RECENT]


def told(decision: dec.Decision) -> Told:
    """Returns a decision in words."""
    match decision:
        case dec.Unplayed(pairing_id=pairing, why=why):
            return Told(decision.at, f"pairing {pairing} was given up", "", "", why)
        case dec.NoShow(pairing_id=pairing, bots=bots, why=why):
            return Told(decision.at, f"no-show at pairing {pairing}: {', '.join(bots)}", "", "", why)
        case dec.Bye(round=number, bot=bot):
            return Told(decision.at, f"a bye in round {number + 1}", bot, "", "")
        case dec.Admitted(bot=bot, version=version):
            return Told(decision.at, f"a new version was taken{version and f': {version}'}", bot, "", "")
        case dec.Voided(match_id=match, why=why):
            return Told(decision.at, "a match was made void", "", match, why)
        case dec.Disqualified() | dec.Withdrawn() | dec.Paused() | dec.Returned():
            what = type(decision).__name__.lower()
            return Told(decision.at, what, decision.bot, "", decision.why)
        case _:
            return Told(decision.at, type(decision).__name__.lower(), "", "", "")


ROUTES: Final[list[BaseRoute]] = [
    Route("/tournaments", _list),
    Route("/tournaments/{name}", _contest),
]
