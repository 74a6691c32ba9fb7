"""A way to a server that listens for the pings that pass: HTTP/2 frames are all that it understands."""

import socket
import threading
import time
from contextlib import suppress
from typing import Self

PREFACE = len(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
HEADER = 9
PING = 6
ACK = 1
QUIET = 5.0
"""Seconds without another frame, after which a ping can only be one that keeps the connection alive.

Others measure how much may be under way, and follow on data at once.
"""


class Tap:
    """Passes one connection on to a port of this machine.

    Attributes:
        address: host:port to connect to.
        pinged: set once the client has pinged on a quiet connection.
    """

    def __init__(self, port: int) -> None:
        self.pinged = threading.Event()
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):
            client, _ = self._listener.accept()
            server = socket.create_connection(("127.0.0.1", self._port))
            threading.Thread(target=_pass_on, args=(server, client), daemon=True).start()
            self._listen(client, server)

    def _listen(self, client: socket.socket, server: socket.socket) -> None:
        """Passes on what the client sends, frame by frame."""
        with client, server, client.makefile("rb") as source:
            server.sendall(source.read(PREFACE))
            before = time.monotonic()
            while len(header := source.read(HEADER)) == HEADER:
                now = time.monotonic()
                if header[3] == PING and not header[4] & ACK and now - before > QUIET:
                    self.pinged.set()
                before = now
                server.sendall(header + source.read(int.from_bytes(header[:3], "big")))


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
