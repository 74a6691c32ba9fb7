"""Pairings that are called off while they are played: once, and not after their end."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from referee.engine.entrants import entries
from referee.organiser.ending import Ending
from referee.organiser.folder import Folder
from referee.organiser.run import How, carry_out
from referee.organiser.tally import Tally
from referee.server.launch_report import Exit
from referee.server.launcher import LaunchedBot
from referee.tournament.decision import Accepted, Disqualified, Withdrawn
from tests.organiser.test_run import CUP, HOUSE
from tests.patience import PATIENCE
from tests.server.client import GAME, Client, run, until
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


@pytest.mark.parametrize("interrupted", [False, True], ids=["ticks", "interrupt"])
def test_s8_a_pairing_that_is_called_off_ends_its_processes_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, interrupted: bool
) -> None:
    """However long they take: it is settled only then, and an interrupt meanwhile breaks off nothing."""
    begun: list[str] = []
    ended: list[str] = []
    left: list[int] = []
    ticks: list[int] = []
    may_end = asyncio.Event()
    stop = LaunchedBot.stop

    async def slow(bot: LaunchedBot) -> Exit:
        begun.append(bot.name)
        found = await stop(bot)
        await may_end.wait()
        ended.append(bot.name)
        return found

    def watch(tally: Tally) -> None:
        if begun:
            ticks.append(1)
        if tally.given_up:
            left.append(len(begun) - len(ended))

    cup = replace(CUP, bots=entries(HOUSE, GAME), options={"target": 10_000}, duplicate="rotate")
    how = How(data=tmp_path, told=lambda _: None, watch=watch)

    async def play() -> None:
        folder, interrupt = Folder(tmp_path, "cup"), asyncio.Event()
        with folder.locked():
            folder.begin(b"", "cup.toml", 1)
            playing = asyncio.ensure_future(carry_out(cup, folder, how, interrupt))
            await until(lambda: any(tmp_path.glob("replays/*/*/*/*.part")))
            monkeypatch.setattr(LaunchedBot, "stop", slow)
            folder.log.append(Disqualified(at=1, bot=cup.bots[0].bot_id, why="it cheats"))
            await until(lambda: begun or playing.done())
            if interrupted:
                interrupt.set()
                for _ in range(10):
                    await asyncio.sleep(0)  # until all that ends by the interrupt has heard of it
            else:
                await until(lambda: len(ticks) >= 3 or playing.done())
            may_end.set()
            await asyncio.wait_for(playing, PATIENCE)

    run(play())
    assert sorted(ended) == sorted(begun)
    assert interrupted or left == [0]
