"""L6: who may read what of a finished match, and what is said to all others."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.engine.entrants import entries
from referee.engine.local import LocalArena
from referee.match.config import SECOND
from referee.replay.reader import header
from referee.server.auth import REFUSAL
from referee.server.config import ArenaConfig, Limits
from referee.server.reads import reports, shelf
from referee.server.request import MatchRequest
from referee.store.store import Store
from referee.v1 import fault_pb2
from referee.v1 import replay_service_pb2 as pb
from tests.server.client import CALM, GAME, Room, act, finish, opened, room, run, until
from tests.server.replaying import Told, calling, download, long_log, read_on, replay, report
from tests.server.test_replay_service import played

OK, DENIED = grpc.StatusCode.OK, grpc.StatusCode.PERMISSION_DENIED
NOBODY = (grpc.StatusCode.UNAUTHENTICATED, REFUSAL)
TIGHT = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 4096))
"""Options of a connection that takes in little that nobody reads."""


def ending(found: Told) -> tuple[grpc.StatusCode, str]:
    """Returns how a call ended that brought nothing."""
    assert not found.messages
    return found.code, found.details


@pytest.mark.parametrize("public", [True, False])
def test_l6_logs_are_public_by_configuration_and_reports_never(tmp_path: Path, public: bool) -> None:  # noqa: FBT001
    """No token, a wrong and a revoked one are refused alike, before it is told what there is."""

    async def play() -> None:
        with Store.under(tmp_path) as store:
            good, gone = store.add_bot("watcher"), store.add_bot("gone")
            store.revoke_bot("gone")
        limits = Limits(bad_tokens=1_000)
        async with room(tmp_path, public=public, limits=limits) as hall:
            await hall.bots()
            match_id = await played(hall)
            for token in (None, "", "wrong", gone, f"{good}x"):
                for asked in (match_id, "no such match", ""):
                    assert ending(await report(hall.address, asked, token)) == NOBODY
                    if not public:
                        assert ending(await replay(hall.address, asked, token)) == NOBODY
                        assert ending(await download(hall.address, token, bot_id="a/a")) == NOBODY
                if public:
                    assert (await replay(hall.address, match_id, token)).code == OK
                    assert (await download(hall.address, token, bot_id="a/a")).code == OK
            for token in (good, hall.tokens["a"]):
                assert (await replay(hall.address, match_id, token)).code == OK
                assert (await download(hall.address, token, bot_id="a/a")).code == OK

    run(play())


def test_l6_an_impostor_gets_no_report(tmp_path: Path) -> None:
    """Neither a bot that was not at the table, nor one of a name from there that is somebody else's."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            match_id = await played(hall)
            outsider = hall.arena.add_guest("x", owner="x")
            namesake = hall.arena.add_guest("a", owner="somebody", bot_id="a/a")
            for token in (outsider, namesake):
                found = await report(hall.address, match_id, token)
                assert ending(found) == (DENIED, "this bot had no seat in the match")
            seats = set()
            for name in "abcd":
                (told,) = (await report(hall.address, match_id, hall.tokens[name])).messages
                (own,) = told.reports
                assert own.placement.display_name == name
                seats.add(own.seat)
            assert seats == {0, 1, 2, 3}

    run(play())


def test_l6_a_running_match_is_refused_alike_whoever_sits_there(tmp_path: Path) -> None:
    """Who asks for reports of an anonymous match learns nothing of its seats, not even a seat itself."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            _who, _turn, _others, playing = await opened(hall, anonymous=True)
            match_id = hall.live.match.setup.match_id
            tokens = [*hall.tokens.values(), hall.arena.add_guest("x", owner="x")]
            found = {ending(await report(hall.address, match_id, token)) for token in tokens}
            assert found == {(grpc.StatusCode.FAILED_PRECONDITION, shelf.RUNS)}
            playing.cancel()

    run(play())


def test_a_report_tells_a_bot_of_its_own_seat(tmp_path: Path) -> None:
    """Its faults with the turn as it saw it and its raw answer, its turns with their times, its place."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            await who.send(act(turn, text="no tile"))
            await who.expect("rejected")
            outcome = await finish(playing, who, *others, also=turn)
            assert outcome.match_id
            assert outcome.end
            seat = who.all("match_started")[0].seat
            name = next(name for name, client in zip("abcd", hall.clients, strict=True) if client is who)
            found = await report(hall.address, outcome.match_id, hall.tokens[name])
            (own,) = found.messages[0].reports
            assert (own.match_id, own.game, own.seat) == (outcome.match_id, GAME, seat)
            assert own.placement.rank == outcome.end.places[seat].rank
            (fault,) = own.faults
            assert fault.kind == fault_pb2.FAULT_KIND_MALFORMED
            assert (fault.raw_answer, fault.turn_id, fault.answered_turn_id) == ("no tile", 1, 1)
            assert fault.observation == turn.observation
            assert list(fault.legal_actions) == list(turn.legal_actions)
            assert [one.turn_id for one in own.turns] == [
                *dict.fromkeys(asked.turn_id for asked in who.all("turn"))
            ]
            assert own.turns[0].action in turn.legal_actions
            assert not own.HasField("process")
            assert own.reproduce_command.startswith(f"referee replay drill {outcome.match_id}.jsonl --seat")

    run(play())


def test_a_bot_that_has_heard_the_end_can_ask_at_once(tmp_path: Path) -> None:
    """Its report and the log are there as soon as `MatchEnded` is."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots()
            for _ in range(5):
                playing = hall.play()
                match_id = (await clients[0].expect("match_ended")).match_id
                assert (await report(hall.address, match_id, hall.tokens["a"])).code == OK
                assert (await replay(hall.address, match_id)).code == OK
                await playing

    run(play())


def test_a_bot_at_two_seats_gets_a_report_for_each(tmp_path: Path) -> None:
    """In an unrated match a bot may be there more than once."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            for name, instance in (("a", "1"), ("a", "2"), ("b", "1"), ("c", "1")):
                await hall.bot(name, instance_id=instance)
            match_id = await played(hall, "aabc", rated=False)
            (told,) = (await report(hall.address, match_id, hall.tokens["a"])).messages
            assert [own.seat for own in told.reports] == [0, 1]

    run(play())


def test_u7_a_launched_bot_finds_its_stderr_in_its_report_and_nobody_elses(tmp_path: Path) -> None:
    """The exit code and what it printed are told to the bot itself, and stand in no log."""
    words = "crash, as ordered, at turn 1"
    crash = shlex.join([sys.executable, "sample_bots/misbehaving/crash.py", "--at", "1"])

    async def play() -> None:
        found = entries([f"bad={crash}", "b=easy", "c=easy", "d=easy"], GAME)
        config = ArenaConfig(data=tmp_path, time_control=CALM)
        async with LocalArena(config, found, GAME, tmp_path / "output" / "run", lambda _: None) as arena:
            request = MatchRequest(game=GAME, options={"target": 10}, bots=("bad", "b", "c", "d"))
            outcome = await arena.play(request)
        match_id = outcome.match_id
        assert match_id
        async with room(tmp_path) as hall:
            own = {one.name: hall.arena.add_guest(one.name, one.owner, one.bot_id) for one in found}
            (told,) = (await report(hall.address, match_id, own["bad"])).messages
            process = told.reports[0].process
            assert (process.exit_code, words in process.stderr_head) == (1, True)
            (other,) = (await report(hall.address, match_id, own["b"])).messages
            assert words not in str(other)
            assert words.encode() not in (await replay(hall.address, match_id)).data

    run(play())


@pytest.mark.parametrize("method", ["GetReplay", "DownloadReplays"])
def test_l6_a_token_that_is_revoked_ends_what_is_downloaded_with_it(tmp_path: Path, method: str) -> None:
    """As every call that lasts; what came until then is not all, and the status says so."""

    async def play() -> None:
        with Store.under(tmp_path) as store:
            token = store.add_bot("reader")
        limits = Limits(write=60 * SECOND)
        paths = [long_log(tmp_path, 2_000_000, number) for number in range(1, 9)]
        bot = header(paths[0]).seats[0].bot
        async with room(tmp_path, public=False, limits=limits) as hall:
            request = (
                pb.GetReplayRequest(match_id=paths[0].stem)
                if method == "GetReplay"
                else pb.DownloadReplaysRequest(bot_id=bot)
            )
            async with calling(hall.address, method, request, token, *TIGHT) as call:
                await call.read()
                with Store.under(tmp_path) as store:
                    store.revoke_bot("reader")
                await hall.host.send_revoked_away()
                await read_on(call)
                assert await call.code() == grpc.StatusCode.UNAUTHENTICATED
            await until(lambda: not hall.arena.reads.desk.busy)

    run(play())


def test_a_server_that_drains_hands_out_nothing_more(tmp_path: Path) -> None:
    """All three methods are unavailable then, whatever is asked."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            match_id = await played(hall)
            hall.host.lobby.drain()
            for found in (
                await replay(hall.address, match_id),
                await download(hall.address, bot_id="a/a"),
                await report(hall.address, match_id, hall.tokens["a"]),
            ):
                assert ending(found) == (
                    grpc.StatusCode.UNAVAILABLE,
                    "the server stops; come back later",
                )

    run(play())


def _leaking(*_: Any, **__: Any) -> Any:
    raise AssertionError("seat 0 holds 6-6")


BROKEN: dict[str, Callable[[Room, str], Any]] = {
    "examined": lambda hall, match_id: replay(hall.address, match_id),
    "report": lambda hall, match_id: report(hall.address, match_id, hall.tokens["a"]),
    "chunks": lambda hall, _: download(hall.address, bot_id="a/a"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_l17_what_breaks_in_the_referee_is_told_as_an_incident(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """The text of an exception, which may hold a hand, reaches nobody."""
    monkeypatch.setattr(reports if broken == "report" else shelf, broken, _leaking)

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            match_id = await played(hall)
            found = await BROKEN[broken](hall, match_id)
            assert found.code == grpc.StatusCode.INTERNAL
            assert "incident" in found.details
            assert "6-6" not in found.details

    run(play())
