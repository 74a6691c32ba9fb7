"""Carrying a tournament out: what of its file reaches its matches."""

import asyncio
from dataclasses import replace
from pathlib import Path

from referee.engine.entrants import Entry, entries
from referee.match.config import TimeControl
from referee.organiser.ending import Ending
from referee.organiser.folder import Folder
from referee.organiser.run import How, carry_out
from referee.organiser.tally import Tally
from referee.organiser.tournament import Stop, Tournament
from referee.store.store import FILE
from referee.tournament.formats.settings import RoundRobinSettings
from tests.patience import PATIENCE
from tests.server.client import CALM, GAME, Client, ready, run, until
from tests.server.serving import registered
from tests.server.spectator import Spectator

HOUSE = ("easy", "normal", "expert", "mine=easy")
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


def test_p2_a_database_that_vanishes_is_told_once_and_costs_no_match(tmp_path: Path) -> None:
    """The tournament is played to its end, rules that look at results included (P2)."""
    told: list[str] = []

    def lose(tally: Tally) -> None:
        if tally.played == 2:
            (tmp_path / FILE).unlink(missing_ok=True)

    cup = replace(
        CUP,
        bots=entries(HOUSE, GAME),
        format=RoundRobinSettings(matches=12),
        stop=Stop(certain=True, least=1),
        time_control=TimeControl(),
    )
    folder = Folder(tmp_path, "cup")
    with folder.locked():
        folder.begin(b"", "cup.toml", 1)
        how = How(data=tmp_path, told=told.append, watch=lose)
        playing = carry_out(cup, folder, how, asyncio.Event())
        report = asyncio.run(asyncio.wait_for(playing, 2 * PATIENCE))

    assert report.outcome.ending is Ending.FINISHED
    assert report.tally.played == 12
    (line,) = [line for line in told if FILE in line]
    assert line.startswith(f"{tmp_path / FILE}: was removed while in use; put it back with")
    assert line.endswith("play goes on, and results wait in the logs")
