"""What the operator is told when a call cannot be done: which bot, which cause, and nothing twice."""

import asyncio
import re
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest

from referee.errors import RecordError
from referee.server.app import Arena
from referee.server.backstage import Backstage
from referee.server.config import ArenaConfig, OpenTable
from referee.server.house import house as house_bots
from referee.server.house.house import House
from referee.server.ladder.config import HouseRules
from referee.server.member import Member
from referee.store.decision_log import decisions_path
from referee.store.store import Store
from referee.tournament.decision import Decision, Disqualified, Opened, Paused, Returned, Voided, Withdrawn
from referee.v1 import admin_service_pb2 as pb
from referee.v1 import play_service_pb2 as play_pb
from tests.server.admin import Operator, audited, operator
from tests.server.client import CALM, GAME, LONG, frame, run, until
from tests.server.ladders import TRAIN, decisions, duellists, ladder, of, playing, settled

CODE = grpc.StatusCode
SINCE = r"since \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ"


async def refused(boss: Operator, *bots: str, **fields: Any) -> str:
    """Returns why no match of some bots can be made now."""
    entrants = [pb.Entrant(bot_id=bot) for bot in bots]
    code, text = await boss.refused("CreateMatch", game=TRAIN, entrants=entrants, **fields)
    assert code is CODE.FAILED_PRECONDITION
    return text


def test_a_match_that_cannot_be_made_says_which_bot_and_why(tmp_path: Path) -> None:
    """Away, busy, of another game, leaving, practising, named twice, of one owner: each has its own line."""

    async def play() -> None:
        with Store.under(tmp_path) as store:
            for name in "abcdefg":
                store.add_bot(f"bot {name}")
            store.revoke_bot("bot a")
        nobody_seats_them = ladder(tables=(OpenTable(game=GAME),))
        async with playing(tmp_path, nobody_seats_them, admin="") as hall, operator(tmp_path) as boss:
            hall.tokens["a2"] = hall.arena.add_guest("a2", "a")
            names: dict[str, dict[str, Any]] = {
                "a": {},
                "a2": {},
                "b": {"matches_at_once": 2},
                "c": {"games": [GAME]},
                "d": {"practice_only": True},
                "e": {},
            }
            for name, about in names.items():
                await hall.bot(name, auto=False, **{"games": [TRAIN], **about})
            seats = [pb.Entrant(bot_id=f"{name}/{name}") for name in "ab"]
            await boss.call("CreateMatch", game=TRAIN, entrants=seats)

            assert await refused(boss, "b/b", "bot g") == "bot bot g is not connected"
            assert await refused(boss, "b/b", "a/a") == "bot a/a is busy: it plays 1 of 1 matches at a time"
            assert await refused(boss, "c/c", "b/b") == f"bot c/c plays {GAME}, not {TRAIN}"
            assert await refused(boss, "d/d", "b/b") == "bot d/d only practises now"
            assert (
                await refused(boss, "e/e", "e/e")
                == "bot e/e is named more often than it has processes here, which are 1"
            )
            code, text = await boss.refused(
                "CreateMatch", game=TRAIN, entrants=[pb.Entrant(bot_id="x"), pb.Entrant(bot_id="b/b")]
            )
            assert (code, text) == (CODE.NOT_FOUND, "no bot has the id 'x'")
            away = [pb.Entrant(bot_id="e/e", instance_id="left"), pb.Entrant(bot_id="b/b")]
            code, text = await boss.refused("CreateMatch", game=TRAIN, entrants=away)
            assert (code, text) == (CODE.FAILED_PRECONDITION, "bot e/e (left) is not connected")
            await hall.clients[2].send(frame(leave=play_pb.Leave()))
            await until(lambda: hall.host.lobby.members["b/b", "default"].leaving)
            assert await refused(boss, "e/e", "b/b") == "bot b/b is leaving and takes no more matches"

    run(play())


TWO_LEVELS = HouseRules(levels=("easy", "normal"), matches=1, wait=LONG)
BOTH = [pb.Entrant(house_bot=level) for level in TWO_LEVELS.levels]


def second_waits(monkeypatch: pytest.MonkeyPatch) -> tuple[list[Member], asyncio.Event]:
    """Has the second level of house bots that is asked for come late; returns who was found, and its gate."""
    found: list[Member] = []
    gate, real = asyncio.Event(), House.several

    async def several(house: House, level: str, game: str, count: int) -> list[Member]:
        members = await real(house, level, game, count)
        found.extend(members)
        if len(found) == len(BOTH):
            await gate.wait()
        return members

    monkeypatch.setattr(House, "several", several)
    return found, gate


def test_a_house_bot_that_dies_while_another_level_comes_is_not_seated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator hears which; the process that follows keeps its place, whoever is done with the dead."""
    monkeypatch.setattr(house_bots, "FIRST_PAUSE", 0.1)

    async def play() -> None:
        async with playing(tmp_path, ladder(house=TWO_LEVELS), admin="") as hall, operator(tmp_path) as boss:
            house = of(hall).house
            await until(lambda: house.members("easy") and house.members("normal"))
            found, second_comes = second_waits(monkeypatch)
            asked = asyncio.ensure_future(boss.refused("CreateMatch", game=TRAIN, entrants=BOTH))
            await until(lambda: len(found) == len(BOTH))
            first = found[0]
            level = first.identity.name
            (process,) = [
                child
                for child in psutil.Process().children(recursive=True)
                if any(word.endswith(f"house/{level}.py") for word in child.cmdline())
            ]
            process.kill()
            await until(lambda: house.members(level) not in ([], [first]))
            second_comes.set()

            told = f"bot {level}/{level} is not connected; try again"
            assert await asked == (CODE.FAILED_PRECONDITION, told)
            assert not hall.host.matches
            hall.host.lobby.forget_idle(first)
            assert len(house.members(level)) == 1
            await boss.call("CreateMatch", game=TRAIN, entrants=BOTH)

    run(play())


def test_a_house_bot_that_is_seated_while_another_level_comes_gets_no_match_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process plays as many as it has said, whatever is asked for at the same time."""

    async def play() -> None:
        async with playing(tmp_path, ladder(house=TWO_LEVELS), admin="") as hall, operator(tmp_path) as boss:
            house = of(hall).house
            await until(lambda: house.members("easy") and house.members("normal"))
            await duellists(hall, "a", auto=False)
            found, second_comes = second_waits(monkeypatch)
            asked = asyncio.ensure_future(boss.refused("CreateMatch", game=TRAIN, entrants=BOTH))
            await until(lambda: len(found) == len(BOTH))
            first = found[0]
            level = first.identity.name
            seats = [pb.Entrant(house_bot=level), pb.Entrant(bot_id="a/a")]
            await boss.call("CreateMatch", game=TRAIN, entrants=seats)
            second_comes.set()

            told = f"bot {level}/{level} is busy: it plays 1 of 1 matches at a time; try again"
            assert await asked == (CODE.FAILED_PRECONDITION, told)
            assert len(first.seats) == 1

    run(play())


def test_a_frozen_ladder_starts_no_match_of_the_operator_either(tmp_path: Path) -> None:
    """Neither a rated one nor one that does not count; who unfreezes one that is not frozen is told so."""

    async def play() -> None:
        nobody_seats_them = ladder(tables=(OpenTable(game=GAME),))
        async with playing(tmp_path, nobody_seats_them, admin="") as hall, operator(tmp_path) as boss:
            await duellists(hall, "ab", auto=False)
            await boss.call("FreezeLadder", note="tonight")
            frozen = "the ladder is frozen: tonight; `referee ladder unfreeze` lets matches begin again"
            for about in ({}, {"rated": True, "tournament": "spring"}):
                assert await refused(boss, "a/a", "b/b", **about) == frozen
            assert not hall.host.matches
            await boss.call("UnfreezeLadder")
            again = await boss.refused("UnfreezeLadder")
            assert again == (CODE.FAILED_PRECONDITION, "the ladder is not frozen")
            seats = [pb.Entrant(bot_id=bot) for bot in ("a/a", "b/b")]
            await boss.call("CreateMatch", game=TRAIN, entrants=seats)
            assert hall.host.matches

    run(play())


def test_bots_of_one_owner_are_named_with_their_owner(tmp_path: Path) -> None:
    """A rated match has one seat for an owner."""

    async def play() -> None:
        async with playing(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            for name in "ab":
                hall.tokens[name] = hall.arena.add_guest(name, "ann")
            await duellists(hall, "ab", auto=False)
            text = await refused(boss, "ann/a", "ann/b", rated=True)
            assert text == "ann/a and ann/b are both of 'ann': one owner has one seat in a rated match"

    run(play())


def test_a_paused_bot_is_told_as_paused_though_it_is_away_too(tmp_path: Path) -> None:
    """What the operator did goes before what the bot does: connecting would not help."""

    async def play() -> None:
        with Store.under(tmp_path) as store:
            store.add_bot("a")
        async with playing(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            await duellists(hall, "b", auto=False)
            await boss.call("PauseBot", bot_id="a", note="it loops")
            text = await refused(boss, "a", "b/b", rated=True, tournament="spring")
            assert text == "bot a is paused: it loops; `referee ladder resume a` lets it play on"
            assert await refused(boss, "a", "b/b") == "bot a is not connected"

    run(play())


def test_a_finished_match_is_voided_once(tmp_path: Path) -> None:
    """The second time it says since when and why, and writes nothing; two at once are one too."""

    async def play() -> None:
        async with playing(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            await duellists(hall)
            accepted, *_ = await settled(tmp_path, 1)
            (match_id,) = accepted.match_ids

            async def void(note: str) -> str:
                try:
                    await boss.call("VoidMatch", match_id=match_id, note=note)
                except grpc.aio.AioRpcError as error:
                    return f"{error.code().name}: {error.details()}"
                return ""

            told = list(await asyncio.gather(void("a proxy"), void("a proxy")))
            told.append(await void("once more"))
            assert told.count("") == 1
            for text in filter(None, told):
                already = rf"FAILED_PRECONDITION: match {match_id} is already void {SINCE}: a proxy"
                assert re.fullmatch(already, text)
        assert len(decisions(tmp_path, Voided)) == 1

    run(play())


def test_a_match_that_ended_as_void_is_not_voided(tmp_path: Path) -> None:
    """It counts for nothing as it is: there is nothing to decide."""

    async def play() -> None:
        async with playing(tmp_path, ladder(attempts=1), admin="") as hall, operator(tmp_path) as boss:
            await duellists(hall, auto=False)
            await until(lambda: hall.host.matches)
            live = hall.live
            await boss.call("FreezeLadder", note="no other one")
            live.void("the power failed", hall.host.runner.now())
            await settled(tmp_path, 1)
            match_id = live.match.setup.match_id
            code, text = await boss.refused("VoidMatch", match_id=match_id, note="x")
            assert code is CODE.FAILED_PRECONDITION
            assert text.startswith(f"match {match_id} counts for nothing already: it ended as void at ")
        assert decisions(tmp_path, Voided) == []

    run(play())


@pytest.mark.parametrize(
    ("call", "word", "kind"),
    [
        ("PauseBot", "paused", Paused),
        ("RemoveBot", "withdrawn", Withdrawn),
        ("DisqualifyBot", "disqualified", Disqualified),
    ],
)
def test_a_bot_is_ruled_out_once_until_it_is_back(
    tmp_path: Path, call: str, word: str, kind: type[Decision]
) -> None:
    """The second call writes nothing, nor does a return of a bot that plays; after a return it is news."""

    async def play() -> None:
        with Store.under(tmp_path) as store:
            store.add_bot("a")
        async with playing(tmp_path, admin=""), operator(tmp_path) as boss:
            code, text = await boss.refused("ResumeBot", bot_id="a")
            assert code is CODE.FAILED_PRECONDITION
            assert text == "bot a is neither paused, withdrawn nor disqualified"
            await boss.call(call, bot_id="a", note="first")
            code, text = await boss.refused(call, bot_id="a", note="second")
            assert code is CODE.FAILED_PRECONDITION
            assert re.fullmatch(rf"bot a is already {word} {SINCE}: first", text)
            await boss.call("ResumeBot", bot_id="a")
            await boss.call(call, bot_id="a", note="third")
        assert [(type(one), one.why) for one in decisions(tmp_path, kind, Returned)] == [
            (kind, "first"),
            (Returned, ""),
            (kind, "third"),
        ]

    run(play())


def test_calls_in_the_last_moments_of_a_server_say_that_it_ends(tmp_path: Path) -> None:
    """Whatever is closed already: none is an incident, and each that is refused says so in one line."""

    async def play() -> None:
        with Store.under(tmp_path) as store:
            store.add_bot("a")
        async with playing(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            await duellists(hall, "bc", auto=False)
            admin = hall.arena._backstage._admin
            assert admin
            told: set[grpc.StatusCode] = set()

            async def keep_calling() -> None:
                while True:
                    for call in ("PauseBot", "ResumeBot"):
                        try:
                            await boss.call(call, bot_id="a", note="x")
                        except grpc.aio.AioRpcError as error:
                            told.add(error.code())

            callers = [asyncio.ensure_future(keep_calling()) for _ in range(4)]
            await until(lambda: len(audited(tmp_path)) > 8)
            await admin.refuse()
            for call in ("GetStatus", "UnfreezeLadder"):
                ends = "the server is about to end and takes no more calls"
                assert await boss.refused(call) == (CODE.UNAVAILABLE, ends)
            await hall.arena.stop(0)
            for caller in callers:
                caller.cancel()
            # gRPC itself cancels what is on its way when the socket closes; the server's own words are two.
            assert told <= {CODE.UNAVAILABLE, CODE.FAILED_PRECONDITION, CODE.CANCELLED}
        assert not [call for call in audited(tmp_path) if call.outcome.startswith("INTERNAL")]

    run(play())


def test_a_match_that_is_asked_for_while_the_server_starts_keeps_no_house_bot_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator may call before house bots can dial in: that call is refused, and the next is not."""
    listens, gate, real = asyncio.Event(), asyncio.Event(), Backstage.open

    async def opened(backstage: Backstage, address: str) -> None:
        listens.set()
        await gate.wait()
        await real(backstage, address)

    monkeypatch.setattr(Backstage, "open", opened)

    async def play() -> None:
        config = ArenaConfig(data=tmp_path, ladder=ladder(house=TWO_LEVELS), admin="", time_control=CALM)
        arena = Arena(config)
        starting = asyncio.ensure_future(arena.start())
        await listens.wait()
        async with operator(tmp_path) as boss:
            told = await boss.refused("CreateMatch", game=TRAIN, entrants=BOTH)
            gate.set()
            await starting
            assert told == (CODE.UNAVAILABLE, "the ladder is being started; try again")
            await boss.call("CreateMatch", game=TRAIN, entrants=BOTH)
        await arena.stop(0)

    run(play())


def test_a_start_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """A decisions log that cannot be trusted ends the start; the same folder is free for the next one."""
    path = decisions_path(tmp_path, "spring")
    path.parent.mkdir(parents=True)
    path.write_text('{"nonsense":1}\n', encoding="utf-8")

    async def play() -> None:
        with pytest.raises(RecordError, match="the chain is broken"):
            async with playing(tmp_path, admin=""):
                pass
        path.unlink()
        async with playing(tmp_path, admin=""), operator(tmp_path) as boss:
            assert (await boss.call("GetStatus")).ladder.ladder == "spring"

    run(play())
    assert len(decisions(tmp_path, Opened)) == 1
