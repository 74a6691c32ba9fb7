"""Starts servers that are meant to be killed: each is a fork of one process that has imported everything.

Reads a line for each server: its port, and the window of resuming in microseconds. The server says
`LISTENING address`, as `referee serve` does, after a line with its process id.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from referee import games
from referee.cli.loop import run
from referee.match.config import SECOND, TimeControl
from referee.server import logs
from referee.server.app import Arena
from referee.server.config import ArenaConfig, OpenTable

SHORT = {"target": 20, "deals": 1}
"""What makes a match short, where a game has such an option."""
BASE = 20 * SECOND
"""What a turn may take. Outages together take longer than that, so one that is charged would show."""


def config(data: Path, port: int, window: int) -> ArenaConfig:
    """Returns a server with a table of each game, whose matches are short."""
    tables = []
    for game in games.REGISTRY:
        options = {one.name: SHORT[one.name] for one in game.info.options if one.name in SHORT}
        tables.append(OpenTable(game=game.info.name, options=options))
    return ArenaConfig(
        data=data,
        port=port,
        auto_pair=True,
        tables=tuple(tables),
        table_wait=0,
        time_control=TimeControl(base=BASE, bank=0, join=60 * SECOND, start=60 * SECOND),
        recover=True,
        resume_window=window,
    )


async def serve(settings: ArenaConfig) -> None:
    """Serves until the process is killed, or until SIGTERM has let the matches finish."""
    arena = Arena(settings)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    print("LISTENING", await arena.start(), flush=True)
    await stop.wait()
    await arena.stop(60)


def main(data: Path) -> None:
    """Forks one server for each line that it reads."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        port, window = map(int, line.split())
        if (child := os.fork()) == 0:
            logs.configure()
            run(serve(config(data, port, window)))
            os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
