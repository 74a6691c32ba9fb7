"""Listens for browsers, in the event loop of the server whose site it is."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import uvicorn

from referee.errors import UsageError
from referee.web.application import application
from referee.web.sources import Sources

_CLOSING: Final = 1
"""How long open connections may take to close, in seconds: live pages never end by themselves."""


class WebServer:
    """One listening site; `address` is `host:port`, `url` what a person opens."""

    def __init__(self, sources: Sources, host: str, port: int, tls: tuple[Path, Path] | None = None) -> None:
        """Binds at once; raises `UsageError` for an address that cannot be had.

        `tls` are the certificate chain and its private key, PEM files.
        """
        self._socket = _bound(host, port)
        bound = self._socket.getsockname()[1]
        self.address = f"[{host}]:{bound}" if ":" in host else f"{host}:{bound}"
        self.url = f"{'https' if tls else 'http'}://{self.address}/"
        self._server = _Server(
            uvicorn.Config(
                application(sources),
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_CLOSING,
                ssl_certfile=tls[0] if tls else None,
                ssl_keyfile=tls[1] if tls else None,
            )
        )
        self._serving: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to answer."""
        self._serving = asyncio.ensure_future(self._server.serve(sockets=[self._socket]))

    async def stop(self) -> None:
        """Ends the open answers, and returns when nothing is left."""
        self._server.should_exit = True
        if self._serving is not None:
            await self._serving
        self._socket.close()


class _Server(uvicorn.Server):
    """Leaves the signals to the process that it is a part of."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()  # whoever is told the address may dial at once, and waits for the first answer
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"the site cannot listen on {host}:{port}: {reason}; choose another port with --http "
            "(--http 0 takes a free one)"
        ) from None
    listener.setblocking(False)  # noqa: FBT003  the standard library has it like this
    return listener
