"""A page that fails: its reader is given a number, under which the operator finds what happened."""

import asyncio
import io
import json
import re
from pathlib import Path

import httpx
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from referee.cli.serve_site import ArenaSources
from referee.server import logs
from referee.server.app import Arena
from referee.server.config import ArenaConfig
from referee.web.application import application
from referee.web.gate import Limits
from referee.web.listener import Listener
from referee.web.proxies import Proxies
from referee.web.quiet import Seldom
from referee.web.serve import http_server
from tests.patience import PATIENCE


def lines_of(written: io.TextIOWrapper) -> list[str]:
    """Returns the lines of a log."""
    written.seek(0)
    return written.read().splitlines()


async def _fails(_: Request) -> Response:
    raise RuntimeError("secret of the referee")


def test_a_page_that_fails_has_the_number_of_the_incident(tmp_path: Path) -> None:
    """And the policies of all pages; the log has the exception, in one line."""
    written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")

    async def play() -> httpx.Response:
        arena = Arena(ArenaConfig(data=tmp_path))
        await arena.start()
        sources, listener = ArenaSources(arena.reads, None), Listener("127.0.0.1", 0)
        app = application(sources, proxies=Proxies(), most=9, local=True)
        app.router.routes.insert(0, Route("/fails", _fails))
        server = http_server(app, listener, Limits(9, 9), sources.household, Proxies())
        server.start()
        try:
            async with httpx.AsyncClient(timeout=PATIENCE) as client:
                return await client.get(f"{listener.url}fails")
        finally:
            await server.stop()
            await arena.stop(0)

    try:
        logs.configure(stream=written)
        answer = asyncio.run(play())
    finally:
        logs.configure()
    assert answer.status_code == 500
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "secret" not in answer.text
    (number,) = re.findall(r"incident ([0-9a-f]{12})", answer.text)
    (line,) = [line for line in lines_of(written) if number in line]
    told = json.loads(line)
    assert told["event"] == "GET /fails failed"
    assert "secret of the referee" in told["exception"]


def test_of_a_flood_there_are_a_few_lines() -> None:
    """With how many were left out, once there is room again."""
    now = 0.0
    written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    try:
        logs.configure(stream=written)
        seldom = Seldom(lambda: now)
        for _ in range(1_000):
            seldom.warning("again")
        now = 60.0
        seldom.warning("again")
    finally:
        logs.configure()
    lines = [json.loads(line) for line in lines_of(written)]
    assert len(lines) == 11
    assert lines[-1]["left_out"] == 990
