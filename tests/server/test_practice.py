"""Practice: unrated matches against house bots for a bot that asks, and the named refusals."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.match.config import SECOND
from referee.replay.reader import read, scan
from referee.server.config import OpenTable
from referee.server.house import house
from referee.server.house.config import PracticeRules
from referee.server.ladder.config import HouseRules
from referee.server.member import Member
from referee.tournament.decision import Accepted
from referee.v1 import play_service_pb2 as pb
from tests.server.client import GAME, Client, ready, room, run, until
from tests.server.ladders import (
    DUEL,
    NO_PRACTICE,
    TRAIN,
    decisions,
    duellists,
    ladder,
    of,
    playing,
    practice_of,
)

FOUR = OpenTable(game=GAME, options={"target": 10})


async def ask(bot: Client, game: str = TRAIN, level: str = "easy", **options: Any) -> None:
    """Asks for a match."""
    wish = pb.Practice(game=game, level=level)
    for name, value in options.items():
        wish.options.add(option=name, value=str(value))
    await bot.send(pb.PlayRequestFrame(practice=wish))


async def refusal(bot: Client, *asked: Any, **options: Any) -> pb.PracticeRefused:
    """Asks for a match and returns why it is not to be had."""
    await ask(bot, *asked, **options)
    refused: pb.PracticeRefused = await bot.expect("practice_refused")
    return refused


def test_a_bot_practises_unrated_against_house_bots_of_one_level(tmp_path: Path) -> None:
    """One process for each seat; the ladder knows nothing of it, and the bot gets no other match."""

    async def play() -> None:
        config = ladder(tables=(FOUR, DUEL), practice=PracticeRules(levels=("easy",)))
        async with playing(tmp_path, config) as hall:
            bot = await hall.bot("a", practice_only=True)
            await hall.bot("b", games=[TRAIN])
            await ask(bot, GAME, target=5)
            started = await bot.expect("match_started")
            await bot.expect("match_ended")
            assert not started.rated
            assert sorted(seat.bot_id for seat in started.seats) == ["a/a", *["easy/easy"] * 3]
            assert {option.option: option.value for option in started.options}["target"] == "5"
            assert len(bot.matches) == 1

        (log,) = map(read, scan(tmp_path))
        assert len({seat.instance for seat in log.setup.seats if seat.bot == "easy/easy"}) == 3
        assert log.setup.pairing_id == ""
        assert not log.setup.tournament
        assert decisions(tmp_path, Accepted) == []

    run(play())


def test_a_bot_practises_while_it_waits_and_plays_when_others_come(tmp_path: Path) -> None:
    """Practice takes one of its places and no more."""

    async def play() -> None:
        config = ladder(practice=PracticeRules(levels=("easy",)))
        async with playing(tmp_path, config) as hall:
            (bot,) = await duellists(hall, "a", matches_at_once=2, auto=False)
            await ask(bot, deals=9)  # which does not end without an answer
            started = await bot.expect("match_started")
            await bot.send(ready(started))
            await duellists(hall, "b", auto=False)
            rated = await bot.expect("match_started")

            assert not started.rated
            assert rated.rated
            assert practice_of(hall).running == 1

    run(play())


def test_every_refusal_has_its_name(tmp_path: Path) -> None:
    """Each says what was wrong, and when to ask again where that helps."""

    async def play() -> None:
        config = ladder(practice=PracticeRules(levels=("easy",), per_hour=2, matches=2))
        async with playing(tmp_path, config) as hall:
            (bot,) = await duellists(hall, "a", auto=False, practice_only=True)
            for asked, options, reason, part in (
                (("chess",), {}, pb.PRACTICE_REFUSAL_UNKNOWN_GAME, TRAIN),
                ((GAME,), {}, pb.PRACTICE_REFUSAL_UNKNOWN_GAME, TRAIN),
                ((TRAIN, "expert"), {}, pb.PRACTICE_REFUSAL_UNKNOWN_LEVEL, "easy"),
                ((TRAIN,), {"trains": 3}, pb.PRACTICE_REFUSAL_BAD_OPTION, "trains"),
            ):
                refused = await refusal(bot, *asked, **options)
                assert (refused.refusal, part in refused.note) == (reason, True)
                assert not refused.HasField("retry_duration")
            of(hall).freeze("tonight")
            refused = await refusal(bot)
            assert (refused.refusal, "tonight" in refused.note) == (pb.PRACTICE_REFUSAL_CLOSED, True)
            of(hall).unfreeze()
            await ask(bot, deals=9)  # which does not end without an answer
            await bot.send(ready(await bot.expect("match_started")))
            refused = await refusal(bot)
            assert refused.refusal == pb.PRACTICE_REFUSAL_NO_PLACE
            assert refused.retry_duration.seconds
            hall.live.void("enough", hall.host.runner.now())
            await ask(bot)
            await bot.expect("match_started")
            await until(lambda: hall.host.matches)
            hall.live.void("enough", hall.host.runner.now())
            refused = await refusal(bot)
            assert refused.refusal == pb.PRACTICE_REFUSAL_TOO_OFTEN
            assert 3500 < refused.retry_duration.seconds <= 3600

    run(play())


def test_what_runs_of_practice_is_bounded_for_all_bots_together(tmp_path: Path) -> None:
    """Whoever comes when all places of practice are taken is told to ask again soon."""

    async def play() -> None:
        config = ladder(practice=PracticeRules(levels=("easy",), matches=1))
        async with playing(tmp_path, config) as hall:
            first, second = await duellists(hall, "ab", auto=False, practice_only=True)
            await ask(first)
            await first.expect("match_started")
            refused = await refusal(second)
            assert refused.refusal == pb.PRACTICE_REFUSAL_BUSY
            assert refused.retry_duration.ToMicroseconds() > SECOND

    run(play())


@pytest.mark.parametrize("line", ["broke", "is taken over"])
def test_a_wish_goes_on_over_a_new_stream_while_house_bots_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """Who asks again for the same after that is not refused for it; a second wish on one stream is."""
    asked, gate, real = asyncio.Event(), asyncio.Event(), house.House.several

    async def several(one: house.House, level: str, game: str, count: int) -> list[Member]:
        asked.set()
        await gate.wait()
        return await real(one, level, game, count)

    monkeypatch.setattr(house.House, "several", several)

    async def play() -> None:
        async with playing(tmp_path, ladder(practice=PracticeRules(levels=("easy",)))) as hall:
            (first,) = await duellists(hall, "a", auto=False, practice_only=True)
            await ask(first)
            await asked.wait()
            if line == "broke":
                await first.close()
                await until(lambda: ("a/a", "default") not in hall.host.lobby.members)
            (again,) = await duellists(hall, "a", auto=False, practice_only=True)
            await ask(again)
            assert (await refusal(again, "chess")).refusal == pb.PRACTICE_REFUSAL_UNKNOWN_GAME
            assert (await refusal(again)).refusal == pb.PRACTICE_REFUSAL_NO_PLACE
            assert practice_of(hall).running == 1
            gate.set()
            await again.expect("match_started")
            assert len(again.all("practice_refused")) == 2

    run(play())


@pytest.mark.parametrize(
    ("code", "patience", "why"),
    [
        ("raise SystemExit(3)", house.PATIENCE, "does not start"),
        ("import time; time.sleep(1000)", 0.0, "not there yet"),
    ],
)
def test_house_bots_that_do_not_come_are_not_called_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, patience: float, why: str
) -> None:
    """A bot is told whether they cannot come or have not come yet, and when to ask again."""
    monkeypatch.setattr(house, "PATIENCE", patience)
    monkeypatch.setattr(house, "resolve", lambda *_: (sys.executable, "-c", code))

    async def play() -> None:
        async with playing(tmp_path, ladder(practice=PracticeRules(levels=("easy",)))) as hall:
            (bot,) = await duellists(hall, "a", auto=False, practice_only=True)
            refused = await refusal(bot)
            assert (refused.refusal, why in refused.note) == (pb.PRACTICE_REFUSAL_BUSY, True), refused.note
            assert refused.retry_duration.ToMicroseconds() > SECOND

    run(play())


def test_a_server_without_house_bots_offers_no_practice(tmp_path: Path) -> None:
    """With open tables, and on a ladder that has switched it off."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            (bot,) = await duellists(hall, "a")
            refused = await refusal(bot)
            assert refused.refusal == pb.PRACTICE_REFUSAL_NOT_OFFERED
        async with playing(tmp_path, ladder(practice=NO_PRACTICE)) as hall:
            (bot,) = await duellists(hall, "a")
            refused = await refusal(bot)
            assert refused.refusal == pb.PRACTICE_REFUSAL_NOT_OFFERED

    run(play())


def test_further_processes_of_a_level_end_when_nobody_needs_them(tmp_path: Path) -> None:
    """Practice at a table of four needs three; after a while one is left, and a dead one comes back."""

    async def play() -> None:
        config = ladder(tables=(FOUR,), house=HouseRules(levels=()), practice=PracticeRules(levels=("easy",)))
        async with playing(tmp_path, config) as hall:
            bot = await hall.bot("a", practice_only=True)
            await ask(bot, GAME)
            await bot.expect("match_ended")
            house = of(hall).house
            assert len(house.members("easy")) == 3
            house._used = dict.fromkeys(house._used, -(10**12))
            for _ in range(4):
                house.rest()
            await until(lambda: len(house.members("easy")) == 1)
            await ask(bot, GAME)
            await bot.expect("match_ended")

    run(play())
