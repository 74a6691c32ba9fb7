"""Carrying a tournament out: what of its file reaches its matches."""

import asyncio
from pathlib import Path

from referee.engine.entrants import Entry
from referee.organiser.ending import Ending
from referee.organiser.folder import Folder
from referee.organiser.run import How, carry_out
from referee.organiser.tournament import Tournament
from referee.tournament.formats.settings import RoundRobinSettings
from tests.server.client import CALM, GAME, PATIENCE, Client, ready, run, until
from tests.server.serving import registered
from tests.server.spectator import Spectator

CUP = Tournament(
    name="cup",
    game=GAME,
    options={"target": 10},
    seats=4,
    bots=tuple(Entry(name, name, name, (), house=False) for name in "abcd"),
    format=RoundRobinSettings(matches=1),
    time_control=CALM,
    watch_delay=3,
)


def test_spectators_are_as_late_as_the_file_says(tmp_path: Path) -> None:
    """`watch_delay` reaches the matches: whoever watches one is told so."""

    async def play() -> None:
        tokens, folder = registered(tmp_path), Folder(tmp_path, "cup")
        address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        how = How(data=tmp_path, served=address.set_result)
        with folder.locked():
            folder.begin(b"", "cup.toml", 1)
            playing = asyncio.ensure_future(carry_out(CUP, folder, how, asyncio.Event()))
            where = await address
            clients = [await Client(where, token, auto=False).hello() for token in tokens.values()]
            started = [await client.expect("match_started") for client in clients]
            spectator = Spectator(where, started[0].match_id)
            await until(lambda: spectator.frames)
            for client, one in zip(clients, started, strict=True):
                client.auto = True
                await client.send(ready(one))
            report = await asyncio.wait_for(playing, PATIENCE)
            await spectator.close()
            for client in clients:
                await client.close()

        assert spectator.started.delay_plies == 3
        assert report.outcome.ending is Ending.FINISHED
        assert report.tally.played == 1

    run(play())
