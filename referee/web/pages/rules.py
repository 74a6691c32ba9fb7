"""The rules of the games, with the options in force where a match or a tournament is meant."""

import asyncio
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from referee.errors import OptionError
from referee.games import REGISTRY, find, names
from referee.web import rulebook
from referee.web.site import Site, site_of
from referee.web.sources import NotShown

_OPTION: Final = "opt."


async def _games(request: Request) -> Response:
    infos = [game.info for game in REGISTRY]
    return await site_of(request).page(request, "rules.html", infos=infos)


async def _rules(request: Request) -> Response:
    site, game = site_of(request), request.path_params["game"]
    if game not in names():
        raise NotShown(404, "no game of that name is played here")
    info, asked = find(game).info, request.query_params
    given = {name.removeprefix(_OPTION): value for name, value in asked.items() if name.startswith(_OPTION)}
    of = ""
    if asked.get("match"):
        given, of = await _of_match(site, game, asked["match"]), "match"
    elif asked.get("tournament"):
        given, of = await _of_tournament(site, game, asked["tournament"]), "tournament"
    try:
        settings = rulebook.settings(info, given)
    except OptionError as error:
        raise NotShown(404, str(error)) from None
    return await site.page(
        request,
        "game_rules.html",
        info=info,
        settings=settings,
        of=of,
        match=asked.get("match", ""),
        tournament=asked.get("tournament", ""),
        rules=await asyncio.to_thread(rulebook.rules, game),
    )


async def _of_match(site: Site, game: str, match_id: str) -> dict[str, str]:
    match = await site.sources.match(match_id)
    if match.game != game:
        raise NotShown(404, "that match is one of another game")
    return {option.option: option.value for option in match.options}


async def _of_tournament(site: Site, game: str, tournament: str) -> dict[str, str]:
    tables = await site.sources.tables()
    keys = (table.key for table in tables)
    every = {key.options for key in keys if (key.tournament, key.game) == (tournament, game)}
    if len(every) != 1:
        raise NotShown(404, "that tournament has no results of this game, or some by several options")
    return {name: str(value) for name, value in every.pop()}


ROUTES: Final[list[BaseRoute]] = [Route("/rules", _games), Route("/rules/{game}", _rules)]
