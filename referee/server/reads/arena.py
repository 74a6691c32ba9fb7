"""Answers of `ArenaService`: games and matches."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from referee.errors import RecordError
from referee.games import REGISTRY
from referee.games.base import Game
from referee.games.info import Option
from referee.replay.reader import header, read
from referee.server.logbook import find_log, is_sealed
from referee.server.reads import describe, pages
from referee.server.reads.shelf import UNKNOWN
from referee.server.refusal import invalid, not_found
from referee.store.log_result import result_of
from referee.store.store import Store
from referee.tournament.result import COUNTED, MatchResult
from referee.v1 import arena_service_pb2 as pb
from referee.v1 import match_pb2

if TYPE_CHECKING:
    from referee.server.host import Host
    from referee.server.live import LiveMatch


def list_games() -> pb.ListGamesResponse:
    """Returns the games that are refereed here."""
    return pb.ListGamesResponse(games=sorted(map(_game, REGISTRY), key=lambda game: game.game))


async def get_match(host: "Host", request: pb.GetMatchRequest) -> pb.GetMatchResponse:
    """Returns one match; raises `Refusal` for one that is not known."""
    if not request.match_id:
        raise invalid("match_id is empty")
    live = host.matches.get(request.match_id)
    if live:
        return pb.GetMatchResponse(match=describe.running(live.match))
    found = await _found(host, request.match_id)
    if found is None:
        raise not_found(UNKNOWN)
    return pb.GetMatchResponse(match=found.described())


async def list_matches(host: "Host", request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
    """Returns a page of matches, the newest first; raises `Refusal` for what cannot be asked."""
    if request.state not in match_pb2.MatchState.values():
        raise invalid(f"match state {request.state} is not known")
    wanted = pages.size(request.page_size)
    span = pages.Span.of(request)
    fields = (request.game, request.state, request.bot_id, request.tournament, *span)
    after = span.end
    if request.page_token:
        after = min(after, pages.position(request.page_token, fields, tuple[int, str]))
    found = {(live.match.setup.created, live.match.setup.match_id): live for live in _running(host, request)}
    matches = {
        order: describe.running(live.match)
        for order, live in found.items()
        if order < after and order[0] >= span.since
    }
    if request.state in {match_pb2.MATCH_STATE_UNSPECIFIED, match_pb2.MATCH_STATE_ENDED}:
        matches |= {
            one.result.order: one.described() for one in await _ended(host, request, after, wanted + 1)
        }
    newest = sorted(matches, reverse=True)
    more = len(newest) > wanted
    return pb.ListMatchesResponse(
        matches=[matches[order] for order in newest[:wanted]],
        next_page_token=pages.token(newest[wanted - 1], fields) if more else "",
    )


def _running(host: "Host", request: pb.ListMatchesRequest) -> Iterator["LiveMatch"]:
    for live in host.matches.values():
        setup, starting = live.match.setup, live.match.phase == "starting"
        state = match_pb2.MATCH_STATE_STARTING if starting else match_pb2.MATCH_STATE_RUNNING
        seats = () if setup.anonymous else setup.seats
        if (
            request.game in {"", setup.game}
            and request.tournament in {"", setup.tournament or ""}
            and request.state in {match_pb2.MATCH_STATE_UNSPECIFIED, state}
            and (not request.bot_id or any(seat.bot == request.bot_id for seat in seats))
        ):
            yield live


class _Ended(NamedTuple):
    """A match that has ended, and whether it may be told who sat where."""

    result: MatchResult
    named: bool

    @classmethod
    def of(cls, result: MatchResult, data: Path) -> Self:
        """Returns a match of the index.

        An anonymous one that came to nothing stays so: its pairing is played again by the same bots in
        the same seats. Without its log nobody can say whether it was one.
        """
        if result.termination in COUNTED:
            return cls(result, named=True)
        try:
            return cls(result, named=not header(data / result.log).anonymous)
        except RecordError:
            return cls(result, named=False)

    def described(self) -> match_pb2.Match:
        """Returns the match as a message."""
        return describe.finished(self.result, named=self.named)


async def _ended(
    host: "Host", request: pb.ListMatchesRequest, after: pages.Order, limit: int
) -> list[_Ended]:
    if host.index is None:
        return []
    game, bot, data = request.game or None, request.bot_id or None, host.config.data
    tournament, span = request.tournament or None, pages.Span.of(request)

    def page(store: Store) -> list[_Ended]:
        found: list[_Ended] = []
        begin, more = after, True
        while more and len(found) < limit:
            batch = span.kept(
                store.matches(limit=limit, after=begin, tournament=tournament, game=game, bot=bot)
            )
            every = (_Ended.of(result, data) for result in batch)
            found += [one for one in every if one.named or bot is None]
            begin, more = (batch[-1].order if batch else after), len(batch) == limit
        return found[:limit]

    return await host.index.read(page)


async def _found(host: "Host", match_id: str) -> _Ended | None:
    """Returns a match that has ended, from its log where the index lacks it."""
    data = host.config.data

    def indexed(store: Store) -> _Ended | None:
        result = store.result(match_id)
        return _Ended.of(result, data) if result else None

    found = await host.index.read(indexed) if host.index else None
    path = find_log(data, match_id) if found is None else None
    return await asyncio.to_thread(_from_log, path) if path else found


def _from_log(path: Path) -> _Ended:
    """Returns the match of a log; what is anonymous in a block stays so until the block is over."""
    log = read(path)
    result = result_of(log, path.name)
    hides = is_sealed(path) or result.termination not in COUNTED
    return _Ended(result, named=not (log.setup.anonymous and hides))


def _game(game: Game) -> pb.GameDescription:
    info = game.info
    return pb.GameDescription(
        game=info.name,
        rules_version=info.rules_version,
        summary=info.summary,
        min_seats=info.min_seats,
        max_seats=info.max_seats,
        lower_score_wins=info.lower_is_better,
        options=map(_option, sorted(info.options, key=lambda option: option.name)),
    )


def _option(option: Option) -> pb.GameOptionDescription:
    described = pb.GameOptionDescription(
        option=option.name,
        default_value=str(option.default),
        summary=option.summary,
        choices=option.choices,
    )
    if not option.choices:
        described.min_value, described.max_value = option.low, option.high
    return described
