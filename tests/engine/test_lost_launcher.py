"""S9: the process that launches bots is killed, which is no fault of theirs."""

import asyncio
import os
import shlex
import signal
import sys
from pathlib import Path

import psutil
import pytest

from referee.engine.crews import LOST
from referee.engine.entrants import entries
from referee.engine.local import LocalArena
from referee.server.config import ArenaConfig
from referee.server.request import MatchRequest
from tests.server.client import CALM, GAME, run, until

SLOW = shlex.join([sys.executable, "sample_bots/misbehaving/slow.py", "--ms", "50"])
BOTS = [f"{name}={SLOW}" for name in "abcd"]


async def _kill_spawner() -> None:
    """Kills the process that launches bots."""
    spawner = next(one for one in psutil.Process().children() if "referee.server.spawner" in one.cmdline())
    os.kill(spawner.pid, signal.SIGKILL)


def _under_way(log: Path) -> bool:
    """Says whether some turns of a match were played."""
    return log.read_bytes().count(b"\n") > 30


async def _spoiled(arena: LocalArena, request: MatchRequest, data: Path, kind: str) -> list[str]:
    """Kills the spawner in a match; returns the terminations and notes of what was played."""

    async def play() -> list[str]:
        if kind == "block":
            sittings = [request.bots, (*request.bots[1:], request.bots[0])]
            outcomes = await arena.play_block(request, sittings, "rotate")
        else:
            outcomes = [await arena.play(request)]
        return [f"{one.termination} {one.note}".strip() for one in outcomes]

    playing = asyncio.ensure_future(play())
    await until(lambda: playing.done() or any(map(_under_way, data.glob("replays/*/*/*/*.part"))))
    await _kill_spawner()
    return await playing


@pytest.mark.parametrize("kind", ["match", "block"])
def test_s9_bots_that_went_with_their_launcher_do_not_forfeit(tmp_path: Path, kind: str) -> None:
    """Their match is void, they are started again without using up a restart, and the next one is played."""
    told: list[str] = []

    async def test() -> None:
        found = entries(BOTS, GAME)
        config = ArenaConfig(data=tmp_path, time_control=CALM)
        bots, crews = ((), found) if kind == "block" else (found, ())
        request = MatchRequest(game=GAME, options={"target": 10}, bots=tuple("abcd"))
        output = tmp_path / "output"
        async with LocalArena(config, bots, GAME, output, told.append, per_match=crews) as arena:
            long = MatchRequest(game=GAME, options={"target": 200}, bots=tuple("abcd"))
            assert await _spoiled(arena, long, tmp_path, kind) == [f"void {LOST}"]
            assert arena.gone == set()
            if kind == "block":
                again = await arena.play_block(request, [request.bots], "rotate")
            else:
                again = [await arena.play(request)]
            assert [one.termination for one in again] == ["completed"]

    before = psutil.Process().children(recursive=True)
    run(test())
    assert [child for child in psutil.Process().children(recursive=True) if child not in before] == []
    assert told
    assert all("the launcher process of the referee, which was killed" in line for line in told)
