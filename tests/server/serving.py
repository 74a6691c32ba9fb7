"""`referee serve` as a process of its own, for tests."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from referee.store.store import Store
from referee.v1 import play_service_pb2 as pb
from tests.patience import PATIENCE
from tests.server.client import Client, ready, until

CALM = f"{PATIENCE:.0f}s+0,bank=0,start={PATIENCE:.0f}s"


class Served:
    """The process; `address` is what it said that it listens on."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.address = ""

    async def listening(self) -> "Served":
        """Waits for its first line."""
        assert self.process.stdout
        line = (await asyncio.wait_for(self.process.stdout.readline(), PATIENCE)).decode()
        assert line.startswith("LISTENING 127.0.0.1:")
        self.address = line.split()[1]
        return self

    async def ended(self) -> tuple[int, str, str]:
        """Waits for its end; returns status, output and errors."""
        out, err = await asyncio.wait_for(self.process.communicate(), PATIENCE)
        assert self.process.returncode is not None
        return self.process.returncode, out.decode(), err.decode()


@contextlib.asynccontextmanager
async def serve(data: Path, *more: str) -> AsyncIterator[Served]:
    """Starts a server on a data root."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "referee", "serve", "--data", str(data), "--option", "target=10"),
        *("--game", "block_dominoes", *more),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield Served(process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


def registered(data: Path) -> dict[str, str]:
    """Registers four bots and returns their tokens."""
    with Store.under(data) as store:
        return {name: store.add_bot(name) for name in "abcd"}


async def seated(address: str, tokens: dict[str, str]) -> tuple[list[Client], Client, pb.Turn]:
    """Returns four bots of a match, the one that is to open, and its turn; nobody answers by itself."""
    clients = [await Client(address, token, auto=False).hello() for token in tokens.values()]
    for client in clients:
        await client.send(ready(await client.expect("match_started")))
    await until(lambda: any(client.all("turn") for client in clients))
    (opener,) = [client for client in clients if client.all("turn")]
    return clients, opener, opener.all("turn")[0]
