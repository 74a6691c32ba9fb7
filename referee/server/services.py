"""The services beside `PlayService`: who is let in, and what is answered."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from grpc import aio

from referee.errors import StoreUnavailableError
from referee.server import logs
from referee.server.asked import parse
from referee.server.auth import Identity, Refused
from referee.server.host import Host
from referee.server.peers import address
from referee.server.reads import arena, replays, reports, standings
from referee.server.reads.board import Board
from referee.server.reads.desk import Desk, in_time
from referee.server.refusal import Refusal, invalid
from referee.server.watch.gallery import Gallery, Spectator
from referee.v1 import arena_service_pb2, replay_service_pb2, standings_service_pb2

SERVICES: Final[tuple[ServiceDescriptor, ...]] = tuple(
    service
    for file in (arena_service_pb2, replay_service_pb2, standings_service_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
)
"""Every service beside `PlayService` where bots dial in; `AdminService` has no place there."""

OWN: Final = frozenset({"referee.v1.ReplayService.GetReport"})
"""Methods that are never public: they show what belongs to somebody."""

Context: TypeAlias = "aio.ServicerContext[Any, Any]"

_LAST_WORDS: Final = 1.0
"""How long a call may take to be ended, in seconds, where nobody reads it."""


class Reads:
    """What the answers need: the host, the spectators of its matches, and the standings."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.desk = Desk(host)
        self.gallery = Gallery(host, self.desk)
        self.board = Board(host.index, host.config.data, host.runner.now) if host.index else None


class Call:
    """A call that was let in: its stream, and whose token it came with, if it was asked for one."""

    def __init__(self, context: Context, who: Identity | None) -> None:
        self.context = context
        self.who = who
        self._begun = False

    async def write(self, data: bytes) -> None:
        """Sends a message of a stream.

        The metadata goes out before the first one: with it in one piece the call could not be ended for
        as long as nobody reads that.
        """
        if not self._begun:
            self._begun = True
            await self.context.send_initial_metadata(())
        await self.context.write(data)

    @property
    def address(self) -> str:
        """Where it comes from."""
        return address(self.context.peer())


Answer: TypeAlias = Callable[[Reads, Any, Call], Awaitable[Any]]


def handlers(reads: Reads) -> list["grpc.GenericRpcHandler[Any, Any]"]:
    """Returns the handlers of all services beside `PlayService`."""
    return [
        grpc.method_handlers_generic_handler(
            service.full_name, {method.name: _handler(reads, method) for method in service.methods}
        )
        for service in SERVICES
    ]


def _handler(reads: Reads, method: MethodDescriptor) -> "grpc.RpcMethodHandler[Any, Any]":
    async def serve(data: bytes, context: Context) -> Any:
        try:
            who = await _let_in(reads.host, method, context)
            async with reads.host.visits.during(who):
                return await _ANSWERS[method.full_name](reads, parse(method, data), Call(context, who))
        except Refusal as refusal:
            await _end(context, refusal)
        except aio.AbortError:
            raise
        except StoreUnavailableError:
            await _end(context, Refusal(grpc.StatusCode.UNAVAILABLE, "the results cannot be read now"))
        except Exception:  # noqa: BLE001  whatever it is, its text stays in this process
            text = logs.incident(f"{method.full_name} failed")
            await _end(context, Refusal(grpc.StatusCode.INTERNAL, text))

    make = (
        grpc.unary_stream_rpc_method_handler
        if method.server_streaming
        else grpc.unary_unary_rpc_method_handler
    )
    return make(serve, response_serializer=_bytes)


def is_public(host: Host, method: MethodDescriptor) -> bool:
    """Says whether a method answers without a token."""
    return host.config.public and method.full_name not in OWN


async def _let_in(host: Host, method: MethodDescriptor, context: Context) -> Identity | None:
    """Returns who calls, None where nobody is asked for a token.

    Raises `Refusal` for a call that has no right to an answer, or comes to a server that stops.
    """
    who = None
    if not is_public(host, method):
        found = await host.auth.identify(tuple(context.invocation_metadata() or ()), context.peer())
        if isinstance(found, Refused):
            raise Refusal(found.code, found.text)
        who = found
    if host.lobby.draining and not host.failed:
        raise Refusal(grpc.StatusCode.UNAVAILABLE, "the server stops; come back later")
    return who


async def _end(context: Context, refusal: Refusal) -> None:
    """Ends a call; a client that does not read finds the status behind what it has not read."""
    try:
        await asyncio.wait_for(context.abort(refusal.code, refusal.text), _LAST_WORDS)
    except TimeoutError:
        raise asyncio.CancelledError from None


def _bytes(message: Message | bytes) -> bytes:
    return message if isinstance(message, bytes) else message.SerializeToString()


async def _list_games(_reads: Reads, _request: Any, _call: Call) -> Message:
    return arena.list_games()


async def _list_matches(reads: Reads, request: Any, _call: Call) -> Message:
    return await arena.list_matches(reads.host, request)


async def _get_match(reads: Reads, request: Any, _call: Call) -> Message:
    return await arena.get_match(reads.host, request)


async def _watch_match(reads: Reads, request: Any, call: Call) -> None:
    if not request.match_id:
        raise invalid("match_id is empty")
    if request.last_event_id < 0:
        raise invalid("events are numbered from 1")
    spectator = Spectator(call.address, call.write)
    await reads.gallery.watch(request.match_id, request.last_event_id, spectator)


async def _list_standings(reads: Reads, request: Any, _call: Call) -> Message:
    return await standings.list_standings(_board(reads), request)


async def _get_standings(reads: Reads, request: Any, _call: Call) -> Message:
    return await standings.get_standings(_board(reads), request)


async def _list_leaderboards(reads: Reads, request: Any, _call: Call) -> Message:
    return await standings.list_leaderboards(_board(reads), request)


async def _get_leaderboard(reads: Reads, request: Any, _call: Call) -> Message:
    return await standings.get_leaderboard(_board(reads), request)


async def _get_replay(reads: Reads, request: Any, call: Call) -> None:
    await _download(replays.get_replay, reads, request, call)


async def _download_replays(reads: Reads, request: Any, call: Call) -> None:
    await _download(replays.download_replays, reads, request, call)


async def _get_report(reads: Reads, request: Any, call: Call) -> Message:
    if call.who is None:  # it is in `OWN`
        raise RuntimeError("a report was asked for without a token")
    with reads.desk.place(call.address):
        return await reports.get_report(reads.host, reads.desk, request, call.who)


async def _download(answer: replays.Download, reads: Reads, request: Any, call: Call) -> None:
    write = in_time(call.write, reads.host.config.limits.write, "this caller does not read")
    with reads.desk.place(call.address):
        await answer(reads.host, reads.desk, request, write)


def _board(reads: Reads) -> Board:
    if reads.board is None:
        raise Refusal(grpc.StatusCode.UNIMPLEMENTED, "this server keeps no results")
    return reads.board


_ANSWERS: Final[dict[str, Answer]] = {
    "referee.v1.ArenaService.ListGames": _list_games,
    "referee.v1.ArenaService.ListMatches": _list_matches,
    "referee.v1.ArenaService.GetMatch": _get_match,
    "referee.v1.ArenaService.WatchMatch": _watch_match,
    "referee.v1.ReplayService.GetReplay": _get_replay,
    "referee.v1.ReplayService.DownloadReplays": _download_replays,
    "referee.v1.ReplayService.GetReport": _get_report,
    "referee.v1.StandingsService.ListStandings": _list_standings,
    "referee.v1.StandingsService.GetStandings": _get_standings,
    "referee.v1.StandingsService.ListLeaderboards": _list_leaderboards,
    "referee.v1.StandingsService.GetLeaderboard": _get_leaderboard,
}
