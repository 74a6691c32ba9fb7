"""Answers of `StandingsService`: the tables."""

from collections.abc import Mapping

from referee.errors import OptionError, UsageError
from referee.games import find
from referee.games.info import GameInfo
from referee.server.reads import pages, table
from referee.server.reads.board import Board
from referee.server.refusal import invalid, not_found
from referee.tournament.standings import TableKey
from referee.v1 import standing_pb2
from referee.v1 import standings_service_pb2 as pb


async def list_standings(board: Board, request: pb.ListStandingsRequest) -> pb.ListStandingsResponse:
    """Returns a page of the keys of tables; raises `Refusal` for what cannot be asked."""
    wanted = pages.size(request.page_size)
    fields = (request.game, request.tournament)
    after = pages.position(request.page_token, fields, tuple[str, ...]) if request.page_token else ()
    keys = [
        found.key
        for found in await board.tables()
        if request.game in {"", found.key.game}
        and request.tournament in {"", found.key.tournament}
        and _order(found.key) > after
    ]
    return pb.ListStandingsResponse(
        keys=map(table.key, keys[:wanted]),
        next_page_token=pages.token(_order(keys[wanted - 1]), fields) if len(keys) > wanted else "",
    )


async def get_standings(board: Board, request: pb.GetStandingsRequest) -> pb.GetStandingsResponse:
    """Returns one table; raises `Refusal` for what cannot be asked, or is not there."""
    info, options = _asked(request.key)
    fitting = [found for found in await board.tables() if _fits(found.key, request.key, info, options)]
    if not fitting:
        raise not_found("no match of this table has ended yet")
    newest = max(fitting, key=lambda found: (found.key.rules_version == info.rules_version, found.updated))
    return pb.GetStandingsResponse(standings=table.standings(newest, crosstable=request.crosstable))


def _order(key: TableKey) -> tuple[str, ...]:
    return (*key[:3], str(key))


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
