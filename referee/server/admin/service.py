"""`AdminService`: its methods, and the server that answers them for the operator alone."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import grpc
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc import aio

from referee.errors import UsageError
from referee.server.admin import place
from referee.server.admin.audit import AUDIT, AuditLog
from referee.server.admin.bots import Register
from referee.server.admin.calls import Calls, Method, RefusedCallError
from referee.server.admin.matches import Matches, note_of
from referee.server.asked import parse
from referee.server.reads.describe import timestamp
from referee.server.refusal import Refusal
from referee.tournament.decision import Decision, Disqualified, Paused, Returned, Withdrawn
from referee.v1 import admin_service_pb2 as pb

if TYPE_CHECKING:
    from referee.server.host import Host
    from referee.server.house.practice import Practice
    from referee.server.index import Index
    from referee.server.ladder.ladder import Ladder

SERVICE: Final = pb.DESCRIPTOR.services_by_name["AdminService"]
_CLOSING: Final = 2.0
"""How long calls may take that are under way at the end, in seconds."""
_SECRETS: Final = {"AddBot": "token"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What the operator's service acts upon.

    `drain` hears how long running matches may go on, in microseconds or None for the server's limit,
    and returns the limit that holds.
    """

    host: "Host"
    index: "Index"
    ladder: "Ladder | None"
    practice: "Practice | None"
    drain: Callable[[int | None], int]


class Admin:
    """The methods, by name."""

    def __init__(self, served: Served) -> None:
        host, ladder = served.host, served.ladder
        self._served = served
        self._started = host.wall()
        self._register = Register(host, served.index, ladder)
        matches = Matches(host, served.index, ladder)
        self.runs: dict[str, Callable[[Any], Awaitable[Message]]] = {
            "CreateMatch": matches.create,
            "VoidMatch": matches.void,
            "DrainServer": self._drain,
            "AddBot": self._register.add,
            "RevokeBot": self._register.revoke,
            "ListBots": self._register.list_page,
            "PauseBot": self._rule(Paused, pb.PauseBotResponse),
            "ResumeBot": self._rule(Returned, pb.ResumeBotResponse, needs_note=False),
            "RemoveBot": self._rule(Withdrawn, pb.RemoveBotResponse),
            "DisqualifyBot": self._rule(Disqualified, pb.DisqualifyBotResponse),
            "FreezeLadder": self._freeze,
            "UnfreezeLadder": self._unfreeze,
            "GetStatus": self._status,
        }

    @property
    def _ladder(self) -> "Ladder":
        if self._served.ladder is None:
            raise RefusedCallError(grpc.StatusCode.FAILED_PRECONDITION, "this server has no ladder")
        if not self._served.ladder.begun:
            raise RefusedCallError(grpc.StatusCode.UNAVAILABLE, "the ladder is being started; try again")
        return self._served.ladder

    def _rule(
        self, decision: Callable[..., Decision], response: Callable[..., Message], *, needs_note: bool = True
    ) -> Callable[[Any], Awaitable[Message]]:
        async def run(request: Any) -> Message:
            ladder, note = self._ladder, note_of(request.note, needed=needs_note)
            bot = await self._register.find(request.bot_id)
            await ladder.rule(decision(at=self._served.host.wall(), bot=bot.bot_id, why=note))
            return response(bot=self._register.told(bot))

        return run

    async def _freeze(self, request: pb.FreezeLadderRequest) -> pb.FreezeLadderResponse:
        self._ladder.freeze(note_of(request.note))
        return pb.FreezeLadderResponse(running_match_count=len(self._served.host.matches))

    async def _unfreeze(self, request: pb.UnfreezeLadderRequest) -> pb.UnfreezeLadderResponse:
        del request
        if not self._ladder.frozen:
            raise RefusedCallError(grpc.StatusCode.FAILED_PRECONDITION, "the ladder is not frozen")
        self._ladder.unfreeze()
        return pb.UnfreezeLadderResponse()

    async def _drain(self, request: pb.DrainServerRequest) -> pb.DrainServerResponse:
        given = request.limit_duration.ToMicroseconds() if request.HasField("limit_duration") else None
        if given is not None and given < 0:
            raise UsageError("limit_duration: cannot be negative")
        limit = self._served.drain(given)
        host = self._served.host
        return pb.DrainServerResponse(
            running_match_count=len(host.matches), limit_time=timestamp(host.wall() + limit)
        )

    async def _status(self, request: pb.GetStatusRequest) -> pb.GetStatusResponse:
        del request
        host, ladder = self._served.host, self._served.ladder
        return pb.GetStatusResponse(
            server_id=host.server_id,
            start_time=timestamp(self._started),
            draining=host.lobby.draining,
            problem=host.failed,
            stream_count=len(host.streams),
            running_match_count=len(host.matches),
            ladder=_ladder_status(self._served, ladder) if ladder else None,
        )


def _ladder_status(served: Served, ladder: "Ladder") -> pb.LadderStatus:
    free = {
        member.identity.bot_id
        for member in served.host.lobby.members.values()
        if any(member.is_free(table.game) for table in ladder.config.tables)
    }
    waiting = [bot for bot in free - ladder.house.ids if ladder.rulings.plays(bot)]
    return pb.LadderStatus(
        ladder=ladder.config.name,
        frozen_note=ladder.frozen,
        running_match_count=len(ladder.running),
        max_running_match_count=ladder.config.concurrency,
        practice_match_count=served.practice.running if served.practice else 0,
        waiting_bot_count=len(waiting),
        accepted_pairing_count=ladder.accepted,
        unplayed_pairing_count=ladder.unplayed,
        house_bots=[
            pb.HouseBotStatus(
                level=level,
                stream_count=len(members := ladder.house.members(level)),
                running_match_count=sum(len(member.seats) for member in members),
                problem=ladder.house.problems.get(level, ""),
            )
            for level in ladder.house.levels
        ],
    )


class AdminServer:
    """Listens on the socket of the data root, or on a loopback port, while the server runs."""

    def __init__(self, served: Served, address: str) -> None:
        self._data = served.host.config.data
        self._address = address
        self._served = served
        self._server: aio.Server | None = None
        self._calls: Calls | None = None
        self._inode = 0
        self._claim = -1

    async def start(self) -> None:
        """Listens; raises `UsageError` where another server runs for the same data root."""
        self._claim = place.claim(self._data)
        try:
            await self._listen()
        except BaseException:
            self._let_go()
            raise

    async def _listen(self) -> None:
        self._server = server = aio.server(options=[("grpc.so_reuseport", 0)])
        self._calls = calls = Calls(AuditLog(self._data / AUDIT), self._served.host.wall)
        admin = Admin(self._served)
        guard = None
        if self._address:
            place.bind_port(server, self._address)
            guard = place.new_token(self._data)
        else:
            self._inode = place.bind(server, self._data)
        handlers = {name: _handler(name, run, calls, guard) for name, run in admin.runs.items()}
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE.full_name, handlers)])
        await server.start()

    async def refuse(self) -> None:
        """Answers what is under way, and from then on only that the server ends."""
        if self._calls:
            await self._calls.end(_CLOSING)

    async def stop(self) -> None:
        """Ends the service and takes its socket away."""
        if self._server:
            place.release(self._data, self._inode)
            await self._server.stop(_CLOSING)
        self._let_go()

    def _let_go(self) -> None:
        claim, self._claim = self._claim, -1
        if claim >= 0:
            os.close(claim)


def _handler(
    name: str, run: Callable[[Any], Awaitable[Message]], calls: Calls, token: str | None
) -> "grpc.RpcMethodHandler[Any, Any]":
    described = SERVICE.methods_by_name[name]
    method = Method(name, GetMessageClass(described.output_type), run, _SECRETS.get(name, ""))

    async def serve(data: bytes, context: "aio.ServicerContext[Any, Any]") -> Message | None:
        if token and not place.carries(context.invocation_metadata() or (), token):
            await asyncio.sleep(_GUESSING)
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, f"give the token of {place.TOKEN}")
        try:
            asked = parse(described, data)
        except Refusal as refusal:
            await context.abort(refusal.code, refusal.text)
        return await calls.serve(method, asked, context)

    return grpc.unary_unary_rpc_method_handler(
        serve, response_serializer=lambda answer: answer.SerializeToString()
    )


_GUESSING: Final = 0.2
"""Seconds that a refused token waits for its answer."""
