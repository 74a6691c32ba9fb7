"""The server of the disturbance benchmark: plays two matches, again and again, one of them calm.

Usage: `python -m benchmarks.disturbance_server`. Prints its address, the tokens of the calm bots and of
their neighbours, and the page of a finished match on its site as one line of JSON; ends when its
standard input does.
"""

import asyncio
import json
import random
import sys
import tempfile
from pathlib import Path

import uvloop

from benchmarks.matches import random_match, secret_of, setup_of
from referee.cli.serve_site import ArenaSite, Place
from referee.match.config import Penalties
from referee.match.events import Record
from referee.match.machine import Match
from referee.replay.writer import LogWriter
from referee.server.app import Arena
from referee.server.config import ArenaConfig, Limits
from referee.server.request import MatchRequest

TABLES = ("calm", "other")
PENALTIES = Penalties(strikes=1_000_000_000)
"""A neighbour is never done with by a forfeit."""
FINISHED = "mexican_train"
"""The game of the match that visitors of the site step through."""


async def _main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        config = ArenaConfig(data=Path(folder), limits=Limits(spectators_per_address=64))
        match_id = _finished(config.data)
        place = Place.listen("0", "", config)
        arena = Arena(config)
        address = await arena.start()
        site = ArenaSite(arena, place)
        site.start()
        seats = {table: tuple(f"{table}{seat}" for seat in range(4)) for table in TABLES}
        tokens = [[arena.add_guest(name, owner=name) for name in names] for names in seats.values()]
        playing = [asyncio.ensure_future(_play(arena, names)) for names in seats.values()]
        page = f"{site.url}matches/{match_id}"
        print(json.dumps({"address": address, "tokens": tokens, "page": page}), flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        for match in playing:
            match.cancel()
        await site.stop()
        await arena.stop(0)


def _finished(data: Path) -> str:
    """Writes the log of a finished match and returns its id."""
    writer = LogWriter.create(data, setup_of(FINISHED, 0), secret_of(0))

    def take(_: Match, record: Record) -> None:
        writer.append(record)

    random_match(FINISHED, 0, random.Random(0), take)
    writer.finish()
    return setup_of(FINISHED, 0).match_id


async def _play(arena: Arena, names: tuple[str, ...]) -> None:
    while True:
        await arena.play(
            MatchRequest(
                game="block_dominoes", options={"target": 10_000}, bots=names, penalties=PENALTIES, seed=1
            )
        )


if __name__ == "__main__":
    uvloop.run(_main())
