"""Answers of `StandingsService`: the tables, and the leaderboards of challenges."""

import asyncio
import difflib
from collections.abc import Mapping, Sequence
from typing import Final

from referee.errors import OptionError, UsageError
from referee.games import find
from referee.games.info import GameInfo
from referee.server.reads import pages, table
from referee.server.reads.board import Board, order
from referee.server.refusal import Refusal, invalid, not_found
from referee.tournament.standings import Standings, TableKey
from referee.v1 import standing_pb2
from referee.v1 import standings_service_pb2 as pb

_RECENT: Final = 200
"""Among so many tables, those that changed last, it is looked for what a wrong name may have meant."""


async def list_standings(board: Board, request: pb.ListStandingsRequest) -> pb.ListStandingsResponse:
    """Returns a page of the keys of tables; raises `Refusal` for what cannot be asked."""
    keys, token = _page([found.key for found in await board.tables()], request)
    return pb.ListStandingsResponse(keys=map(table.key, keys), next_page_token=token)


async def get_standings(board: Board, request: pb.GetStandingsRequest) -> pb.GetStandingsResponse:
    """Returns one table; raises `Refusal` for what cannot be asked, or is not there."""
    info, options = _asked(request.key)
    every = await board.tables()
    fitting = [found for found in every if _fits(found.key, request.key, info, options)]
    if not fitting:
        raise await _absent("match", request.key.tournament, every)
    newest = max(fitting, key=lambda found: (found.key.rules_version == info.rules_version, found.updated))
    return pb.GetStandingsResponse(standings=table.standings(newest, crosstable=request.crosstable))


async def list_leaderboards(board: Board, request: pb.ListLeaderboardsRequest) -> pb.ListLeaderboardsResponse:
    """Returns a page of the keys of leaderboards; raises `Refusal` for what cannot be asked."""
    keys, token = _page([found.key for found in await board.leaderboards()], request)
    return pb.ListLeaderboardsResponse(keys=map(table.key, keys), next_page_token=token)


async def get_leaderboard(board: Board, request: pb.GetLeaderboardRequest) -> pb.GetLeaderboardResponse:
    """Returns one leaderboard; raises `Refusal` for what cannot be asked, or is not there."""
    info, options = _asked(request.key)
    every = await board.leaderboards()
    fitting = [found for found in every if _fits(found.key, request.key, info, options)]
    if not fitting:
        raise await _absent("challenge", request.key.tournament, await board.tables())
    newest = max(fitting, key=lambda found: (found.key.rules_version == info.rules_version, order(found.key)))
    return pb.GetLeaderboardResponse(leaderboard=table.leaderboard(newest))


def _page(
    every: Sequence[TableKey], request: pb.ListStandingsRequest | pb.ListLeaderboardsRequest
) -> tuple[list[TableKey], str]:
    """Returns the keys of a page, and the token of the next one; `every` key is in order."""
    wanted = pages.size(request.page_size)
    fields = (type(request).__name__, request.game, request.tournament)
    after = pages.position(request.page_token, fields, tuple[str, ...]) if request.page_token else ()
    keys = [
        key
        for key in every
        if request.game in {"", key.game}
        and request.tournament in {"", key.tournament}
        and order(key) > after
    ]
    more = len(keys) > wanted
    return keys[:wanted], pages.token(order(keys[wanted - 1]), fields) if more else ""


async def _absent(what: str, tournament: str, every: Sequence[Standings]) -> Refusal:
    """Returns what is said where there is no table, with the tournament that may have been meant."""
    known = {found.key.tournament for found in every} - {""}
    near: list[str] = []
    if tournament and tournament not in known:
        recent = sorted(every, key=lambda found: -found.updated)[:_RECENT]
        names = list(dict.fromkeys(found.key.tournament for found in recent))
        near = await asyncio.to_thread(difflib.get_close_matches, tournament, names, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return not_found(f"no {what} of this table has ended yet{hint}")


def _asked(key: standing_pb2.StandingsKey) -> tuple[GameInfo, dict[str, str]]:
    """Returns the game and the named options of a key."""
    if not key.game:
        raise invalid("the key names no game")
    try:
        info = find(key.game).info
    except UsageError as error:
        raise not_found(str(error)) from None
    options = {option.option: option.value for option in key.options}
    if len(options) < len(key.options):
        raise invalid("the key names an option twice")
    if key.rules_version in {"", info.rules_version}:
        try:
            options = {name: str(value) for name, value in info.resolve(options).items()}
        except OptionError as error:
            raise invalid(str(error)) from None
    return info, options


def _fits(
    found: TableKey, key: standing_pb2.StandingsKey, info: GameInfo, options: Mapping[str, str]
) -> bool:
    """Says whether a table is meant; options that are not named have their defaults."""
    defaults = {option.name: str(option.default) for option in info.options}
    return (
        (found.tournament, found.game) == (key.tournament, key.game)
        and key.rules_version in {"", found.rules_version}
        and all(
            str(value) == options.get(name, defaults.get(name, str(value))) for name, value in found.options
        )
    )
