"""C7: what a server tells to many spectators, some slow, some stalled, does not grow it."""

import asyncio
import contextlib
import gc
import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest
import structlog

from referee.server.config import Limits
from referee.server.live import LiveMatch
from referee.server.watch.show import Show
from tests.server.client import GAME, Room, room, until

MEGABYTE = 1024 * 1024


class Seats(NamedTuple):
    """How many spectators there are of each kind."""

    prompt: int
    slow: int
    stalled: int


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Keeps what the server tells its operator out of the captured output, which would grow for ever."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    yield
    structlog.reset_defaults()


@contextlib.asynccontextmanager
async def crowd(hall: Room, seats: Seats) -> AsyncIterator[asyncio.StreamReader]:
    """Has bots and spectators come, in a process of their own; yields what it prints."""
    tokens = [hall.arena.add_guest(name, owner=name) for name in "abcd"]
    words = ["-m", "tests.server.crowd", hall.address, *map(str, seats), *tokens]
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    try:
        yield process.stdout
    finally:
        process.kill()
        await process.wait()


async def play_on(hall: Room, target: int, enough: asyncio.Event) -> None:
    """Plays matches to `target` points, one after another, until it is enough; the last one to its end."""
    while not enough.is_set():
        await hall.play(options={"target": target, "max_deals": 1_000}, seed=None)


async def told(lines: asyncio.StreamReader, frames: int) -> dict[str, Any]:
    """Waits until the spectators were told so many frames; returns what they say of themselves."""
    while line := await lines.readline():
        found: dict[str, Any] = json.loads(line)
        if found["frames"] >= frames:
            return found
    raise AssertionError("the crowd has gone")


def size() -> float:
    """Returns how large the process is, in megabytes."""
    gc.collect()
    return psutil.Process().memory_info().rss / MEGABYTE


def left() -> list[object]:
    """Returns what is alive of matches and of their shows."""
    gc.collect()
    return [one for one in gc.get_objects() if isinstance(one, Show | LiveMatch)]


def watched(data: Path, seats: Seats, target: int, warm: int, frames: int) -> tuple[float, dict[str, Any]]:
    """Tells `warm` frames and then so many more; returns how memory grew over these, and what was told."""
    grown, last = 0.0, dict[str, Any]()

    async def play() -> None:
        nonlocal grown, last
        async with room(data, limits=Limits(spectators_per_address=sum(seats))) as hall:
            async with crowd(hall, seats) as lines:
                enough = asyncio.Event()
                playing = asyncio.ensure_future(play_on(hall, target, enough))
                first = await told(lines, warm)
                before = size()
                last = await told(lines, first["frames"] + frames)
                grown = size() - before
                enough.set()
                await playing
            await until(lambda: not hall.host.streams)
            await until(lambda: not left())

    asyncio.run(play())
    return grown, last


def test_c7_nothing_is_left_of_spectators_who_read_or_do_not(tmp_path: Path) -> None:
    """Tens of thousands of frames in small: who reads is told all, and nothing is left of anybody."""
    _, last = watched(tmp_path, Seats(8, 1, 1), 1_000, 2_000, 20_000)

    assert not last["ends"].get("prompt RESOURCE_EXHAUSTED")


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_c7_a_million_messages_to_50_spectators_do_not_grow_the_server(tmp_path: Path) -> None:
    """The process grows by less than 20 MB over five million frames, after a warm-up of three.

    So long it takes until the garbage of the first hours has been collected whole, and memory is flat.
    """
    began = time.monotonic()
    grown, last = watched(tmp_path, Seats(40, 6, 4), 1_000, 3_000_000, 5_000_000)
    print(
        f"{last['frames']:,} frames in {last['messages']:,} messages to 50 spectators of matches of {GAME}"
        f" in {time.monotonic() - began:.0f} s: memory grew by {grown:.1f} MB; calls ended: {last['ends']}"
    )

    assert grown < 20
    assert last["ends"]["stalled RESOURCE_EXHAUSTED"] > 0
    assert not last["ends"].get("prompt RESOURCE_EXHAUSTED")
