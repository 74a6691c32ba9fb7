"""A way to a server that listens for the pings that pass: HTTP/2 frames are all that it understands."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PREFACE = len(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
HEADER = 9
PING = 6
ACK = 1
QUIET = 5.0
"""Seconds without another frame, after which a ping can only be one that keeps the connection alive.

Others measure how much may be under way, and follow on data at once.
"""


class Tap:
    """Passes connections on to a server on this machine, once it is told to which.

    Attributes:
        address: host:port to connect to.
        pinged: set once a client has pinged on a quiet connection.
    """

    def __init__(self) -> None:
        self.pinged = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port = 0
        self._taken: list[threading.Event] = []
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"

    @contextmanager
    def to(self, address: str) -> Iterator[None]:
        """Passes on to a server for as long as the context lasts."""
        self._port = int(address.rpartition(":")[2])
        threading.Thread(target=self._serve, daemon=True).start()
        with self._listener:
            try:
                yield
            finally:
                self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for a client

    def lose(self) -> None:
        """Lets nothing through any more on the connections that there are, and closes none of them."""
        for lost in self._taken:
            lost.set()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._port))
                self._taken.append(lost := threading.Event())
                for run, *ends in ((self._listen, client, server), (_pass_on, server, client)):
                    threading.Thread(target=run, args=(*ends, lost), daemon=True).start()

    def _listen(self, client: socket.socket, server: socket.socket, lost: threading.Event) -> None:
        """Passes on what the client sends, frame by frame."""
        with suppress(OSError), client, server, client.makefile("rb") as source:
            server.sendall(source.read(PREFACE))
            before = time.monotonic()
            while len(header := source.read(HEADER)) == HEADER:
                now = time.monotonic()
                if header[3] == PING and not header[4] & ACK and now - before > QUIET:
                    self.pinged.set()
                before = now
                frame = header + source.read(int.from_bytes(header[:3], "big"))
                if not lost.is_set():
                    server.sendall(frame)


def _pass_on(source: socket.socket, target: socket.socket, lost: threading.Event) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            if not lost.is_set():
                target.sendall(data)
