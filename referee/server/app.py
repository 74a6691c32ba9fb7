"""The server as a whole: an address that bots dial, and the matches behind it."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import grpc
import structlog
from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from grpc_reflection.v1alpha import reflection

from referee.errors import UsageError
from referee.match.config import SECOND, Setup
from referee.server import interpreter, ports, services
from referee.server.auth import Refused
from referee.server.backstage import Backstage
from referee.server.config import LOOPBACK, ArenaConfig
from referee.server.host import Host, MatchOutcome, MatchRequest
from referee.server.index import Index
from referee.server.processes import Processes
from referee.server.readable import Readable
from referee.server.recovery import recover
from referee.server.request import DealGroup
from referee.server.stream import Connection, Context
from referee.store.store import Store
from referee.v1 import play_service_pb2 as pb

if TYPE_CHECKING:
    from referee.server.house.people import People

PLAY: Final = "referee.v1.PlayService"

HARD_LIMIT: Final = 1024 * 1024
"""Messages above it end the call inside gRPC, with RESOURCE_EXHAUSTED and without a `Goodbye`; the
smaller ones that are still above `Limits.request_bytes` get one."""

OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", HARD_LIMIT),
    ("grpc.max_send_message_length", -1),  # frames are cut to messages by our own limit
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # Clients may ping every 10 s, and somewhat faster, for as long as a turn is idle.
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
)

_log = structlog.get_logger("referee.app")


class Arena:
    """One server process: start it, play matches on it, stop it."""

    def __init__(self, config: ArenaConfig, wall: Callable[[], int] = lambda: time.time_ns() // 1000) -> None:
        config.check()
        self.config = config
        self.suspended: tuple[str, ...] = ()
        """The matches that `stop` left for a later process."""
        self.on_database: Callable[[str], None] = lambda _: None
        """Hears once when the database cannot be used any more, and once when it can."""
        self.people: People | None = None
        """Who lets people sit down, once it has started; None where none are seated."""
        self._wall = wall
        self._host: Host | None = None
        self._matches: Mapping[str, object] = {}
        self._server: aio.Server | None = None
        self._health = HealthServicer()
        self._telling: set[asyncio.Future[None]] = set()
        self._failed = ""
        self._stops = 0.0
        """When `stop` waits for matches no more, by the clock of the loop."""
        self._backstage = Backstage(config, wall)
        self.reads: services.Reads
        """What is read of the matches and of the standings; there is none before `start`."""
        self.drain_asked: asyncio.Future[int | None]
        """Done when the operator asks that the server drains, with the time that matches have, in
        microseconds, or None for the usual; there is none before `start`."""

    async def start(self) -> str:
        """Listens and returns `host:port`; raises `UsageError` for a port that cannot be had."""
        self.drain_asked = asyncio.get_running_loop().create_future()
        try:
            return await self._start()
        except BaseException:
            host, server = self._host, self._server
            self._host = self._server = None
            await self._close(host, server, 0)
            raise

    async def _start(self) -> str:
        credentials = None
        if self.config.tls:
            credentials = grpc.ssl_server_credentials([self.config.tls.read()])
        self.config.data.mkdir(parents=True, exist_ok=True)
        await self._backstage.prepare()
        store = Store.under(self.config.data, self.config.store)
        index = Index(store, self.config.data, self.on_database)
        self._host = host = Host(self.config, index, self._wall)
        self._matches = host.matches
        host.on_failure = lambda: self._not_serving(host)
        self._server = server = aio.server(interceptors=(Readable(),), options=[*OPTIONS, *self._keepalive()])
        self.reads = services.Reads(host)
        self._register(host, server)
        port = self._bind(server, credentials)
        inner = self._bind_inner(server, port)
        await self._backstage.listen(host, index, self._ask_drain)
        host.runner.start()
        if self.config.recover:
            recover(host, index.bot_ids() | self._backstage.bot_ids)
        host.blocks.sweep()
        index.sync()
        await server.start()
        await self._backstage.open(inner)
        self.people = self._backstage.people
        for name in ("", PLAY):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        interpreter.settle()
        return ports.joined(self.config.host, port)

    async def stop(self, grace: float, then: Callable[[], Awaitable[None]] | None = None) -> None:
        """Lets running matches finish for `grace` seconds, then does that, suspends the rest and closes."""
        host, server = self._host, self._server
        if host is None or server is None:
            return
        self._host = self._server = None
        self._stops = asyncio.get_running_loop().time() + grace
        await self._health.enter_graceful_shutdown()
        host.lobby.drain()
        running = tuple(host.matches.values())
        if running and grace > 0:
            await asyncio.wait([live.ended for live in running], timeout=grace)
        if then:
            await then()
        await self._close(host, server, _CLOSING)

    async def _close(self, host: Host | None, server: aio.Server | None, grace: float) -> None:
        """Suspends what runs and ends all that was started, however far a start has come."""
        if host:
            self.suspended = tuple(host.matches)
            for live in tuple(host.matches.values()):
                live.suspend()
            for stream in tuple(host.streams):
                stream.close(pb.GOODBYE_REASON_DRAINING, "the server stops; come back later")
        await self._backstage.close()
        if server:
            await server.stop(grace)
        if host:
            host.runner.stop()
            host.blocks.close()
            if host.index:
                await host.index.close()

    @property
    def playing(self) -> int:
        """How many matches run, also while `stop` waits for them."""
        return len(self._matches)

    def add_guest(self, name: str, owner: str = "house", bot_id: str = "", instance: str = "") -> str:
        """Returns a token for a bot that is known to this process only.

        With an instance it is for one process of the bot, which sits only where a request names that.
        """
        return self._running().auth.add_guest(name, owner, bot_id, instance)

    def remove_guest(self, token: str, instance: str) -> None:
        """Makes the token of one process worthless, once that has played what it was launched for."""
        if self._host:
            self._host.auth.remove_guest(token)
            self._host.lobby.forget(instance)

    @property
    def processes(self) -> Processes:
        """The launched bots among those who play; to be told of each that is launched to play here."""
        return self._running().processes

    def absent(self, name: str, reason: str, instance: str = "") -> None:
        """Takes note that a guest, or one process of it, will never come.

        A match that waits for it ends as a no-show, and one that runs without it.
        """
        self._running().absent(name, reason, instance)

    def spoil(self, name: str, reason: str, instance: str = "") -> None:
        """Voids the matches of a guest, or of one process of it, that was lost by no fault of its own."""
        host = self._running()
        for live, _ in host.seated(name, instance):
            live.void(reason, host.runner.now())

    @contextlib.contextmanager
    def block(self, seed: int | None = None) -> Iterator[DealGroup]:
        """Returns a fresh deal group for the matches of a block; their logs are sealed until it is left."""
        host = self._running()
        group = host.blocks.open(seed)
        try:
            yield group
        finally:
            host.blocks.settle(group)

    def capacity(self, bot: str, game: str) -> int:
        """Returns how many matches of a game a bot takes at once; 0 while it is not here."""
        return self._running().lobby.capacity(bot, game)

    async def play(self, request: MatchRequest) -> MatchOutcome:
        """Waits for the bots of a match, plays it and returns what became of it.

        What bots do wrong is in the outcome. Raises `UsageError` or `OptionError` for a match that
        cannot be, and `RefereeError` where it cannot be logged. Cancelling voids the match, unless that has
        ended: then it is returned all the same, and whoever plays on asks its task whether it may.
        """
        return await self._running().play(request)

    def resumed(self) -> list[tuple[Setup, Coroutine[Any, Any, MatchOutcome]]]:
        """Returns the matches that an earlier process began, and what to await for the outcome of each.

        To be asked right after `start`, before anything else is played.
        """
        host = self._running()
        return [(live.match.setup, host.follow(live)) for live in host.matches.values()]

    @property
    def failed(self) -> str:
        """Why no more matches are started, for the operator; empty while they are."""
        return self._host.failed if self._host else self._failed

    def _ask_drain(self, limit: int | None) -> int:
        """Takes the operator's wish to drain; returns how long matches have, in microseconds."""
        if self._host is None:  # it stops already, and nobody listens for another limit
            return max(0, round((self._stops - asyncio.get_running_loop().time()) * SECOND))
        self._host.lobby.drain()
        if not self.drain_asked.done():
            self.drain_asked.set_result(limit)
        asked = self.drain_asked.result()
        return self.config.drain if asked is None else asked

    def _not_serving(self, host: Host) -> None:
        self._failed = host.failed
        for name in ("", PLAY):
            told = self._health.set(name, health_pb2.HealthCheckResponse.NOT_SERVING)
            self._telling.add(task := asyncio.ensure_future(told))
            task.add_done_callback(self._telling.discard)

    def _running(self) -> Host:
        if self._host is None:
            raise RuntimeError("the arena is not running")
        return self._host

    def _keepalive(self) -> list[tuple[str, int]]:
        return [
            ("grpc.keepalive_time_ms", self.config.keepalive // 1000),
            ("grpc.keepalive_timeout_ms", self.config.keepalive_timeout // 1000),
            # A ping that measures bandwidth goes out instead of one that asks for life, and has a
            # limit of its own.
            ("grpc.http2.ping_timeout_ms", self.config.keepalive_timeout // 1000),
        ]

    def _register(self, host: Host, server: aio.Server) -> None:
        async def play(_requests: object, context: Context) -> None:
            identity = await host.auth.identify(tuple(context.invocation_metadata() or ()), context.peer())
            if isinstance(identity, Refused):
                await context.abort(identity.code, identity.text)
            else:
                await Connection(host, context, identity).run()

        handler = grpc.stream_stream_rpc_method_handler(play)
        server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler(PLAY, {"Play": handler}), *services.handlers(self.reads)]
        )
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        names = [PLAY, *(service.full_name for service in services.SERVICES)]
        reflection.enable_server_reflection([*names, health.SERVICE_NAME, reflection.SERVICE_NAME], server)

    def _bind_inner(self, server: aio.Server, port: int) -> str:
        """Returns where house bots dial in: in plain text on the loopback interface."""
        if not self._backstage.launches or (self.config.tls is None and self.config.host in LOOPBACK):
            return ports.joined(self.config.host, port)
        return f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"

    def _bind(self, server: aio.Server, credentials: grpc.ServerCredentials | None) -> int:
        port = self.config.port
        address = ports.joined(self.config.host, port)
        try:
            if credentials:
                return server.add_secure_port(address, credentials)
            return server.add_insecure_port(address)
        except RuntimeError:
            owner = ports.holder(port) if port else ""
            taken = f"port {port} is taken by {owner}" if owner else f"port {port} cannot be had"
            raise UsageError(
                f"cannot listen on {address}: {taken}; stop that process, or choose another port "
                "(--port 0 takes a free one)"
            ) from None


_CLOSING: Final = 2.0
"""How long streams may take to close, in seconds."""
