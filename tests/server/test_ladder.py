"""The ladder: bots come and go, every pairing is decided once, over restarts too."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from referee.errors import UsageError
from referee.match.config import SECOND
from referee.replay.reader import read, scan
from referee.server.app import Arena
from referee.server.config import ArenaConfig, OpenTable
from referee.server.house import house as house_bots
from referee.server.ladder.config import HouseRules
from referee.server.ladder.keeper import Begun, Keeper
from referee.store.decision_log import decisions_path
from referee.store.store import Store
from referee.tournament.decision import Accepted, Admitted, Opened, Unplayed
from referee.v1 import play_service_pb2 as pb
from tests.ports import free_port
from tests.server.admin import operator
from tests.server.client import CALM, GAME, Room, act, ready, run, start_runs_out, until
from tests.server.ladders import DUEL, SOON, TRAIN, decisions, duellists, ladder, of, playing, settled


def test_bots_meet_again_and_again_and_every_pairing_is_accepted_once(tmp_path: Path) -> None:
    """Pairings are numbered from 1; headers name the ladder, hide the names, and are rated."""

    async def play() -> None:
        async with playing(tmp_path, ladder(digest="00")) as hall:
            first, _ = await duellists(hall)
            await until(lambda: len(first.all("match_ended")) >= 5)
            told = first.all("match_started")[0]
            ended = first.all("match_ended")[0]

        accepted = decisions(tmp_path, Accepted)
        headers = {log.setup.match_id: log.setup for log in map(read, scan(tmp_path))}
        assert {seat.display_name for seat in told.seats} == {"seat 0", "seat 1"}
        assert {place.display_name for place in ended.placements} == {"a", "b"}
        assert isinstance(decisions(tmp_path)[0], Opened)
        assert [one.pairing_id for one in accepted] == [f"spring/{n + 1}" for n in range(len(accepted))]
        assert len(accepted) >= 5
        for one in accepted:
            (match_id,) = one.match_ids
            setup = headers[match_id]
            assert (setup.tournament, setup.pairing_id, setup.attempt) == ("spring", one.pairing_id, 1)
            assert setup.rated
            assert setup.anonymous

    run(play())


def test_house_bots_fill_a_table_after_a_wait(tmp_path: Path) -> None:
    """One bot alone plays at a table of four: the other seats have three house bots of different levels."""

    async def play() -> None:
        table = OpenTable(game=GAME, options={"target": 10})
        async with playing(tmp_path, ladder(tables=(table,), house=HouseRules(wait=SOON))) as hall:
            alone = await hall.bot("a")
            ended = await alone.expect("match_ended")

            assert {place.display_name for place in ended.placements} == {"a", "easy", "normal", "expert"}

    run(play())


def test_a_house_bot_that_dies_is_started_again_and_its_match_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile the operator is told; the new process takes over the seat."""
    monkeypatch.setattr(house_bots, "FIRST_PAUSE", 4.0)  # time enough to ask the server for its status

    async def play() -> None:
        config = ladder(house=HouseRules(levels=("easy",), wait=SOON))
        async with playing(tmp_path, config, admin="") as hall, operator(tmp_path) as boss:
            (bot,) = await duellists(hall, "a", auto=False)
            await bot.send(ready(await bot.expect("match_started")))
            (process,) = [
                child
                for child in psutil.Process().children(recursive=True)
                if any(word.endswith("house/easy.py") for word in child.cmdline())
            ]
            process.kill()
            await until(lambda: of(hall).house.problems)
            (house,) = (await boss.call("GetStatus")).ladder.house_bots
            assert "signal 9" in house.problem
            bot.auto = True
            for turn in bot.all("turn")[-1:]:
                await bot.send(act(turn))
            ended = await bot.expect("match_ended")
            assert len(ended.placements) == 2
            assert not of(hall).house.problems

    run(play())


def test_owners_are_kept_apart_on_a_ladder(tmp_path: Path) -> None:
    """Two bots of one owner wait for a third; then each of them meets that one only."""

    async def play() -> None:
        async with playing(tmp_path) as hall:
            for name, owner in {"a1": "a", "a2": "a", "b": "b"}.items():
                hall.tokens[name] = hall.arena.add_guest(name, owner)
            waiting = await duellists(hall, ["a1", "a2"])
            for _ in range(3):
                await asyncio.sleep(0)
            assert not hall.host.matches
            (third,) = await duellists(hall, ["b"])
            await until(lambda: all(len(client.all("match_ended")) >= 2 for client in (*waiting, third)))

            for client in waiting:
                names = [
                    {place.display_name for place in end.placements} for end in client.all("match_ended")
                ]
                assert all("b" in seated for seated in names)

    run(play())


def test_d15_a_bot_that_is_not_ready_is_at_fault_and_the_other_is_matched_anew(tmp_path: Path) -> None:
    """The pairing is given up by name, changes no rating, and the bot is left out for a while."""

    async def play() -> None:
        async with playing(tmp_path) as hall:
            (silent,) = await duellists(hall, "s", auto=False)
            (patient,) = await duellists(hall, "p")
            await until(lambda: hall.host.matches)
            await start_runs_out(hall.live)
            await patient.expect("match_ended", lambda ended: not ended.placements)
            await duellists(hall, "q")
            await patient.expect("match_ended", lambda ended: ended.placements)

            given_up, accepted, *_ = await settled(tmp_path, 2)
            assert given_up == Unplayed(
                at=given_up.at, pairing_id="spring/1", why=given_up.why, at_fault=("s/s",)
            )
            assert "s" in given_up.why
            assert accepted.pairing_id == "spring/2"
            assert len(silent.matches) == 1

    run(play())


def test_s11_a_bot_that_never_answers_does_not_hold_up_the_rest(tmp_path: Path) -> None:
    """It is in at most its share of the matches at a time, and the others play on meanwhile."""

    async def play() -> None:
        config = ladder(concurrency=4, share=0.5)
        async with playing(tmp_path, config) as hall:
            (slow,) = await duellists(hall, "s", auto=False, matches_at_once=8)
            quick = await duellists(hall, "abcd")
            for _ in range(2):
                await slow.send(ready(await slow.expect("match_started")))
            free = [client for client in quick if not slow.matches.keys() & client.matches.keys()]
            await until(lambda: all(len(client.all("match_ended")) >= 20 for client in free))

            assert len(free) == 2
            assert len(slow.matches) == 2

    run(play())


def test_s9_a_match_that_is_spoiled_while_the_ladder_is_frozen_is_played_again_afterwards(
    tmp_path: Path,
) -> None:
    """Its pairing waits as everything does, and is not given up for it."""

    async def play() -> None:
        async with playing(tmp_path, ladder(attempts=2)) as hall:
            await duellists(hall, auto=False)
            await until(lambda: hall.host.matches)
            of(hall).freeze("tonight")
            hall.live.void("spoiled", hall.host.runner.now())
            await until(lambda: not hall.host.matches)
            hall.host.lobby.changed()
            assert (of(hall).unplayed, hall.host.matches) == (0, {})
            of(hall).unfreeze()
            await until(lambda: hall.host.matches)
            setup = hall.live.match.setup
            assert (setup.pairing_id, setup.attempt) == ("spring/1", 2)

    run(play())


def test_s9_a_bot_that_came_back_while_the_ladder_was_frozen_plays_its_spoiled_match_again(
    tmp_path: Path,
) -> None:
    """A line that broke while nothing ran takes no pairing from anybody."""

    async def play() -> None:
        async with playing(tmp_path, ladder(attempts=2)) as hall:
            first, second = await duellists(hall, auto=False)
            await until(lambda: hall.host.matches)
            of(hall).freeze("tonight")
            hall.live.void("spoiled", hall.host.runner.now())
            await until(lambda: not hall.host.matches)
            await first.close()
            await until(lambda: len(hall.host.lobby.members) == 1)
            await duellists(hall, "a", auto=False)
            of(hall).unfreeze()
            await until(lambda: hall.host.matches or of(hall).unplayed)
            assert of(hall).unplayed == 0
            setup = hall.live.match.setup
            assert (setup.pairing_id, setup.attempt) == ("spring/1", 2)
            assert [member.stream is not None for member in hall.live.members] == [True, True]
            await second.expect("match_started", lambda one: one.match_id == setup.match_id)

    run(play())


def test_s9_a_spoiled_match_is_played_again_by_the_same_bots_up_to_a_limit(tmp_path: Path) -> None:
    """What no bot caused is tried again under the same number; at the limit the pairing is given up."""

    async def play() -> None:
        async with playing(tmp_path, ladder(attempts=2)) as hall:
            bots = await duellists(hall, auto=False)
            started = [await bot.expect("match_started") for bot in bots]
            hall.live.void("spoiled", hall.host.runner.now())
            again = [await bot.expect("match_started") for bot in bots]
            hall.live.void("spoiled again", hall.host.runner.now())
            (given_up,) = await settled(tmp_path, 1)

            assert [one.seat for one in again] == [one.seat for one in started]
            assert given_up == Unplayed(at=given_up.at, pairing_id="spring/1", why="spoiled again")
        logs = [read(path).setup for path in scan(tmp_path)]
        tried = [(one.pairing_id, one.attempt) for one in logs if one.pairing_id == "spring/1"]
        assert sorted(tried) == [("spring/1", 1), ("spring/1", 2)]

    run(play())


def test_a_ladder_goes_on_where_it_was_after_a_restart(tmp_path: Path) -> None:
    """A match that runs is resumed and accepted under its number; the next pairing has the next one."""

    async def play() -> None:
        tokens = {}
        with Store.under(tmp_path) as store:
            tokens = {name: store.add_bot(name) for name in "ab"}
        async with playing(tmp_path) as hall:
            hall.tokens = dict(tokens)
            bots = await duellists(hall, auto=False)
            for bot in bots:
                await bot.send(ready(await bot.expect("match_started")))
            _, before = await hall.first_turn(bots)
        async with playing(tmp_path) as hall:
            hall.tokens = dict(tokens)
            bots = await duellists(hall)
            resumed = await bots[0].expect("match_started")
            await until(lambda: len(bots[0].all("match_ended")) >= 2)
            accepted = await settled(tmp_path, 2)

        assert resumed.match_id == before.match_id
        assert (accepted[0].pairing_id, accepted[0].match_ids) == ("spring/1", (before.match_id,))
        assert accepted[1].pairing_id == "spring/2"
        assert len({one.pairing_id for one in accepted}) == len(accepted)

    run(play())


def test_s9_a_resumed_match_that_is_spoiled_before_the_ladder_has_begun_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pairing waits until what an earlier server left is known, and is not given up for it."""
    with Store.under(tmp_path) as store:
        tokens = {name: store.add_bot(name) for name in "ab"}
    reading, read_all, real = asyncio.Event(), asyncio.Event(), Keeper.begin

    async def begin(keeper: Keeper, *about: Any) -> Begun:
        found = await real(keeper, *about)
        reading.set()
        await read_all.wait()
        return found

    async def play() -> None:
        async with playing(tmp_path, ladder(attempts=2)) as hall:
            hall.tokens.update(tokens)
            bots = await duellists(hall, auto=False)
            for bot in bots:
                await bot.send(ready(await bot.expect("match_started")))
            await hall.first_turn(bots)
        monkeypatch.setattr(Keeper, "begin", begin)
        port = free_port()
        config = ArenaConfig(
            data=tmp_path, ladder=ladder(attempts=2), recover=True, time_control=CALM, port=port
        )
        hall = Room(Arena(config), f"127.0.0.1:{port}")
        starting = asyncio.ensure_future(hall.arena.start())
        await reading.wait()
        hall.tokens.update(tokens)
        bots = await duellists(hall, auto=False)
        hall.live.void("spoiled", hall.host.runner.now())
        await until(lambda: not hall.host.matches and not hall.host.lobby._pairing)
        read_all.set()
        await starting
        await until(lambda: hall.host.matches or of(hall).unplayed)
        assert of(hall).unplayed == 0
        setup = hall.live.match.setup
        assert (setup.pairing_id, setup.attempt) == ("spring/1", 2)
        for bot in bots:
            await bot.close()
        await hall.arena.stop(0)

    run(play())


def test_p2_what_a_crash_kept_from_being_decided_is_decided_at_the_next_start(tmp_path: Path) -> None:
    """A finished match without its decision is accepted, a spoiled one given up; no number comes twice."""

    async def play() -> None:
        async with playing(tmp_path) as hall:
            bots = await duellists(hall)
            await until(lambda: len(bots[0].all("match_ended")) >= 3)
            of(hall).freeze("enough")
            await until(lambda: not hall.host.matches)
        before = decisions(tmp_path, Accepted)
        path = decisions_path(tmp_path, "spring")
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
        async with playing(tmp_path) as hall:
            of(hall).unfreeze()
            bots = await duellists(hall)
            await until(lambda: bots[0].all("match_ended"))
        after = decisions(tmp_path, Accepted)

        assert {one.match_ids for one in before} <= {one.match_ids for one in after}
        numbers = [one.pairing_id for one in after]
        assert len(set(numbers)) == len(numbers) >= len(before) + 1

    run(play())


def test_a_fourth_new_version_within_a_day_is_refused_by_name(tmp_path: Path) -> None:
    """Earlier versions may come back; a day later there is room again, and a restart forgets nothing."""
    now = 1_800_000_000 * SECOND

    async def play() -> None:
        nonlocal now
        with Store.under(tmp_path) as store:
            token = store.add_bot("a")
        async with playing(tmp_path, wall=lambda: now) as hall:
            hall.tokens["a"] = token
            for version in "123":
                bot = await hall.bot("a", bot_version=version, games=[TRAIN])
                await bot.close()
            refused = hall.silent("a", bot_version="4", games=[TRAIN])
            await refused.send(pb.PlayRequestFrame(hello=pb.Hello(**refused._hello)))
            await refused.status()
            assert refused.goodbye
            assert refused.goodbye.reason == pb.GOODBYE_REASON_BAD_HELLO
            assert "3 new versions of a bot are taken within 24 hours" in refused.goodbye.note
            assert "2027-01-16 08:00 UTC" in refused.goodbye.note
            await hall.bot("a", bot_version="2", games=[TRAIN])
            await hall.bot("a", bot_version="4", games=[TRAIN], practice_only=True, instance_id="x")
            now += 24 * 3600 * SECOND
            await hall.bot("a", bot_version="4", games=[TRAIN], instance_id="y")

    run(play())


def test_versions_that_never_played_are_not_forgotten_by_a_restart(tmp_path: Path) -> None:
    """They are among those of their day, and may come back; nothing is written of a version twice."""
    now = 1_800_000_000 * SECOND

    async def play() -> None:
        nonlocal now
        with Store.under(tmp_path) as store:
            token = store.add_bot("a")
        for versions in ("12", "231", "3"):
            async with playing(tmp_path, wall=lambda: now) as hall:
                hall.tokens["a"] = token
                for version in versions:
                    bot = await hall.bot("a", bot_version=version, games=[TRAIN])
                    await bot.close()
                refused = hall.silent("a", bot_version="4", games=[TRAIN])
                if "3" in versions:
                    await refused.send(pb.PlayRequestFrame(hello=pb.Hello(**refused._hello)))
                    await refused.status()
                    assert refused.goodbye
                    assert refused.goodbye.reason == pb.GOODBYE_REASON_BAD_HELLO
        assert [(one.bot, one.version) for one in decisions(tmp_path, Admitted)] == [
            ("a", version) for version in "123"
        ]
        assert isinstance(decisions(tmp_path)[0], Opened)
        now += 24 * 3600 * SECOND
        async with playing(tmp_path, wall=lambda: now) as hall:
            hall.tokens["a"] = token
            await hall.bot("a", bot_version="4", games=[TRAIN])

    run(play())


def test_a_new_version_begins_a_new_line_of_ratings(tmp_path: Path) -> None:
    """The matchmaking knows the old version's strength and takes the new one for a newcomer."""

    async def play() -> None:
        async with playing(tmp_path) as hall:
            bots = await duellists(hall, bot_version="1")
            await until(lambda: len(bots[0].all("match_ended")) >= 3)
            of(hall).freeze("a look")
            await until(lambda: not hall.host.matches)
            await settled(tmp_path, 3)
            keeper = of(hall)._keeper
            await until(lambda: keeper.rating((TRAIN, "a/a", "1")))
            assert keeper.rating((TRAIN, "a/a", "2")) is None
        async with playing(tmp_path) as hall:
            kept = of(hall)._keeper.rating((TRAIN, "a/a", "1"))
            assert kept
            assert kept == keeper.rating((TRAIN, "a/a", "1"))

    run(play())


def test_games_of_a_ladder_take_turns(tmp_path: Path) -> None:
    """Bots that play a game for four and one for two play both, though the small table is full sooner."""

    async def play() -> None:
        tables = (OpenTable(game=GAME, options={"target": 10}), DUEL)
        async with playing(tmp_path, ladder(tables=tables, concurrency=8, share=1.0)) as hall:
            bots = [await hall.bot(name, games=[GAME, TRAIN]) for name in "abcd"]
            await until(lambda: len(bots[0].all("match_ended")) >= 12)
            played = [started.game for started in bots[0].matches.values()]

            assert played.count(GAME) >= 3
            assert played.count(TRAIN) >= 3

    run(play())


def test_freezing_starts_no_match_over_a_restart_too(tmp_path: Path) -> None:
    """Streams stay and the running match ends; unfreezing goes on."""

    async def play() -> None:
        async with playing(tmp_path) as hall:
            bots = await duellists(hall)
            await until(lambda: bots[0].all("match_ended"))
            of(hall).freeze("tonight")
            await until(lambda: not hall.host.matches)
            seen = len(bots[0].matches)
            hall.host.lobby.changed()
            await asyncio.sleep(0.05)
            assert len(bots[0].matches) == seen
            assert len(hall.host.streams) == 2
        async with playing(tmp_path) as hall:
            assert of(hall).frozen == "tonight"
            bots = await duellists(hall)
            await asyncio.sleep(0.05)
            assert not bots[0].matches
            of(hall).unfreeze()
            await bots[0].expect("match_ended")

    run(play())


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"name": "a/b"}, "letters, digits"),
        ({"tables": ()}, "name at least one game"),
        ({"tables": (DUEL, DUEL)}, "named twice"),
        ({"share": 0.0}, "share"),
        ({"house": HouseRules(levels=("hard",))}, "no house bot"),
    ],
)
def test_a_ladder_that_cannot_be_is_refused(wrong: dict[str, Any], problem: str) -> None:
    """The settings are checked before anything listens."""
    with pytest.raises(UsageError, match=problem):
        replace(ladder(), **wrong).check()
