"""Answers browsers, in the event loop of the server whose site it is."""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from referee.web.application import application
from referee.web.gate import Connection, Gate, Limits
from referee.web.listener import Listener
from referee.web.proxies import Proxies
from referee.web.quiet import bridge
from referee.web.sources import Sources

_CLOSING: Final = 1
"""How long open connections may take to close, in seconds: live pages never end by themselves."""
_LOOK_EVERY: Final = 10
"""How many ticks of uvicorn, tenths of a second, lie between two looks at the connections."""


class HttpServer:
    """An application that is served where a listener listens."""

    def __init__(self, app: ASGIApp, listener: Listener, limits: Limits, gate: Gate) -> None:
        self._listener = listener
        self._server = _Server(app, limits, gate)
        self._serving: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to answer."""
        bridge()
        self._serving = asyncio.ensure_future(self._server.serve())

    async def stop(self) -> None:
        """Ends the open answers, and returns when nothing is left."""
        self._server.should_exit = True
        if self._serving is not None:
            await self._serving
        self._listener.close()


def web_server(sources: Sources, listener: Listener, proxies: Proxies) -> HttpServer:
    """Returns the site of a server; the word of `proxies` is taken for whom a request is from."""
    limits = Limits.of_this_process()
    local = listener.local and not proxies
    app = application(sources, proxies=proxies, most=limits.household, local=local)
    return http_server(app, listener, limits, sources.household, proxies)


def http_server(
    app: ASGIApp, listener: Listener, limits: Limits, household: Callable[[str], str], proxies: Proxies
) -> HttpServer:
    """Returns a server of any application."""
    gate = Gate(listener.socket, listener.tls, limits, household, proxies)
    return HttpServer(app, listener, limits, gate)


class _Server(uvicorn.Server):
    """Leaves the signals to the process that it is a part of, and the accepting to a gate."""

    def __init__(self, app: ASGIApp, limits: Limits, gate: Gate) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Connection,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_CLOSING,
            )
        )
        self._limits = limits
        self._gate = gate
        self._accepting: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to accept."""
        await super().startup(sockets or [])
        self._accepting = asyncio.ensure_future(self._gate.accept(self._connection))

    async def on_tick(self, counter: int) -> bool:
        """Looks at the connections every now and then."""
        if counter % _LOOK_EVERY == 0:
            now = asyncio.get_running_loop().time()
            for connection in tuple(self.server_state.connections):
                if isinstance(connection, Connection):
                    connection.look(now)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accepts no more, and ends what is open."""
        if self._accepting:
            self._accepting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._accepting
        await super().shutdown(sockets)

    def _connection(self, gone: Callable[[], None]) -> Connection:
        return Connection(self.config, self.server_state, self._limits, gone)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield
