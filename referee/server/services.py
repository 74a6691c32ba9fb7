"""The services beside `PlayService`: what is answered, and what is only named so far."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message_factory import GetMessageClass
from grpc import aio

from referee.games import REGISTRY
from referee.games.base import Game
from referee.games.info import Option
from referee.server import logs
from referee.server.auth import Refused
from referee.server.host import Host
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
Answer: TypeAlias = Callable[[Any, Context], Awaitable[Any]]


def handlers(host: Host) -> list["grpc.GenericRpcHandler[Any, Any]"]:
    """Returns the handlers of all services beside `PlayService`."""
    return [
        grpc.method_handlers_generic_handler(
            service.full_name, {method.name: _handler(host, method) for method in service.methods}
        )
        for service in SERVICES
    ]


def _handler(host: Host, method: MethodDescriptor) -> "grpc.RpcMethodHandler[Any, Any]":
    answer = _ANSWERS.get(method.full_name)

    async def serve(request: Any, context: Context) -> Any:
        if not is_public(host, method):
            peer = await host.auth.identify(tuple(context.invocation_metadata() or ()), context.peer())
            if isinstance(peer, Refused):
                await context.abort(peer.code, peer.text)
        if answer is None:
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, f"{method.full_name} is not served yet")
            return None
        try:
            return await answer(request, context)
        except aio.AbortError:
            raise
        except Exception:  # noqa: BLE001  whatever it is, its text stays in this process
            await context.abort(grpc.StatusCode.INTERNAL, logs.incident(f"{method.full_name} failed"))

    make = (
        grpc.unary_stream_rpc_method_handler
        if method.server_streaming
        else grpc.unary_unary_rpc_method_handler
    )
    request_type = GetMessageClass(method.input_type)
    return make(
        serve,
        request_deserializer=request_type.FromString,
        response_serializer=lambda message: message.SerializeToString(),
    )


def is_public(host: Host, method: MethodDescriptor) -> bool:
    """Says whether a method answers without a token."""
    return host.config.public and method.full_name not in OWN


async def _list_games(request: Any, context: Context) -> arena_service_pb2.ListGamesResponse:
    del request, context
    described = sorted(map(_description, REGISTRY), key=lambda game: game.game)
    return arena_service_pb2.ListGamesResponse(games=described)


def _description(game: Game) -> arena_service_pb2.GameDescription:
    info = game.info
    return arena_service_pb2.GameDescription(
        game=info.name,
        rules_version=info.rules_version,
        summary=info.summary,
        min_seats=info.min_seats,
        max_seats=info.max_seats,
        lower_score_wins=info.lower_is_better,
        options=map(_option, sorted(info.options, key=lambda option: option.name)),
    )


def _option(option: Option) -> arena_service_pb2.GameOptionDescription:
    described = arena_service_pb2.GameOptionDescription(
        option=option.name,
        default_value=str(option.default),
        summary=option.summary,
        choices=option.choices,
    )
    if not option.choices:
        described.min_value, described.max_value = option.low, option.high
    return described


_ANSWERS: Final[dict[str, Answer]] = {"referee.v1.ArenaService.ListGames": _list_games}
