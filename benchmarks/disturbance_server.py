"""The server of the disturbance benchmark: plays two matches, again and again, one of them calm.

Usage: `python -m benchmarks.disturbance_server`. Prints its address and the tokens of the calm bots
and of their neighbours as one line of JSON; ends when its standard input does.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

import uvloop

from referee.match.config import Penalties
from referee.server.app import Arena
from referee.server.config import ArenaConfig, Limits
from referee.server.request import MatchRequest

TABLES = ("calm", "other")
PENALTIES = Penalties(strikes=1_000_000_000)
"""A neighbour is never done with by a forfeit."""


async def _main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        arena = Arena(ArenaConfig(data=Path(folder), limits=Limits(spectators_per_address=64)))
        address = await arena.start()
        seats = {table: tuple(f"{table}{seat}" for seat in range(4)) for table in TABLES}
        tokens = [[arena.add_guest(name, owner=name) for name in names] for names in seats.values()]
        playing = [asyncio.ensure_future(_play(arena, names)) for names in seats.values()]
        print(json.dumps({"address": address, "tokens": tokens}), flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        for match in playing:
            match.cancel()
        await arena.stop(0)


async def _play(arena: Arena, names: tuple[str, ...]) -> None:
    while True:
        await arena.play(
            MatchRequest(
                game="block_dominoes", options={"target": 10_000}, bots=names, penalties=PENALTIES, seed=1
            )
        )


if __name__ == "__main__":
    uvloop.run(_main())
