"""The operator's service: on a socket of its own, audited, each call done once."""

import asyncio
import json
import os
import socket
import stat
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from referee.errors import UsageError
from referee.match.config import SECOND
from referee.server.admin import place
from referee.server.admin.audit import AUDIT
from referee.server.admin.service import SERVICE
from referee.store.store import Store
from referee.v1 import admin_service_pb2 as pb
from referee.v1 import match_pb2
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.server.admin import Operator, audited, operator
from tests.server.client import GAME, opened, room, run, until
from tests.server.ladders import TRAIN, duellists, ladder, of, playing

CODE = grpc.StatusCode


def test_the_service_is_where_the_operator_is_and_not_where_bots_dial_in(tmp_path: Path) -> None:
    """Only the owner of the data root can open the socket; the bots' port knows no such service."""

    async def play() -> None:
        async with room(tmp_path, admin="") as hall:
            mode = (tmp_path / place.SOCKET).stat().st_mode
            assert stat.S_ISSOCK(mode)
            assert stat.S_IMODE(mode) == 0o600
            async with operator(tmp_path) as boss:
                status = await boss.call("GetStatus")
            assert status.server_id == hall.host.server_id
            async with aio.insecure_channel(hall.address) as channel:
                code, _ = await Operator(channel).refused("GetStatus")
            assert code is CODE.UNIMPLEMENTED
        assert not (tmp_path / place.SOCKET).exists()

    run(play())


def test_a_dead_servers_socket_is_replaced_and_a_live_ones_is_not(tmp_path: Path) -> None:
    """Two servers of one data root would both be right and both be wrong: the second does not start."""
    with socket.socket(socket.AF_UNIX) as dead, place.short(tmp_path) as way:
        dead.bind(str(way / place.SOCKET))

    async def play() -> None:
        async with room(tmp_path, admin=""):
            with pytest.raises(UsageError, match="a server runs for this folder already"):
                async with room(tmp_path, admin=""):
                    pass
            async with operator(tmp_path) as boss:
                await boss.call("GetStatus")

    run(play())


@pytest.mark.parametrize("first", ["", "127.0.0.1:0"])
@pytest.mark.parametrize("second", ["", "127.0.0.1:0"])
def test_one_server_has_a_data_root_wherever_its_operator_calls(
    tmp_path: Path, first: str, second: str
) -> None:
    """A loopback port keeps a second server out as a socket does, and the root is free afterwards."""

    async def play() -> None:
        async with room(tmp_path, admin=first):
            with pytest.raises(UsageError, match="a server runs for this folder already"):
                async with room(tmp_path, admin=second):
                    pass
        async with room(tmp_path, admin=second):
            pass

    run(play())


def test_what_is_in_the_way_of_the_socket_is_left_there(tmp_path: Path) -> None:
    """A file of that name is somebody's; the error says what to do."""
    (tmp_path / place.SOCKET).write_text("mine")

    async def play() -> None:
        with pytest.raises(UsageError, match=r"no socket; move it, or give --admin"):
            async with room(tmp_path, admin=""):
                pass

    run(play())
    assert (tmp_path / place.SOCKET).read_text() == "mine"


def test_a_loopback_port_asks_for_the_token_of_the_data_root(tmp_path: Path) -> None:
    """Every user of the machine reaches the port; only those who read the data root know the token."""

    async def play() -> None:
        address = f"127.0.0.1:{free_port()}"
        async with room(tmp_path, admin=address), aio.insecure_channel(address) as channel:
            file = tmp_path / place.TOKEN
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            for wrong in ("", "guess"):
                code, _ = await Operator(channel, wrong).refused("GetStatus")
                assert code is CODE.UNAUTHENTICATED
            await Operator(channel, file.read_text()).call("GetStatus")

    run(play())


@pytest.mark.parametrize("by_port", [False, True])
def test_bytes_that_are_no_request_are_refused_in_one_fixed_text(tmp_path: Path, by_port: bool) -> None:  # noqa: FBT001
    """By the socket, and at a port once the token was shown; nothing is done, and no exception is told."""

    async def play() -> None:
        address = f"127.0.0.1:{free_port()}" if by_port else ""
        async with room(tmp_path, admin=address):
            with place.short(tmp_path) as way:
                token = (tmp_path / place.TOKEN).read_text() if by_port else ""
                raw: Any
                async with aio.insecure_channel(address or f"unix:{way / place.SOCKET}") as raw:
                    for method in SERVICE.methods:
                        send = raw.unary_unary(f"/{SERVICE.full_name}/{method.name}")
                        call = send(b"\xff\xff", metadata=(("authorization", f"Bearer {token}"),))
                        text = f"the request cannot be read: it is no {method.input_type.full_name}"
                        assert (await call.code(), await call.details()) == (CODE.INVALID_ARGUMENT, text)
                    if by_port:
                        assert await send(b"\xff\xff").code() is CODE.UNAUTHENTICATED
        assert not audited(tmp_path)

    run(play())


@pytest.mark.parametrize("address", ["0.0.0.0:7701", "example.org:7701", "127.0.0.1", "here"])
def test_no_other_address_is_taken(tmp_path: Path, address: str) -> None:
    """The operator's service never listens where others are."""

    async def play() -> None:
        with pytest.raises(UsageError, match="loopback address and a port"):
            async with room(tmp_path, admin=address):
                pass

    run(play())


def test_bots_are_added_listed_and_revoked(tmp_path: Path) -> None:
    """The token comes once; a revoked bot's streams end at once."""

    async def play() -> None:
        async with room(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            added = await boss.call("AddBot", display_name="Ann's", owner="ann")
            await boss.call("AddBot", display_name="b")
            assert added.bot.bot_id == "ann's"
            hall.tokens["x"] = added.token
            client = await hall.bot("x")
            listed = await boss.call("ListBots", page_size=1)
            assert [(bot.bot_id, bot.stream_count) for bot in listed.bots] == [("ann's", 1)]
            rest = await boss.call("ListBots", page_size=1, page_token=listed.next_page_token)
            assert [bot.bot_id for bot in rest.bots] == ["b"]
            assert not rest.next_page_token
            revoked = await boss.call("RevokeBot", bot_id="ann's")
            assert revoked.bot.state == pb.BOT_STATE_REVOKED
            code, _ = await client.status()
            assert code is CODE.UNAUTHENTICATED
            assert [bot.bot_id for bot in (await boss.call("ListBots")).bots] == ["b"]
            everybody = await boss.call("ListBots", include_revoked=True)
            assert [bot.bot_id for bot in everybody.bots] == ["ann's", "b"]
            assert [bot.bot_id for bot in (await boss.call("ListBots", owner="b")).bots] == ["b"]

    run(play())


def test_k15_a_name_that_differs_in_case_or_spaces_only_is_taken(tmp_path: Path) -> None:
    """Names are one key each; what can be no name is another error."""

    async def play() -> None:
        async with room(tmp_path, admin=""), operator(tmp_path) as boss:
            await boss.call("AddBot", display_name="Deep Blue")
            for name, expected in {
                " deep  blue ": CODE.ALREADY_EXISTS,
                "DEEP BLUE": CODE.ALREADY_EXISTS,
                "easy": CODE.INVALID_ARGUMENT,
                "": CODE.INVALID_ARGUMENT,
                "x" * 65: CODE.INVALID_ARGUMENT,
                "a\nb\x00": CODE.INVALID_ARGUMENT,
                "new\nline": CODE.INVALID_ARGUMENT,
                "Seat 1": CODE.INVALID_ARGUMENT,
            }.items():
                code, text = await boss.refused("AddBot", display_name=name)
                assert (name, code) == (name, expected)
                assert text

    run(play())


def test_a_call_with_a_request_id_is_done_once_over_a_restart_too(tmp_path: Path) -> None:
    """The answer is the first one, without the token; another call by that id is refused."""
    now = 1_800_000_000 * SECOND

    async def play() -> None:
        nonlocal now
        async with room(tmp_path, admin="", wall=lambda: now), operator(tmp_path) as boss:
            first = await boss.call("AddBot", request_id="r1", display_name="a")
            again = await boss.call("AddBot", request_id="r1", display_name="a")
            assert first.token
            assert not again.token
            assert again.bot == first.bot
            code, text = await boss.refused("AddBot", request_id="r1", display_name="b")
            assert (code, "used for another call" in text) == (CODE.ALREADY_EXISTS, True)
            code, _ = await boss.refused("RevokeBot", request_id="r1", bot_id="a")
            assert code is CODE.ALREADY_EXISTS
            code, _ = await boss.refused("AddBot", request_id="x" * 65, display_name="c")
            assert code is CODE.INVALID_ARGUMENT
        async with room(tmp_path, admin="", wall=lambda: now), operator(tmp_path) as boss:
            again = await boss.call("AddBot", request_id="r1", display_name="a")
            assert (again.bot.bot_id, again.token) == ("a", "")
            now += 25 * 3600 * SECOND
            code, _ = await boss.refused("AddBot", request_id="r1", display_name="a")
            assert code is CODE.ALREADY_EXISTS  # it is done anew, and the name is taken

    run(play())


def test_every_call_is_audited_with_who_what_when_and_the_outcome(tmp_path: Path) -> None:
    """Refused calls too; no token is in the file, and a torn line spoils no other."""

    async def play() -> None:
        (tmp_path / AUDIT).write_bytes(b'{"at":1,"who')
        async with room(tmp_path, admin="", wall=lambda: 5), operator(tmp_path) as boss:
            added = await boss.call("AddBot", request_id="r", display_name="a", owner="ann")
            await boss.refused("RevokeBot", bot_id="nobody")
            await boss.refused("PauseBot", bot_id="a", note="loops")
            await boss.call("AddBot", request_id="r", display_name="a", owner="ann")

        calls = audited(tmp_path)
        assert [(call.method, call.outcome.split(":")[0], call.repeated) for call in calls] == [
            ("AddBot", "OK", False),
            ("RevokeBot", "NOT_FOUND", False),
            ("PauseBot", "FAILED_PRECONDITION", False),
            ("AddBot", "OK", True),
        ]
        assert {(call.at, call.who) for call in calls} == {(5, f"uid {os.getuid()} by the socket")}
        assert calls[0].request == {"request_id": "r", "display_name": "a", "owner": "ann"}
        assert added.token not in (tmp_path / AUDIT).read_text()
        assert all(json.loads(line) for line in (tmp_path / AUDIT).read_text().splitlines()[1:])

    run(play())


def test_a_match_is_made_of_connected_bots_and_made_void(tmp_path: Path) -> None:
    """What cannot be made is refused by status; a void match ends at once, for the bots too."""

    async def play() -> None:
        async with room(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            bots = await hall.bots(auto=False)
            seats = [pb.Entrant(bot_id=f"{name}/{name}") for name in "abcd"]
            for fields, expected in (
                ({"game": "chess", "entrants": seats}, CODE.INVALID_ARGUMENT),
                ({"game": GAME, "entrants": seats[:2]}, CODE.INVALID_ARGUMENT),
                ({"game": GAME, "entrants": [*seats[:3], pb.Entrant()]}, CODE.INVALID_ARGUMENT),
                ({"game": GAME, "entrants": [*seats[:3], pb.Entrant(bot_id="x")]}, CODE.NOT_FOUND),
                ({"game": TRAIN, "entrants": seats}, CODE.FAILED_PRECONDITION),
                (
                    {"game": GAME, "entrants": [*seats[:3], pb.Entrant(house_bot="easy")]},
                    CODE.FAILED_PRECONDITION,
                ),
                ({"game": GAME, "entrants": [*seats[:3], seats[2]], "rated": True}, CODE.INVALID_ARGUMENT),
                ({"game": GAME, "entrants": seats, "rated": True, "seed": 1}, CODE.FAILED_PRECONDITION),
                ({"game": GAME, "entrants": seats, "tournament": "cup"}, CODE.INVALID_ARGUMENT),
            ):
                code, text = await boss.refused("CreateMatch", **fields)
                assert (text, code) == (text, expected)
            made = await boss.call("CreateMatch", game=GAME, entrants=seats)
            started = [await bot.expect("match_started") for bot in bots]
            assert {one.match_id for one in started} == {made.match.match_id}
            assert started[0].commitment == made.commitment
            assert not started[0].rated
            for wrong, expected in (
                ({"match_id": "", "note": "x"}, CODE.INVALID_ARGUMENT),
                ({"match_id": made.match.match_id, "note": " "}, CODE.INVALID_ARGUMENT),
                ({"match_id": made.match.match_id, "note": "two\nlines"}, CODE.INVALID_ARGUMENT),
                ({"match_id": "none", "note": "x"}, CODE.NOT_FOUND),
            ):
                code, text = await boss.refused("VoidMatch", **wrong)
                assert (text, code) == (text, expected)
            voided = await boss.call("VoidMatch", match_id=made.match.match_id, note="a wrong option")
            assert voided.match.termination == match_pb2.TERMINATION_VOID
            ended = await bots[0].expect("match_ended")
            assert ended.note == "a wrong option"

    run(play())


def test_two_bots_of_one_owner_do_not_meet_in_a_rated_match_by_order_either(tmp_path: Path) -> None:
    """What matchmaking never does, the operator cannot do by mistake."""

    async def play() -> None:
        async with room(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            for name in "ab":
                hall.tokens[name] = hall.arena.add_guest(name, "ann")
            await duellists(hall, "ab", auto=False)
            seats = [pb.Entrant(bot_id="ann/a"), pb.Entrant(bot_id="ann/b")]
            code, _ = await boss.refused("CreateMatch", game=TRAIN, entrants=seats, rated=True)
            assert code is CODE.FAILED_PRECONDITION
            await boss.call("CreateMatch", game=TRAIN, entrants=seats)

    run(play())


def test_a_drain_is_asked_for_with_its_limit(tmp_path: Path) -> None:
    """No new streams and no new matches from that moment on; who runs the server ends it."""

    async def play() -> None:
        async with playing(tmp_path, admin="") as hall, operator(tmp_path) as boss:
            await duellists(hall, auto=False)
            await until(lambda: hall.host.matches)
            code, _ = await boss.refused("DrainServer", limit_duration={"seconds": -1})
            assert code is CODE.INVALID_ARGUMENT
            told = await boss.call("DrainServer", limit_duration={"seconds": 7})
            assert told.running_match_count == 1
            assert await hall.arena.drain_asked == 7 * SECOND
            status = await boss.call("GetStatus")
            assert status.draining
            seats = [pb.Entrant(bot_id="a/a"), pb.Entrant(bot_id="b/b")]
            code, _ = await boss.refused("CreateMatch", game=TRAIN, entrants=seats)
            assert code in {CODE.UNAVAILABLE, CODE.FAILED_PRECONDITION}

    run(play())


def test_a_drain_that_comes_late_is_told_when_the_server_ends_in_truth(tmp_path: Path) -> None:
    """While it stops its limit stands: the operator hears of that one, not of what is asked for."""

    async def play() -> None:
        async with room(tmp_path, admin="", wall=lambda: 0) as hall, operator(tmp_path) as boss:
            _who, _turn, _others, match = await opened(hall)
            began = asyncio.get_running_loop().time()
            stopping = asyncio.ensure_future(hall.arena.stop(PATIENCE))
            await until(lambda: hall.arena._host is None)
            told = await boss.call("DrainServer", limit_duration={"seconds": 1})
            passed = asyncio.get_running_loop().time() - began

            assert told.running_match_count == 1
            assert PATIENCE - passed - 0.001 <= told.limit_time.ToMicroseconds() / SECOND <= PATIENCE
            assert not hall.arena.drain_asked.done()
            match.cancel()
            await stopping

    run(play())


def test_the_status_tells_how_the_ladder_is_doing(tmp_path: Path) -> None:
    """Who waits, what runs, what was decided, and why it is frozen."""

    async def play() -> None:
        async with playing(tmp_path, ladder(concurrency=3), admin="") as hall, operator(tmp_path) as boss:
            (alone,) = await duellists(hall, "a")
            status = await boss.call("GetStatus")
            assert (status.ladder.ladder, status.ladder.waiting_bot_count) == ("spring", 1)
            assert status.ladder.max_running_match_count == 3
            await duellists(hall, "b")
            await until(lambda: len(alone.all("match_ended")) >= 2)
            await boss.call("FreezeLadder", note="tonight")
            await until(lambda: not hall.host.matches)
            status = await boss.call("GetStatus")
            assert stat.S_IMODE((tmp_path / AUDIT).stat().st_mode) == 0o600
            assert status.ladder.frozen_note == "tonight"
            assert status.ladder.accepted_pairing_count == of(hall).accepted >= 2
            assert status.stream_count == 2

    run(play())


def test_without_a_ladder_its_calls_are_refused(tmp_path: Path) -> None:
    """A server with open tables has nothing to freeze or to pause."""

    async def play() -> None:
        with Store.under(tmp_path) as store:
            store.add_bot("a")
        async with room(tmp_path, admin=""), operator(tmp_path) as boss:
            for method, fields in (
                ("PauseBot", {"bot_id": "a", "note": "x"}),
                ("ResumeBot", {"bot_id": "a"}),
                ("RemoveBot", {"bot_id": "a", "note": "x"}),
                ("DisqualifyBot", {"bot_id": "a", "note": "x"}),
                ("FreezeLadder", {"note": "x"}),
                ("UnfreezeLadder", {}),
            ):
                code, text = await boss.refused(method, **fields)
                assert (code, text) == (CODE.FAILED_PRECONDITION, "this server has no ladder")

    run(play())
