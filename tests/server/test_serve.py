"""`referee serve` as a process of its own."""

import asyncio
import os
import re
import signal
import sys
from pathlib import Path

import pytest

from referee.match import events as ev
from referee.match.config import SECOND
from referee.replay.reader import Log, read, scan
from referee.replay.signature import Verifier
from referee.replay.verify import verify
from referee.server.ports import holder
from referee.store.store import Store
from referee.v1 import play_service_pb2 as pb
from tests.ports import free_port
from tests.replay import keys
from tests.server.client import Client, act, run
from tests.server.serving import CALM, registered, seated, serve


def finished(data: Path) -> Log:
    """Returns the one finished log, verified."""
    (path,) = scan(data)
    log = read(path)
    assert verify(log).ok
    return log


def test_t8_nobody_is_late_because_the_referee_stood_still(tmp_path: Path) -> None:
    """The referee is stopped for longer than the budget while an answer is in its socket."""

    async def play() -> None:
        tokens = registered(tmp_path)
        async with serve(tmp_path, "--time", "4s+0,bank=0") as served:
            clients, opener, turn = await seated((await served.listening()).address, tokens)
            served.process.send_signal(signal.SIGSTOP)
            await opener.send(act(turn))
            for client in clients:
                client.auto = True
            await asyncio.sleep(4.5)  # the referee's own clock has to run past the deadline
            served.process.send_signal(signal.SIGCONT)
            for client in clients:
                await client.expect("match_ended")
                await client.close()
            log = finished(tmp_path)

        stalls = [record for record in log.records if isinstance(record, ev.Stall)]
        assert sum(stall.duration for stall in stalls) >= 4 * SECOND
        assert {stall.reason for stall in stalls} == {"REFEREE_STALL"}
        assert log.end
        assert log.end.termination == "completed"
        assert not any(place.faults for place in log.end.places)

    run(play())


def test_u1_a_taken_port_is_named_with_its_owner(tmp_path: Path) -> None:
    """The second server exits with status 2 and one line."""

    async def play() -> None:
        async with serve(tmp_path) as first:
            port = (await first.listening()).address.rpartition(":")[2]
            async with serve(tmp_path, "--port", port) as second:
                status, out, err = await second.ended()

            assert (status, out) == (2, "")
            assert err.count("\n") == 1
            assert f"port {port} is taken" in err
            if sys.platform == "linux":
                assert f"(pid {first.process.pid})" in err
                assert str(first.process.pid) in holder(int(port))

    run(play())


def test_sigterm_lets_running_matches_finish(tmp_path: Path) -> None:
    """Draining starts nothing new, says goodbye to idle bots, and ends with status 0."""

    async def play() -> None:
        tokens = registered(tmp_path)
        with Store.under(tmp_path) as store:
            fifth = store.add_bot("fifth")
        async with serve(tmp_path, "--time", CALM) as served:
            clients, opener, turn = await seated((await served.listening()).address, tokens)
            idle = await Client(served.address, fifth).hello()
            served.process.send_signal(signal.SIGTERM)
            await idle.expect("goodbye")
            for client in clients:
                client.auto = True
            await opener.send(act(turn))
            for client in clients:
                await client.expect("match_ended")
            status, _, _ = await served.ended()
            for client in (*clients, idle):
                await client.close()

            assert status == 0
            assert idle.goodbye
            assert idle.goodbye.reason == pb.GOODBYE_REASON_DRAINING
            assert finished(tmp_path).end

    run(play())


def test_p1_a_killed_server_goes_on_where_it_was(tmp_path: Path) -> None:
    """After kill -9 the same command resumes: the bots come back and the turn is the same."""

    async def play() -> None:
        tokens = registered(tmp_path)
        port = str(free_port())
        async with serve(tmp_path, "--time", CALM, "--port", port) as served:
            clients, opener, turn = await seated((await served.listening()).address, tokens)
            first = clients.index(opener)
            served.process.kill()
            await served.ended()
            for client in clients:
                await client.close()
        async with serve(tmp_path, "--time", CALM, "--port", port) as served:
            await served.listening()
            clients = [await Client(served.address, token).hello() for token in tokens.values()]
            for client in clients:
                await client.expect("match_ended", lambda ended: ended.match_id == turn.match_id)
            again = clients[first].all("turn")[0]
            for client in clients:
                await client.close()

            assert (again.match_id, again.turn_id) == (turn.match_id, turn.turn_id)
            assert again.observation == turn.observation
            (path, *_) = scan(tmp_path)
            log = read(path)
            assert verify(log).ok
            assert sum(isinstance(record, ev.Resumed) for record in log.records) == 1
            assert log.end
            assert log.end.termination == "completed"

    run(play())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--host", "0.0.0.0"), "--insecure"),  # noqa: S104
        (("--tls-cert", "missing.pem"), "--tls-key"),
        (("--tls-cert", "missing.pem", "--tls-key", "missing.pem"), "missing.pem"),
        (("--sign-key", "missing.pem"), "missing.pem"),
        (("--time", "soon"), "soon"),
        (("--drain", "later"), "later"),
        (("--game", "dominos"), "block_dominoes"),
        (("--seats", "3"), "block_dominoes is not played by 3, only by 4"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(
    tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    """The command says what is wrong, makes nothing and exits with status 2."""

    async def play() -> None:
        async with serve(tmp_path, *arguments) as served:
            status, out, err = await served.ended()

            assert (status, out) == (2, "")
            assert re.fullmatch(r"referee: .*\n", err)
            assert problem in err
            assert list(tmp_path.iterdir()) == []

    run(play())


@pytest.mark.parametrize("killed", [False, True])
def test_a_log_is_signed_before_the_end_is_told(tmp_path: Path, killed: bool) -> None:  # noqa: FBT001
    """Whoever hears `MatchEnded` finds the signature of the log, of a resumed match too."""

    async def play() -> None:
        private, public = keys.make(tmp_path)
        tokens = registered(tmp_path)
        key = ("--sign-key", str(private))
        async with serve(tmp_path, "--time", CALM, *key) as served:
            clients, opener, turn = await seated((await served.listening()).address, tokens)
            if not killed:
                await check(clients, public, opener, turn)
                return
        for client in clients:
            await client.close()
        async with serve(tmp_path, "--time", CALM, *key) as served:
            await served.listening()
            await check([await Client(served.address, token).hello() for token in tokens.values()], public)

    async def check(
        clients: list[Client], public: Path, opener: Client | None = None, turn: pb.Turn | None = None
    ) -> None:
        for client in clients:
            client.auto = True
        if opener and turn:
            await opener.send(act(turn))
        ended = await clients[0].expect("match_ended")
        (path,) = (path for path in scan(tmp_path) if path.stem == ended.match_id)
        Verifier.load(public).check(path, read(path).last_hash)
        for client in clients:
            await client.close()

    run(play())


def test_the_servers_log_holds_no_token_and_no_hand(tmp_path: Path) -> None:
    """JSON lines with one summary for the match."""

    async def play() -> None:
        tokens = registered(tmp_path)
        async with serve(tmp_path, "--time", CALM) as served:
            clients, opener, turn = await seated((await served.listening()).address, tokens)
            for client in clients:
                client.auto = True
            await opener.send(act(turn))
            for client in clients:
                await client.expect("match_ended")
            os.kill(served.process.pid, signal.SIGTERM)
            _, _, err = await served.ended()
            for client in clients:
                await client.close()

            summaries = [line for line in err.splitlines() if turn.match_id in line]
            assert len(summaries) == 1
            assert '"match ended"' in summaries[0]
            assert not any(token in err for token in tokens.values())
            assert "hand" not in err

    run(play())


def test_u3_an_interrupt_with_nothing_to_suspend_says_no_more_than_that(tmp_path: Path) -> None:
    """Nothing runs: the server stops at once, and there is nothing to go on with."""

    async def play() -> None:
        async with serve(tmp_path) as served:
            await served.listening()
            served.process.send_signal(signal.SIGINT)
            status, _, err = await served.ended()

        assert status == 130
        assert "stopping" in err.splitlines()
        assert "to go on" not in err
        assert f'"data":"{tmp_path}"' in err

    run(play())
