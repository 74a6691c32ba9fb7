"""Connections of the site: how many there may be, and how long one may take."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from referee.errors import UsageError
from referee.web.gate import Limits
from referee.web.intake import Crowd
from referee.web.listener import Listener
from referee.web.proxies import Proxied, Proxies
from referee.web.serve import http_server
from tests.patience import PATIENCE

NOBODY = Proxies()
ROOMY = Limits(100, 100)
HASTY = Limits(100, 100, request=0.3, stuck=2.0)
GET = b"GET /who HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNK = b"x" * 65536


class Toy:
    """Pages that say who asks, take a body, or never end."""

    def __init__(self, proxies: Proxies = NOBODY, most: int = 100) -> None:
        self.streams = 0
        self.held = asyncio.Event()
        routes = [
            Route("/who", self._who),
            Route("/body", self._body, methods=["POST"]),
            Route("/much", self._much),
            Route("/held", self._hold),
        ]
        middleware = [
            Middleware(Proxied, proxies=proxies),
            Middleware(Crowd, household=str, most=most),
        ]
        self.app = Starlette(routes=routes, middleware=middleware)

    async def _who(self, request: Request) -> Response:
        assert request.client
        return PlainTextResponse(f"{request.scope['scheme']} {request.client.host}")

    async def _body(self, request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    async def _much(self, _: Request) -> Response:
        return StreamingResponse(self._endless())

    async def _hold(self, _: Request) -> Response:
        await self.held.wait()
        return PlainTextResponse("held")

    async def _endless(self) -> AsyncIterator[bytes]:
        self.streams += 1
        try:
            while True:
                yield CHUNK
                await asyncio.sleep(0)
        finally:
            self.streams -= 1


@contextlib.asynccontextmanager
async def served(
    toy: Toy, limits: Limits, household: Callable[[str], str] = str, proxies: Proxies = NOBODY
) -> AsyncIterator[int]:
    """Serves the pages; yields the port."""
    listener = Listener("127.0.0.1", 0)
    server = http_server(toy.app, listener, limits, household, proxies)
    server.start()
    try:
        yield int(listener.address.rpartition(":")[2])
    finally:
        await server.stop()


def run(main: Coroutine[Any, Any, None]) -> None:
    """Runs a test to its end."""

    async def bounded() -> None:
        async with asyncio.timeout(PATIENCE):
            await main

    asyncio.run(bounded())


async def ask(port: int, request: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Opens a connection and sends what is given."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    await writer.drain()
    return reader, writer


async def answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Returns status and body of an answer with a length."""
    head = await reader.readuntil(b"\r\n\r\n")
    (length,) = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
    return int(head.split()[1]), await reader.readexactly(int(length.partition(b":")[2]))


async def until(holds: Callable[[], bool]) -> None:
    """Waits until something is so."""
    while not holds():
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"GET / HT",
        b"GET /who HTTP/1.1\r\nHost: x\r\n",
        b"POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf",
        GET + b"GET /wh",
        b"POST /who HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nrefused by 405",
    ],
)
def test_half_a_request_is_not_waited_for(half: bytes) -> None:
    """Wherever it stops, and also behind a whole one."""

    async def play() -> None:
        async with served(Toy(), HASTY) as port:
            reader, writer = await ask(port, half)
            with contextlib.suppress(ConnectionResetError):
                while await reader.read(1000):
                    pass
            writer.close()

    run(play())


def test_a_client_that_trickles_is_ended_too() -> None:
    """A byte now and then is no request."""

    async def play() -> None:
        async with served(Toy(), HASTY) as port:
            reader, writer = await ask(port, b"GET /who HTTP/1.1\r\n")
            with contextlib.suppress(ConnectionError):
                while not reader.at_eof():
                    writer.write(b"X: y\r\n")
                    await writer.drain()
                    await asyncio.sleep(0.05)

    run(play())


def test_a_client_that_does_not_read_is_ended() -> None:
    """What is written for it would stay in memory, and its connection open; one that reads is served."""

    async def play() -> None:
        toy = Toy()
        async with served(toy, HASTY) as port:
            taken, taker = await ask(port, b"GET /much HTTP/1.1\r\nHost: x\r\n\r\n")
            _, writer = await ask(port, b"GET /much HTTP/1.1\r\nHost: x\r\n\r\n")
            most = 0
            while toy.streams != 1 or most < 2:
                await taken.readexactly(len(CHUNK))
                most = max(most, toy.streams)
            await taken.readexactly(100 * len(CHUNK))
            writer.close()
            taker.close()
            await until(lambda: toy.streams == 0)

    run(play())


def test_one_household_has_so_many_connections() -> None:
    """One more is told so and closed; whoever leaves makes room."""

    async def play() -> None:
        async with served(Toy(), Limits(100, 2), household=lambda _: "all") as port:
            held = [await ask(port, GET) for _ in range(2)]
            for reader, _ in held:
                assert (await answer(reader))[0] == 200
            reader, writer = await ask(port, b"")
            assert (await answer(reader))[0] == 429
            assert await reader.read() == b""
            writer.close()
            held[0][1].close()
            status = 429
            while status == 429:
                with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                    reader, writer = await ask(port, GET)
                    status, _ = await answer(reader)
                    writer.close()
            assert status == 200
            held[1][1].close()

    run(play())


def test_the_site_has_so_many_connections() -> None:
    """Also where each comes from somewhere else, or all from one proxy, of which there may be any number."""

    async def play() -> None:
        proxies = Proxies.parse("127.0.0.0/8")
        async with served(Toy(), Limits(3, 1), proxies=proxies) as port:
            held = [await ask(port, GET) for _ in range(3)]
            for reader, _ in held:
                assert (await answer(reader))[0] == 200
            reader, writer = await ask(port, b"")
            assert (await answer(reader))[0] == 503
            for _, one in [*held, (reader, writer)]:
                one.close()

    run(play())


def test_one_household_has_so_many_requests_behind_a_proxy() -> None:
    """They are counted by whom the proxy names; others are answered."""

    async def play() -> None:
        proxies = Proxies.parse("127.0.0.1")
        toy = Toy(proxies, most=2)
        hold = b"GET /held HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n"
        async with served(toy, ROOMY, proxies=proxies) as port:
            held = [await ask(port, hold) for _ in range(3)]
            done, waiting = await asyncio.wait(
                [asyncio.ensure_future(answer(reader)) for reader, _ in held],
                return_when=asyncio.FIRST_COMPLETED,
            )
            assert [task.result()[0] for task in done] == [429]
            reader, writer = await ask(
                port, hold.replace(b"192.0.2.1", b"192.0.2.2").replace(b"held", b"who")
            )
            assert await answer(reader) == (200, b"http 192.0.2.2")
            toy.held.set()
            assert [await task for task in waiting] == [(200, b"held")] * 2
            for _, one in [*held, (reader, writer)]:
                one.close()

    run(play())


@pytest.mark.parametrize(
    ("believed", "forwarded", "said"),
    [
        ("", "192.0.2.1", "http 127.0.0.1"),
        ("192.0.2.7", "192.0.2.1", "http 127.0.0.1"),
        ("127.0.0.1", "192.0.2.1", "https 192.0.2.1"),
        ("127.0.0.1", "198.51.100.9, 192.0.2.1", "https 192.0.2.1"),
        ("127.0.0.1,192.0.2.0/24", "198.51.100.9, 192.0.2.1", "https 198.51.100.9"),
        ("127.0.0.1", "192.0.2.1:4711", "https 192.0.2.1"),
        ("127.0.0.1", "[2001:db8::1]:4711", "https 2001:db8::1"),
        ("127.0.0.1", "2001:db8::1", "https 2001:db8::1"),
        ("127.0.0.1", "unknown", "https 127.0.0.1"),
        ("127.0.0.1", "", "https 127.0.0.1"),
    ],
)
def test_only_proxies_that_are_named_are_believed(believed: str, forwarded: str, said: str) -> None:
    """The last in the chain who is none of them is the client; nonsense is not taken for an address."""

    async def play() -> None:
        async with served(Toy(Proxies.parse(believed)), ROOMY) as port:
            headers = f"X-Forwarded-For: {forwarded}\r\nX-Forwarded-Proto: https\r\n"
            reader, writer = await ask(port, GET[:-2] + headers.encode() + b"\r\n")
            assert await answer(reader) == (200, said.encode())
            writer.close()

    run(play())


def test_a_proxy_is_an_address() -> None:
    """A name is none: who has it may change."""
    assert "127.0.0.1" not in Proxies.parse("")
    assert "::ffff:127.0.0.1" in Proxies.parse("127.0.0.1")
    for text in ("proxy.example", "127.0.0.1,x", "127.0.0.1/33", "*"):
        with pytest.raises(UsageError, match="--http-proxy"):
            Proxies.parse(text)


def test_requests_follow_on_one_connection() -> None:
    """Kept alive, and sent at once one behind the other; HTTP/1.0 is answered and closed."""

    async def play() -> None:
        async with served(Toy(), ROOMY) as port:
            reader, writer = await ask(port, GET * 3)
            for _ in range(3):
                assert (await answer(reader))[0] == 200
            writer.write(GET)
            assert (await answer(reader))[0] == 200
            writer.close()
            reader, writer = await ask(port, b"GET /who HTTP/1.0\r\n\r\n")
            assert (await answer(reader))[0] == 200
            assert await reader.read() == b""
            writer.close()

    run(play())


def test_an_address_that_is_taken_is_no_place_for_a_site() -> None:
    """It says so before anything is begun."""
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(UsageError, match="the site cannot listen"),
    ):
        Listener("127.0.0.1", taken.getsockname()[1])
