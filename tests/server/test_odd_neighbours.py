"""House bots, recovery and ladders at the wrong moment."""

import asyncio
import errno
from pathlib import Path
from typing import Any

import pytest

from referee.match.config import SECOND
from referee.replay.writer import LogWriter
from referee.server.house.house import IDLE, House
from referee.server.recovery import recover
from referee.tournament.decision import Unplayed
from tests.match.harness import SECRET
from tests.replay import scripts
from tests.server.client import GAME, run, until
from tests.server.ladders import decisions, of, playing
from tests.server.virtual import Town, run_virtual


def test_house_bots_that_are_only_starting_are_not_sent_to_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has sat down with them yet; somebody waits for them."""

    async def play(town: Town) -> None:
        house = House(tmp_path / "output", GAME, ["easy"], 4)
        house.open(town.host, "127.0.0.1:1")
        coming = asyncio.ensure_future(house.several("easy", GAME, 3))
        await asyncio.sleep(0)
        house.rest()
        assert len(house._running) == 3
        await coming
        await house.close()

    run_virtual(monkeypatch, tmp_path, play)


def test_a_house_bot_that_is_sent_to_rest_leaves_no_problem_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had ended, and was to be started again; the next one who needs it does not hear of that."""

    async def play(town: Town) -> None:
        house = House(tmp_path / "output", GAME, ["easy"], 4)
        house.open(town.host, "127.0.0.1:1")
        assert await house.several("easy", GAME, 1) == []
        await asyncio.sleep(IDLE / SECOND + 1)
        assert house.problems
        house.rest()
        await asyncio.sleep(0)
        assert house.problems == {}
        await house.close()

    run_virtual(monkeypatch, tmp_path, play)


def test_a_log_that_cannot_be_continued_leaves_nobody_in_the_lobby(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bots are not waited for, and have all their places."""
    script = scripts.faults(GAME)
    writer = LogWriter.create(tmp_path, script.header, SECRET)
    for record in script.records[:-20]:
        writer.append(record)
    writer.flush()
    writer.abandon()
    monkeypatch.setattr("referee.match.conduct.Conduct.note", lambda *_: 1 // 0)

    async def play(town: Town) -> None:
        recover(town.host, frozenset(seat.bot for seat in script.header.seats))
        assert not town.host.matches
        assert not town.host.lobby.members
        assert not town.host.lobby._named

    run_virtual(monkeypatch, tmp_path, play)


def test_p1_a_ladder_without_a_free_descriptor_decides_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was decided waits, in order, and the server goes on."""

    def lacking(*_: Any) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    async def play() -> None:
        async with playing(tmp_path) as hall:
            keeper = of(hall)._keeper
            with monkeypatch.context() as patch:
                patch.setattr("referee.store.decision_log.opened", lacking)
                patch.setattr("referee.store.decision_log.open_regular", lacking)
                for number in (1, 2):
                    keeper.decide(Unplayed(at=number, pairing_id=f"spring/{number}", why="x", at_fault=()))
                keeper.look()
                await asyncio.wrap_future(keeper._thread.submit(int))
                await asyncio.sleep(0.01)
                assert hall.host.failed == ""
                assert decisions_kept(tmp_path) == 1
            keeper.look()
            await until(lambda: len(decisions(tmp_path, Unplayed)) == 2)
            assert [one.at for one in decisions(tmp_path, Unplayed)] == [1, 2]

    run(play())


def decisions_kept(data: Path) -> int:
    """Returns how many lines the decisions log has."""
    (path,) = data.glob("tournaments/*/decisions.jsonl")
    return len(path.read_bytes().splitlines())
