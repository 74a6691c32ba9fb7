"""Lets connections in: so many in all, so many from one household, and none that only waits.

Every connection costs the process a descriptor, and logs and bots need some too. So they are counted
from the moment at which they are accepted, before TLS, and one that does not get on is ended: its
request has to be complete in time, and what it is sent has to be taken.
"""

import asyncio
import contextlib
import errno
import resource
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Container
from typing import Any, Final, NamedTuple

import h11
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from referee.web.quiet import Seldom

_MOST: Final = 1024
"""Connections of a site, however many descriptors the process may have."""
_SHARE: Final = 4
"""The site takes a quarter of the descriptors, and one household a quarter of the site."""
_PAUSE: Final = 0.1
"""Seconds before the next try where the process has no descriptor left."""
_SHORT: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class Limits(NamedTuple):
    """What the connections of a site may take.

    Attributes:
        connections: how many there may be at once.
        household: how many of them from one household.
        request: seconds that a request may take to come in, from the end of the answer before it.
        stuck: seconds for which nothing may be taken of what is sent.
        handshake: seconds for the handshake of TLS.
    """

    connections: int
    household: int
    request: float = 20.0
    stuck: float = 30.0
    handshake: float = 10.0

    @classmethod
    def of_this_process(cls) -> "Limits":
        """Returns what leaves enough of the descriptors that this process may have."""
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _MOST if soft == resource.RLIM_INFINITY else max(_SHARE, min(_MOST, soft // _SHARE))
        return cls(most, most // _SHARE)


class Connection(H11Protocol):
    """One connection; it is looked at every now and then."""

    def __init__(self, config: Config, state: ServerState, limits: Limits, gone: Callable[[], None]) -> None:
        super().__init__(config, state, {})
        self._limits = limits
        self._gone = gone
        self._began = self._moved = self.loop.time()
        self._unsent = 0

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends, and gives the place back."""
        self._gone()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Begins to wait for the next request."""
        self._began = self.loop.time()
        super().on_response_complete()

    def resume_writing(self) -> None:
        """Takes note that the client reads."""
        self._moved = self.loop.time()
        super().resume_writing()

    def look(self, now: float) -> None:
        """Ends the connection if its client does not get on."""
        unsent = self.transport.get_write_buffer_size()
        if unsent == 0 or unsent < self._unsent:
            self._moved = now
        self._unsent = unsent
        coming = self.conn.their_state in {h11.IDLE, h11.SEND_BODY}
        if (coming and now - self._began > self._limits.request) or now - self._moved > self._limits.stuck:
            self.transport.abort()


class Gate:
    """Accepts the connections of a site.

    `household` tells addresses apart; of the addresses in `proxies` there may be any number.
    """

    def __init__(
        self,
        listener: socket.socket,
        tls: ssl.SSLContext | None,
        limits: Limits,
        household: Callable[[str], str],
        proxies: Container[str],
    ) -> None:
        self._listener = listener
        self._tls = tls
        self._limits = limits
        self._household = household
        self._proxies = proxies
        self._open: Counter[str] = Counter()
        self._arriving: set[asyncio.Task[None]] = set()
        self._seldom = Seldom()

    async def accept(self, make: Callable[[Callable[[], None]], asyncio.Protocol]) -> None:
        """Accepts until it is cancelled; `make` is given what a connection calls at its end."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                try:
                    connection, address = await loop.sock_accept(self._listener)
                except OSError as error:
                    if error.errno in _SHORT:
                        self._seldom.warning("the site cannot accept connections", problem=str(error))
                        await asyncio.sleep(_PAUSE)
                    continue
                self._welcome(connection, address[0], make)
        finally:
            for task in self._arriving:
                task.cancel()

    def _welcome(
        self, connection: socket.socket, host: str, make: Callable[[Callable[[], None]], asyncio.Protocol]
    ) -> None:
        proxied = host in self._proxies
        house = "" if proxied else self._household(host)
        if self._open.total() >= self._limits.connections:
            self._turn_away(connection, "503 Service Unavailable", house)
        elif not proxied and self._open[house] >= self._limits.household:
            self._turn_away(connection, "429 Too Many Requests", house)
        else:
            self._open[house] += 1
            task = asyncio.ensure_future(self._let_in(connection, house, make))
            self._arriving.add(task)
            task.add_done_callback(self._arriving.discard)

    async def _let_in(
        self,
        connection: socket.socket,
        house: str,
        make: Callable[[Callable[[], None]], asyncio.Protocol],
    ) -> None:
        place = [house]

        def gone() -> None:
            if place:
                self._open[place.pop()] -= 1
                self._open += Counter()  # forgets those who have none left

        in_time: dict[str, Any] = {"ssl_handshake_timeout": self._limits.handshake} if self._tls else {}
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: make(gone), connection, ssl=self._tls, **in_time
            )
        except BaseException as error:
            gone()
            connection.close()
            if not isinstance(error, OSError):
                raise

    def _turn_away(self, connection: socket.socket, status: str, house: str) -> None:
        self._seldom.warning("the site has turned a connection away", answer=status, address=house)
        with connection, contextlib.suppress(OSError):
            connection.setblocking(False)  # noqa: FBT003  the standard library has it like this
            if self._tls is None:
                text = "too many connections; try again in a while\n"
                head = f"Content-Type: text/plain\r\nContent-Length: {len(text)}\r\nRetry-After: 5"
                connection.send(f"HTTP/1.1 {status}\r\n{head}\r\nConnection: close\r\n\r\n{text}".encode())
                connection.shutdown(socket.SHUT_WR)
                connection.recv(_READ)  # what is left unread would take the answer back


_READ: Final = 64 * 1024
