"""A ladder of many weeks: memory stays flat, whoever comes and goes, however matches end."""

import asyncio
import gc
import random
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import structlog

from referee.match.config import SECOND, Penalties
from referee.server.live import LiveMatch
from referee.store.store import Store
from referee.tournament.decision import Accepted, Unplayed
from tests.server.client import CALM, Room, until
from tests.server.ladders import TRAIN, decisions, ladder, of, playing
from tests.server.visitors import Answer, Visitor, first, hopeless

DAY = 24 * 3600 * SECOND
WEEK_BEGINS = 1_800_000_000 * SECOND
STRICT = Penalties(retries=0, strikes=1)
"""The first fault is a forfeit, and ends a match of two."""
MEGABYTE = 1024 * 1024


class Watch:
    """What is alive of the matches of an arena, how many there were, and how the process grows."""

    def __init__(self, hall: Room) -> None:
        self.ended = 0
        self.alive: weakref.WeakSet[LiveMatch] = weakref.WeakSet()
        self._warm = 0
        hall.host.on_over.append(self._take)

    def _take(self, live: LiveMatch) -> None:
        self.ended += 1
        self.alive.add(live)

    def warm_up(self) -> None:
        """Takes the present size of the process as what it needs."""
        gc.collect()
        self._warm = psutil.Process().memory_info().rss

    def growth(self) -> float:
        """Returns how much the process has grown since then, in megabytes."""
        gc.collect()
        return (psutil.Process().memory_info().rss - self._warm) / MEGABYTE


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Keeps what the server tells its operator out of the captured output, which would grow for ever."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    yield
    structlog.reset_defaults()


def registered(data: Path, count: int) -> list[str]:
    """Registers bots and returns their tokens."""
    with Store.under(data) as store:
        return [store.add_bot(f"bot{number}") for number in range(count)]


async def come_and_go(
    hall: Room, watch: Watch, token: str, matches: int, answer: Answer, dice: random.Random, *, day: int = 0
) -> None:
    """Has one bot come again and again until so many matches have ended; `day` is as many as make a day."""
    visitor = Visitor(hall.address, token, answer)
    try:
        while watch.ended < matches:
            version = watch.ended // day if day else 0
            # Visits are short beside a day, so that most days have a version of every bot.
            most = min(20, day // 4) if day else 20
            await visitor.stay(
                dice.randrange(1, max(2, most)), bot_version=str(version), matches_at_once=dice.choice((1, 4))
            )
    finally:
        await visitor.close()


async def play(
    hall: Room, watch: Watch, tokens: list[str], matches: int, answer: Answer, day: int = 0
) -> None:
    """Plays so many matches in all between bots that come and go."""
    dice = random.Random(matches)
    visits = [
        asyncio.ensure_future(come_and_go(hall, watch, token, matches, answer, dice, day=day))
        for token in tokens
    ]
    await until_long(lambda: watch.ended >= matches)
    of(hall).freeze("enough")
    await until(lambda: not hall.host.matches)
    for visit in visits:
        visit.cancel()
    await asyncio.gather(*visits, return_exceptions=True)
    await until(lambda: not hall.host.streams)
    of(hall).unfreeze()


async def until_long(true: object) -> None:
    """Waits for something that takes as long as a soak row may."""
    assert callable(true)
    while not true():
        await asyncio.sleep(0.05)


async def left(hall: Room, watch: Watch) -> dict[str, int]:
    """Returns what there is of matches and of bots that have gone, once the last stream has ended."""
    await until(lambda: not hall.host.streams)
    await until(lambda: not hall.host.lobby.members)
    assert hall.host.index
    await hall.host.index.settled()
    gc.collect()
    return {
        "alive": len(watch.alive),
        "matches": len(hall.host.matches),
        "running": len(of(hall).running),
        "timed": len(hall.host.runner.running),
        "named": len(hall.host.lobby._named),
    }


NOTHING = {"alive": 0, "matches": 0, "running": 0, "timed": 0, "named": 0}


def forfeits(data: Path, warm: int, matches: int) -> float:
    """Plays matches that end with their first turn; returns how far memory grew after `warm` of them."""
    grown = 0.0

    async def soak() -> None:
        nonlocal grown
        tokens = registered(data, 8)
        config = ladder(concurrency=16, share=1.0)
        async with playing(data, config, penalties=STRICT, time_control=CALM) as hall:
            watch = Watch(hall)
            await play(hall, watch, tokens, warm, hopeless)
            watch.warm_up()
            await play(hall, watch, tokens, matches, hopeless)
            grown = watch.growth()
            assert await left(hall, watch) == NOTHING
        decided = decisions(data, Accepted, Unplayed)
        assert len({one.pairing_id for one in decided}) == len(decided) == watch.ended >= matches
        assert not any(isinstance(one, Unplayed) for one in decided)

    asyncio.run(soak())
    return grown


def test_c5_nothing_is_left_of_matches_that_are_forfeited_at_once(tmp_path: Path) -> None:
    """A few hundred of them: no match is alive afterwards, and every pairing was decided once."""
    forfeits(tmp_path, 40, 200)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_c5_60000_forfeited_matches_do_not_grow_the_server(tmp_path: Path) -> None:
    """After a warm-up of 5,000 the process grows by less than 20 MB."""
    began = time.monotonic()
    grown = forfeits(tmp_path, 5_000, 60_000)
    print(f"60,000 forfeited matches in {time.monotonic() - began:.0f} s: memory grew by {grown:.1f} MB")

    assert grown < 20


def week(data: Path, bots: int, warm: int, matches: int) -> float:
    """Plays a week of a ladder in which the wall clock runs with the matches; returns how memory grew.

    Every bot comes with a new version each day, plays a while, leaves, and comes back.
    """
    now, grown = WEEK_BEGINS, 0.0

    async def soak() -> None:
        nonlocal now, grown
        tokens = registered(data, bots)
        config = ladder(concurrency=16, near=4.0, widen=40.0, patience=SECOND // 2, versions=2)
        async with playing(data, config, wall=lambda: now, time_control=CALM) as hall:
            watch = Watch(hall)

            def tick(_live: LiveMatch) -> None:
                nonlocal now
                now += 7 * DAY // matches

            hall.host.on_over.append(tick)
            await play(hall, watch, tokens, warm, first, max(1, matches // 7))
            watch.warm_up()
            await play(hall, watch, tokens, matches, first, max(1, matches // 7))
            grown = watch.growth()
            assert await left(hall, watch) == NOTHING
            versions = of(hall)._versions._seen
            assert max(map(len, versions.values())) >= 6
            assert len(versions) == bots
            assert of(hall)._keeper.rating((TRAIN, "bot0", "0"))
        decided = decisions(data, Accepted, Unplayed)
        assert len({one.pairing_id for one in decided}) == len(decided) == watch.ended

    asyncio.run(soak())
    return grown


def test_a_week_in_small_leaves_nothing_behind(tmp_path: Path) -> None:
    """Seven days in seventy matches, with a new version of every bot each day."""
    week(tmp_path, 4, 20, 70)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_week_of_a_ladder_comes_out_with_flat_memory(tmp_path: Path) -> None:
    """10,000 matches of 40 bots that come and go: after a warm-up of 2,000 it grows by less than 20 MB."""
    began = time.monotonic()
    grown = week(tmp_path, 40, 2_000, 10_000)
    print(f"a week of 10,000 matches in {time.monotonic() - began:.0f} s: memory grew by {grown:.1f} MB")

    assert grown < 20
