"""A line between a bot and a server, which can fail."""

import asyncio
import contextlib
from typing import Self


class Proxy:
    """Forwards TCP both ways until it is paused; then bytes vanish and nobody is told."""

    def __init__(self, target: str) -> None:
        self.address = ""
        self.connected = 0
        """How many connections there have been."""
        self._target = target
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._server: asyncio.Server | None = None
        self._pumps: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self._server.close()
        for pump in self._pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)

    def pause(self) -> None:
        """Lets nothing through any more."""
        self._flowing.clear()

    def resume(self) -> None:
        """Lets all through that was held back, and what follows."""
        self._flowing.set()

    def cut(self) -> None:
        """Breaks all connections off; whoever connects again is answered once it is resumed."""
        self.pause()
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connected += 1
        host, _, port = self._target.partition(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        self._writers += [writer, far_writer]
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            self._pumps.add(asyncio.ensure_future(self._pump(source, sink)))

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await source.read(65536):
                await self._flowing.wait()
                sink.write(data)
