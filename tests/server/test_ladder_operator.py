"""What an operator does to a ladder while it runs: every match has a defined result."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.replay.reader import read, scan
from referee.server.host import MatchRequest
from referee.server.house.config import PracticeRules
from referee.server.ladder.config import HouseRules
from referee.server.ladder.keeper import Keeper
from referee.store.decision_log import DecisionLog, decisions_path
from referee.store.store import Store
from referee.tournament.decision import (
    Accepted,
    Admitted,
    Decision,
    Disqualified,
    Opened,
    Paused,
    Returned,
    Unplayed,
    Voided,
    Withdrawn,
)
from referee.tournament.result import MatchResult
from referee.v1 import admin_service_pb2 as pb
from referee.v1 import play_service_pb2 as play_pb
from tests.server.admin import Operator, operator
from tests.server.client import Client, Room, act, ready, run, until
from tests.server.ladders import SOON, TRAIN, decisions, duellists, ladder, of, playing, settled


def register(data: Path, names: str) -> dict[str, str]:
    """Registers bots and returns their tokens."""
    with Store.under(data) as store:
        return {name: store.add_bot(name) for name in names}


async def begun(hall: Room, names: str = "ab") -> list[Client]:
    """Returns two bots that sit at a match in which the first turn is asked."""
    bots: list[Client] = await duellists(hall, names, auto=False)
    for bot in bots:
        await bot.send(ready(await bot.expect("match_started")))
    await hall.first_turn(bots)
    return bots


async def finish(*bots: Client) -> None:
    """Lets bots answer by themselves from now on."""
    for bot in bots:
        bot.auto = True
        for turn in bot.all("turn")[-1:]:
            await bot.send(act(turn))


async def state(boss: Operator, bot: str) -> pb.BotState.ValueType:
    """Returns the state of a bot as the operator is told."""
    (found,) = [one for one in (await boss.call("ListBots")).bots if one.bot_id == bot]
    return found.state  # type: ignore[no-any-return]


def test_a_paused_bot_finishes_its_match_and_gets_no_other_until_it_is_resumed(tmp_path: Path) -> None:
    """Its stream stays open; the pause outlives a restart."""

    async def play() -> None:
        tokens = register(tmp_path, "ab")
        async with playing(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            hall.tokens = dict(tokens)
            bots = await begun(hall)
            paused = await boss.call("PauseBot", bot_id="a", note="loops")
            assert paused.bot.state == pb.BOT_STATE_PAUSED
            await finish(*bots)
            await bots[0].expect("match_ended", lambda ended: ended.placements)
            await settled(tmp_path, 1)
            assert not hall.host.matches
            assert len(hall.host.streams) == 2
        async with playing(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            hall.tokens = dict(tokens)
            bots = await duellists(hall)
            assert await state(boss, "a") == pb.BOT_STATE_PAUSED
            assert not bots[0].matches
            await boss.call("ResumeBot", bot_id="a")
            await bots[0].expect("match_ended")
            assert await state(boss, "a") == pb.BOT_STATE_ACTIVE

        ruled = decisions(tmp_path, Paused, Returned)
        assert [(type(one), one.bot, one.why) for one in ruled] == [
            (Paused, "a", "loops"),
            (Returned, "a", ""),
        ]

    run(play())


def test_s13_a_removed_bots_running_and_waiting_matches_have_a_defined_result(tmp_path: Path) -> None:
    """The running one is finished and counts; the one that waits for the bot ends without it."""

    async def play() -> None:
        tokens = register(tmp_path, "abc")
        async with playing(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            hall.tokens = dict(tokens)
            bots = await begun(hall)
            asked = MatchRequest(game=TRAIN, options={"deals": 1}, bots=("a", "c"))
            queued = asyncio.ensure_future(hall.arena.play(asked))
            await until(lambda: hall.host.lobby._waiting)
            removed = await boss.call("RemoveBot", bot_id="a", note="left the league")
            assert removed.bot.state == pb.BOT_STATE_REMOVED
            outcome = await queued
            assert (outcome.termination, outcome.missing) == ("no_show", ("a",))
            assert outcome.note == "a was taken out of the ladder"
            await finish(*bots)
            (accepted,) = await settled(tmp_path, 1)
            assert isinstance(accepted, Accepted)
            await duellists(hall, "c")
            await bots[1].expect("match_ended")
            await bots[1].expect("match_ended")
            assert len(bots[0].matches) == 1
            (withdrawn,) = decisions(tmp_path, Withdrawn)
            assert (withdrawn.bot, withdrawn.why) == ("a", "left the league")

    run(play())


def test_a_disqualified_bots_running_matches_are_void_at_once(tmp_path: Path) -> None:
    """Nothing of it counts, so nobody is made to play it out; the pairing is not tried again."""

    async def play() -> None:
        tokens = register(tmp_path, "ab")
        async with playing(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            hall.tokens = dict(tokens)
            bots = await begun(hall)
            told = await boss.call("DisqualifyBot", bot_id="b", note="two owners in one")
            assert told.bot.state == pb.BOT_STATE_DISQUALIFIED
            ended = await bots[0].expect("match_ended")
            assert (ended.note, len(ended.placements)) == ("b was disqualified", 0)
            (given_up,) = await settled(tmp_path, 1)
            assert given_up == Unplayed(at=given_up.at, pairing_id="spring/1", why="b was disqualified")
            assert not hall.host.matches
            (ruled,) = decisions(tmp_path, Disqualified)
            assert ruled.bot == "b"

    run(play())


def test_a_running_match_of_the_ladder_is_voided_and_not_tried_again(tmp_path: Path) -> None:
    """The bots are matched anew, under another number."""

    async def play() -> None:
        async with playing(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            bots = await begun(hall)
            match_id = hall.live.match.setup.match_id
            for bot in bots:
                bot.auto = True
            await boss.call("VoidMatch", match_id=match_id, note="a wrong option")
            given_up, accepted, *_ = await settled(tmp_path, 2)
            assert (given_up.pairing_id, given_up.why) == ("spring/1", "a wrong option")
            assert isinstance(accepted, Accepted)
            assert accepted.pairing_id == "spring/2"
            (voided,) = decisions(tmp_path, Voided)
            assert (voided.match_id, voided.why) == (match_id, "a wrong option")

    run(play())


def test_a_finished_match_of_the_ladder_is_voided_by_a_decision(tmp_path: Path) -> None:
    """Its log stays as it is; an unknown match is none."""

    async def play() -> None:
        async with playing(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            bots = await duellists(hall)
            await bots[0].expect("match_ended")
            accepted, *_ = await settled(tmp_path, 1)
            told = await boss.call("VoidMatch", match_id=accepted.match_ids[0], note="a proxy played")
            assert told.match.match_id == accepted.match_ids[0]
            assert len(told.match.placements) == 2
            (voided,) = decisions(tmp_path, Voided)
            assert voided.match_id == accepted.match_ids[0]
            code, _ = await boss.refused("VoidMatch", match_id="nothing", note="x")
            assert code is grpc.StatusCode.NOT_FOUND
        (log,) = [log for log in map(read, scan(tmp_path)) if log.setup.match_id == voided.match_id]
        assert log.end
        assert log.end.termination == "completed"

    run(play())


def test_what_is_decided_at_the_command_line_is_heeded_while_the_ladder_runs(tmp_path: Path) -> None:
    """Another process writes to the decisions; the server finds it."""

    async def play() -> None:
        async with playing(tmp_path) as hall:
            bots = await begun(hall)
            foreign = DecisionLog(decisions_path(tmp_path, "spring"))
            foreign.append(Disqualified(at=1, bot="a/a", why="by hand"))
            of(hall)._keeper.look()
            ended = await bots[0].expect("match_ended")
            assert ended.note == "a/a was disqualified"

    run(play())


def test_what_is_decided_at_the_command_line_while_a_ladder_starts_is_heeded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes after the decisions were read and before the results were: the resumed match is void."""
    tokens = register(tmp_path, "ab")
    real = Store.each_result

    def each_result(store: Store, **about: Any) -> Iterator[MatchResult]:
        if not decisions(tmp_path, Disqualified):
            others = DecisionLog(decisions_path(tmp_path, "spring"))
            others.append(Disqualified(at=1, bot="a", why="a proxy"))
        return real(store, **about)

    async def play() -> None:
        async with playing(tmp_path) as hall:
            hall.tokens = dict(tokens)
            await begun(hall)
        monkeypatch.setattr(Store, "each_result", each_result)
        async with playing(tmp_path) as hall:
            assert of(hall).rulings.disqualified == {"a": "a proxy"}
            (given_up,) = await settled(tmp_path, 1)
            assert given_up.why == "a was disqualified"
            assert not hall.host.matches

    run(play())


def test_a_ladder_hears_of_nothing_before_it_knows_what_was_decided_until_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is decided just when all was read, and found with what had to wait, comes after that."""
    told: list[Decision] = []
    paused = Paused(at=2, bot="a", why="loops")
    forget, each_result = DecisionLog.forget, Store.each_result
    opened = Opened(at=1, tournament="spring", file="")

    async def play() -> None:
        keeper = Keeper(tmp_path, "spring", told.append, pytest.fail)

        def results(store: Store, **about: Any) -> Iterator[MatchResult]:
            keeper.decide(Admitted(at=2, bot="a", version="1"))
            return each_result(store, **about)

        def forgets(log: DecisionLog) -> None:
            forget(log)
            if not decisions(tmp_path, Paused):
                DecisionLog(decisions_path(tmp_path, "spring")).append(paused)

        monkeypatch.setattr(Store, "each_result", results)
        monkeypatch.setattr(DecisionLog, "forget", forgets)
        with Store.under(tmp_path) as store:
            begun = await keeper.begin(opened, store, frozenset(), frozenset())
            assert (begun.rulings.paused, begun.news, told) == ({}, [], [])
            await until(lambda: told)
            assert told == [paused]
            await keeper.close()
        assert decisions(tmp_path) == [opened, paused, Admitted(at=2, bot="a", version="1")]

    run(play())


def test_the_operator_makes_a_rated_match_of_the_ladder(tmp_path: Path) -> None:
    """It has the next number and is decided as any other, with a house bot too."""

    async def play() -> None:
        config = ladder(house=HouseRules(levels=("easy",), wait=3600 * 1_000_000))
        async with playing(tmp_path, config, admin="") as hall, operator(tmp_path) as boss:
            await duellists(hall, "a")
            made = await boss.call(
                "CreateMatch",
                game=TRAIN,
                options=[{"option": "deals", "value": "1"}],
                entrants=[pb.Entrant(bot_id="a/a"), pb.Entrant(house_bot="easy")],
                rated=True,
                tournament="spring",
            )
            (accepted,) = await settled(tmp_path, 1)
            assert accepted.pairing_id == "spring/1"
            assert accepted.match_ids == (made.match.match_id,)
            unnamed = await boss.call(
                "CreateMatch", entrants=[pb.Entrant(bot_id="a/a"), pb.Entrant(house_bot="easy")], seed=1
            )
            assert unnamed.match.game == TRAIN, "the only one that is played here"
            code, _ = await boss.refused(
                "CreateMatch", game=TRAIN, entrants=[pb.Entrant(house_bot="expert"), pb.Entrant(bot_id="a/a")]
            )
            assert code is grpc.StatusCode.FAILED_PRECONDITION

    run(play())


@pytest.mark.parametrize("call", ["PauseBot", "RemoveBot", "DisqualifyBot"])
def test_s13_the_operator_seats_nobody_who_was_taken_out(tmp_path: Path, call: str) -> None:
    """A rated match asked for by name is refused as well, and says why."""

    async def play() -> None:
        config = ladder(house=HouseRules(levels=("easy",), wait=3600 * 1_000_000))
        async with playing(tmp_path, config, admin="") as hall, operator(tmp_path) as boss:
            hall.tokens = dict(register(tmp_path, "a"))
            await duellists(hall, "a")
            await boss.call(call, bot_id="a", note="x")
            code, text = await boss.refused(
                "CreateMatch",
                game=TRAIN,
                entrants=[pb.Entrant(bot_id="a"), pb.Entrant(house_bot="easy")],
                rated=True,
                tournament="spring",
            )
            assert code is grpc.StatusCode.FAILED_PRECONDITION
            assert re.fullmatch(
                r"bot a is (paused|withdrawn|disqualified): x; `referee ladder resume a` lets .*", text
            )

    run(play())


def test_a_bot_that_was_taken_out_does_not_practise_either(tmp_path: Path) -> None:
    """A paused one may."""

    async def play() -> None:
        tokens = register(tmp_path, "a")
        config = ladder(practice=PracticeRules(levels=("easy",)), house=HouseRules(levels=(), wait=SOON))
        async with playing(tmp_path, config, admin="") as hall, operator(tmp_path) as boss:
            hall.tokens = dict(tokens)
            (bot,) = await duellists(hall, "a")
            await boss.call("PauseBot", bot_id="a", note="x")
            await practise(bot)
            await bot.expect("match_ended")
            await boss.call("RemoveBot", bot_id="a", note="x")
            await practise(bot)
            refused = await bot.expect("practice_refused")
            assert "taken out of the ladder" in refused.note

    run(play())


async def practise(bot: Client) -> None:
    """Asks for a match against the weakest house bot."""
    await bot.send(play_pb.PlayRequestFrame(practice=play_pb.Practice(game=TRAIN, level="easy")))
