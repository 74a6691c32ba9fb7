"""The first page while a match ends."""

import asyncio
from pathlib import Path

import httpx

from referee.cli.serve_site import ArenaSources
from referee.server.services import Reads
from referee.v1 import arena_service_pb2 as pb
from referee.web.application import application
from referee.web.proxies import Proxies
from tests.server.client import act, finish, opened, room, run


class Slow(ArenaSources):
    """Sources whose answer about matches is on its way until it may come."""

    def __init__(self, reads: Reads) -> None:
        super().__init__(reads, None)
        self.was_read, self.may_come = asyncio.Event(), asyncio.Event()

    async def matches(self, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
        """Reads, and waits."""
        found = await super().matches(request)
        self.was_read.set()
        await self.may_come.wait()
        return found


def test_a_match_that_ends_meanwhile_is_on_it(tmp_path: Path) -> None:
    """As one that is played: the list of those that have ended was read before."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            match_id = hall.live.match.setup.match_id
            sources = Slow(hall.arena.reads)
            app = application(sources, proxies=Proxies.parse(""), most=8, local=True)
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                coming = asyncio.ensure_future(client.get("/"))
                await sources.was_read.wait()
                await who.send(act(turn))
                await finish(playing, who, *others)
                sources.may_come.set()
                assert match_id in (await coming).text
                assert (await client.get("/")).text.count(f'"/matches/{match_id}"') == 1

    run(play())
