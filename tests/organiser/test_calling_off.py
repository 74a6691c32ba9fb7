"""Pairings that are called off while they are played: once, and not after their end."""

import asyncio
from pathlib import Path

import pytest

from referee.organiser.ending import Ending
from referee.organiser.folder import Folder
from referee.organiser.run import How, carry_out
from referee.tournament.decision import Accepted, Withdrawn
from tests.organiser.test_run import CUP
from tests.patience import PATIENCE
from tests.server.client import Client, run, until
from tests.server.keeping import held
from tests.server.serving import registered


def test_s8_a_match_that_has_ended_counts_though_its_bot_leaves_just_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a bot has played before it was withdrawn counts, also while the result is being kept."""

    async def play() -> None:
        begun, tokens, folder = held(monkeypatch), registered(tmp_path), Folder(tmp_path, "cup")
        address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        how = How(data=tmp_path, served=address.set_result)
        with folder.locked():
            folder.begin(b"", "cup.toml", 1)
            playing = asyncio.ensure_future(carry_out(CUP, folder, how, asyncio.Event()))
            where = await address
            clients = [await Client(where, token).hello() for token in tokens.values()]
            await until(lambda: begun.is_set() or playing.done())
            await clients[0].close()
            folder.log.append(Withdrawn(at=1, bot="a", why="it goes home"))
            report = await asyncio.wait_for(playing, PATIENCE)
            for client in clients[1:]:
                await client.close()

        assert report.outcome.ending is Ending.FINISHED
        assert (report.tally.played, report.tally.given_up) == (1, 0)
        assert [one.pairing_id for one in folder.log.since(0) if isinstance(one, Accepted)] == ["cup/0"]

    run(play())
