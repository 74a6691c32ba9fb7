"""S1 and the seals: matches that share their deals, played on a server by bots that dial in."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.match import events as ev
from referee.replay import packs
from referee.replay.ids import uuid7
from referee.replay.reader import SEALED, Log, finished_path, header, read, scan, sealed, unfinished
from referee.replay.verify import verify
from referee.server.app import Arena
from referee.server.logbook import find_log, place_of
from referee.server.request import BlockPart, DealGroup, MatchOutcome, MatchRequest
from referee.store.store import Store
from referee.v1 import match_pb2
from referee.v1 import play_service_pb2 as pb
from tests.patience import PATIENCE
from tests.server.client import GAME, Client, Room, act, finish, frame, ready, room, run, until
from tests.server.serving import registered

DELIVERIES = (pb.EVENT_DELIVERY_WITH_TURN, pb.EVENT_DELIVERY_AT_ONCE, pb.EVENT_DELIVERY_NONE)


def _request(
    group: DealGroup, number: int, seats: Sequence[str], parts: int = 2, **more: Any
) -> MatchRequest:
    return MatchRequest(
        game=GAME,
        options={"target": 10},
        bots=tuple(seats),
        pairing_id=f"cup/3.{number}",
        tournament="cup",
        block=BlockPart(group=group, kind="rotate", part=number, parts=parts),
        **more,
    )


def play(
    arena: Arena, group: DealGroup, number: int, seats: Sequence[str], parts: int = 2
) -> "asyncio.Task[MatchOutcome]":
    """Starts a match of a block."""
    return asyncio.ensure_future(arena.play(_request(group, number, seats, parts)))


async def _entropic(client: Client, entropy: bytes) -> None:
    """Is ready with entropy, and plays by itself from then on."""
    started = await client.expect("match_started")
    client.auto = True
    await client.send(ready(started, entropy))


async def hold(clients: Sequence[Client]) -> None:
    """Waits until all have heard the end of their match; nobody answers by itself from then on."""
    for client in clients:
        await client.expect("match_ended")
        client.auto = False


def _deals(log: Log) -> list[tuple[int, ...]]:
    return [record.order for record in log.records if isinstance(record, ev.Deal)]


@pytest.mark.parametrize("seed", [None, 5])
def test_s1_all_matches_of_a_block_have_the_same_deals(tmp_path: Path, seed: int | None) -> None:
    """They share group, commitment and the entropy of the first one's seats, and each checks by itself."""

    async def test() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots(auto=False)
            outcomes = []
            with hall.arena.block(seed) as group:
                for number, seats in enumerate(("abcd", "dcba")):
                    for client in clients:
                        client.auto = False
                    asked = _request(group, number, seats, seed=seed)
                    playing = asyncio.ensure_future(hall.arena.play(asked))
                    await asyncio.gather(*(_entropic(c, bytes([number, at])) for at, c in enumerate(clients)))
                    outcomes.append(await playing)
        logs = [read(finished_path(one.replay)) for one in outcomes if one.replay]
        first, second = logs

        assert _deals(first)[: len(_deals(second))] == _deals(second)[: len(_deals(first))]
        assert first.setup.commitment == second.setup.commitment
        assert first.setup.deal_group == second.setup.deal_group
        assert all(verify(log).ok for log in logs)
        given = ("0000", "0001", "0002", "0003") if seed is None else ("",) * 4
        assert [log.end.contributions for log in logs if log.end] == [given, given]
        assert second.setup.block
        assert second.setup.block.contributions == given
        assert [log.setup.provable for log in logs] == [seed is None] * 2

    run(test())


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_s1_a_block_tells_totals_only_until_it_is_over(tmp_path: Path, delivery: int) -> None:
    """No hand is shown at the end of a deal and no secret at that of a match; its log is sealed."""

    async def test() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots(event_delivery=delivery)
            with hall.arena.block() as group:
                outcome = await play(hall.arena, group, 0, "abcd")
                assert outcome.end
                for client in clients:
                    ended = await client.expect("match_ended")
                    deals = client.all("deal_ended")
                    assert deals
                    assert not any(deal.HasField("detail") for deal in deals)
                    assert all(len(deal.totals) == 4 for deal in deals)
                    assert not ended.HasField("reveal")
                    assert len(ended.placements) == 4
                    assert bytes.fromhex(outcome.end.secret) not in client.received
                assert [path.stat().st_mode & 0o777 for path in sealed(tmp_path)] == [0o600]
                assert list(scan(tmp_path)) == []
                await play(hall.arena, group, 1, "bcda")
                assert len(list(sealed(tmp_path))) == 2
            assert [path.stat().st_mode & 0o777 for path in scan(tmp_path)] == [0o644] * 2
        with Store.under(tmp_path) as store:
            assert [(one.pairing_id, one.parts) for one in store.results()] == [
                ("cup/3.0", 2),
                ("cup/3.1", 2),
            ]

    run(test())


def test_s1_a_void_match_gives_the_block_up(tmp_path: Path) -> None:
    """What was played of it can be read then, and the next attempt has fresh deals."""

    async def test() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots()
            with hall.arena.block() as group:
                await play(hall.arena, group, 0, "abcd")
                await hold(clients)
                playing = play(hall.arena, group, 1, "bcda")
                await until(lambda: hall.host.matches)
                for client in clients:
                    await client.send(ready(await client.expect("match_started")))
                await hall.first_turn(clients)
                hall.live.void("an operator stopped it", hall.host.runner.now())
                assert (await playing).termination == "void"
                for client in clients:
                    ended = await client.expect(
                        "match_ended", lambda one: one.termination == match_pb2.TERMINATION_VOID
                    )
                    assert not ended.HasField("reveal")
            assert len(list(scan(tmp_path))) == 2
            with hall.arena.block() as another:
                assert another.group_id != group.group_id
                assert another.secret != group.secret

    run(test())


def test_a_bot_that_comes_back_is_told_of_no_hand_either(tmp_path: Path) -> None:
    """The match that is told again holds what the block allows, and no name where seats are anonymous."""

    async def test() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots(auto=False)
            with hall.arena.block() as group:
                asked = _request(group, 0, "abcd", anonymous=True)
                playing = asyncio.ensure_future(hall.arena.play(asked))
                for client in clients:
                    await client.send(ready(await client.expect("match_started")))
                _, turn = await hall.first_turn(clients)
                again = await hall.bot("a", auto=False, event_delivery=pb.EVENT_DELIVERY_AT_ONCE)
                told = await again.expect("match_started")
                assert told.resumed
                assert [seat.display_name for seat in told.seats] == [f"seat {k}" for k in range(4)]
                await until(lambda: again.all("event"))
                outcome = await finish(playing, again, *clients[1:], also=turn)
                assert outcome.end
                assert bytes.fromhex(outcome.end.secret) not in again.received
                assert not any(deal.HasField("detail") for deal in again.all("deal_ended"))

    run(test())


def test_only_the_instance_that_is_asked_for_is_seated(tmp_path: Path) -> None:
    """A process that was launched for one match sits nowhere else, and is who its token says."""

    async def test() -> None:
        async with room(tmp_path) as hall:
            await hall.bots("bcd")
            token = hall.arena.add_guest("a", "a", "a/a", "made-for-one")
            made = await Client(hall.address, token, instance_id="default").hello()
            hall.clients.append(made)
            playing = hall.play("abcd")
            await until(lambda: hall.host.lobby._waiting)
            assert not hall.host.matches
            asked = MatchRequest(
                game=GAME,
                options={"target": 10},
                bots=("b", "a", "c", "d"),
                instances=("", "made-for-one", "", ""),
                seed=1,
            )
            outcome = await hall.arena.play(asked)
            assert outcome.replay
            assert [seat.instance for seat in read(outcome.replay).setup.seats][1] == "made-for-one"
            hall.arena.remove_guest(token, "made-for-one")
            await hall.bot("a")
            assert (await playing).termination == "completed"

    run(test())


def test_an_instance_that_will_never_come_is_not_waited_for(tmp_path: Path) -> None:
    """Nor does its absence touch another instance of the bot."""

    async def test() -> None:
        async with room(tmp_path) as hall:
            await hall.bots("abcd")
            asked = MatchRequest(
                game=GAME, options={"target": 10}, bots=tuple("abcd"), instances=("gone", "", "", ""), seed=1
            )
            playing = asyncio.ensure_future(hall.arena.play(asked))
            hall.arena.absent("a", "it exited with status 1", "gone")
            outcome = await playing
            assert (outcome.termination, outcome.missing) == ("no_show", ("a",))
            assert outcome.note == "a never joined: it exited with status 1"
            assert (await hall.play("abcd")).termination == "completed"

    run(test())


DIES = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.server.client import ready, room, until
from tests.server.test_blocks import hold, play

async def test():
    async with room(Path(sys.argv[1])) as hall:
        hall.tokens = dict(zip("abcd", sys.argv[3:]))
        clients = await hall.bots()
        with hall.arena.block() as group:
            await play(hall.arena, group, 0, "abcd", int(sys.argv[2]))
            await hold(clients)
            playing = play(hall.arena, group, 1, "bcda", int(sys.argv[2]))
            for client in clients:
                started = await client.expect("match_started")
                await client.send(ready(started, b"of the second match"))
            await hall.first_turn(clients)
            os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(test())
"""


@pytest.mark.parametrize("parts", [2, 3])
def test_p1_a_match_of_a_block_goes_on_after_kill_9(tmp_path: Path, parts: int) -> None:
    """It keeps the deals of its block, which stays sealed meanwhile; then the block is whole, or given up."""
    tokens = registered(tmp_path)
    command = [sys.executable, "-c", DIES, str(tmp_path), str(parts), *tokens.values()]
    killed = subprocess.run(command, timeout=PATIENCE, check=False)
    assert killed.returncode == -signal.SIGKILL
    (part,) = unfinished(tmp_path)
    (early,) = sealed(tmp_path)

    async def test() -> None:
        async with room(tmp_path, recover=True) as hall:
            assert list(sealed(tmp_path)) == [early]
            live = hall.live
            hall.tokens = tokens
            clients = await hall.bots()
            for client in clients:
                for turn in client.all("turn"):
                    if (turn.match_id, turn.turn_id) not in client.answered:
                        await client.send(act(turn))
            await asyncio.wait_for(live.ended, PATIENCE)
            for client in clients:
                assert not (await client.expect("match_ended")).HasField("reveal")

    run(test())
    first, second = (read(finished_path(path)) for path in (early, part))
    assert first.end
    assert second.end
    assert (second.end.termination, second.setup.block and second.setup.block.parts) == ("completed", parts)
    assert _deals(first)[: len(_deals(second))] == _deals(second)[: len(_deals(first))]
    assert verify(second).ok
    assert list(sealed(tmp_path)) == []
    with Store.under(tmp_path) as store:
        assert len(store.results()) == 2


def test_a_log_is_found_while_its_block_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is renamed between two looks was there by the name that is looked for first."""
    match_id = uuid7(1_700_000_000_000, bytes(10))
    place = place_of(tmp_path, match_id)
    assert place
    before = place.with_name(match_id + SEALED)
    place.parent.mkdir(parents=True)
    before.touch()
    real = packs.exists

    def exists(path: Path) -> bool:
        found = real(path)
        if before.exists():
            before.rename(place)
        return found

    monkeypatch.setattr(packs, "exists", exists)
    assert find_log(tmp_path, match_id) == before
    before.rename(place)
    assert find_log(tmp_path, match_id) == place


def test_p1_a_suspended_match_keeps_its_block_sealed(tmp_path: Path) -> None:
    """A server that stops unseals no deal that a later one may go on with; past the time it is given up."""

    async def test() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots()
            with hall.arena.block() as group:
                await play(hall.arena, group, 0, "abcd")
                await hold(clients)
                playing = play(hall.arena, group, 1, "abcd")
                await until(lambda: hall.host.matches)
                await hall.arena.stop(0)
                await playing
        assert len(list(sealed(tmp_path))) == 1
        (left,) = unfinished(tmp_path)
        assert header(left).block
        async with room(tmp_path, recover=True, wall=lambda: 1 << 60):
            pass
        assert len(list(scan(tmp_path))) == 2

    run(test())


async def _played(data: Path, names: str, wish: int) -> bytes:
    """Returns what a viewer hears of an anonymous match against bots that have such names."""
    async with room(data) as hall:
        heard = await hall.bot("viewer", event_delivery=wish, auto=False)
        others = [await hall.bot(f"{names}{at}", auto=False) for at in range(3)]
        return await _told(hall, heard, others, names)


async def _told(hall: Room, heard: Client, others: list[Client], names: str) -> bytes:
    """Plays a match in which the viewer errs; returns what it heard before the end."""
    asked = MatchRequest(
        game=GAME,
        options={"target": 10},
        bots=("viewer", *(f"{names}{at}" for at in range(3))),
        seed=1,
        anonymous=True,
    )
    playing = asyncio.ensure_future(hall.arena.play(asked))
    clients = [heard, *others]
    for client in clients:
        await client.send(ready(await client.expect("match_started")))
    await hall.first_turn(clients)
    match_id = heard.all("match_started")[0].match_id
    await heard.send(frame(act=pb.Act(match_id=match_id, turn_id=77, index=0)))
    await heard.expect("rejected")
    outcome = await finish(playing, *clients)
    ended = await heard.expect("match_ended")
    assert [place.display_name for place in ended.placements] == list(asked.bots)
    before = [
        one for one in heard.frames if one.WhichOneof("frame") not in {"match_ended", "welcome", "goodbye"}
    ]
    assert outcome.match_id
    told = b"|".join(_without_clock(one) for one in before)
    assert names.encode() not in told
    return told.replace(outcome.match_id.encode(), b"MATCH")


def _without_clock(one: pb.PlayResponseFrame) -> bytes:
    for arm in ("turn", "rejected"):
        if one.HasField(arm):
            getattr(one, arm).ClearField("clock" if arm == "turn" else "remaining_duration")
    return one.SerializeToString(deterministic=True)


@pytest.mark.parametrize("wish", DELIVERIES)
def test_l1_who_the_others_are_changes_no_byte_of_an_anonymous_match(tmp_path: Path, wish: int) -> None:
    """Until its end the same match against bots of other names is told in the same bytes, clocks left out."""
    told: list[bytes] = []

    async def test() -> None:
        told.extend([await _played(tmp_path / names, names, wish) for names in ("maximilian", "zoe")])

    run(test())
    assert told[0] == told[1]
    assert b"seat 3" in told[0]
