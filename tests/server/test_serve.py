"""`referee serve` as a process of its own."""

import asyncio
import contextlib
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from referee.match import events as ev
from referee.match.config import SECOND
from referee.replay.reader import Log, read, scan, unfinished
from referee.replay.signature import Verifier
from referee.replay.verify import verify
from referee.server.ports import holder
from referee.store.store import Store
from referee.v1 import play_service_pb2 as pb
from tests.replay import keys
from tests.server.client import PATIENCE, Client, act, ready, run, until

CALM = "20s+0,bank=0"


class Served:
    """The process; `address` is what it said that it listens on."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.address = ""

    async def listening(self) -> "Served":
        """Waits for its first line."""
        assert self.process.stdout
        line = (await asyncio.wait_for(self.process.stdout.readline(), PATIENCE)).decode()
        assert line.startswith("LISTENING 127.0.0.1:")
        self.address = line.split()[1]
        return self

    async def ended(self) -> tuple[int, str, str]:
        """Waits for its end; returns status, output and errors."""
        out, err = await asyncio.wait_for(self.process.communicate(), PATIENCE)
        assert self.process.returncode is not None
        return self.process.returncode, out.decode(), err.decode()


@contextlib.asynccontextmanager
async def serve(data: Path, *more: str) -> AsyncIterator[Served]:
    """Starts a server on a data root."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "referee", "serve", "--data", str(data), "--option", "target=10"),
        *("--game", "block_dominoes", *more),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield Served(process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


def registered(data: Path) -> dict[str, str]:
    """Registers four bots and returns their tokens."""
    with Store.under(data) as store:
        return {name: store.add_bot(name) for name in "abcd"}


async def seated(address: str, tokens: dict[str, str]) -> tuple[list[Client], Client, pb.Turn]:
    """Returns four bots of a match, the one that is to open, and its turn; nobody answers by itself."""
    clients = [await Client(address, token, auto=False).hello() for token in tokens.values()]
    for client in clients:
        await client.send(ready(await client.expect("match_started")))
    await until(lambda: any(client.all("turn") for client in clients))
    (opener,) = [client for client in clients if client.all("turn")]
    return clients, opener, opener.all("turn")[0]


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


@pytest.mark.parametrize("again", [False, True])
def test_u3_an_interrupt_suspends_what_runs_and_says_how_to_go_on(tmp_path: Path, again: bool) -> None:  # noqa: FBT001
    """The first one says so and closes the logs; a second one ends the process at once."""

    async def play() -> None:
        tokens = registered(tmp_path)
        async with serve(tmp_path, "--time", CALM, "--drain", "30s" if again else "100ms") as served:
            clients, _, _ = await seated((await served.listening()).address, tokens)
            port = served.address.rpartition(":")[2]
            served.process.send_signal(signal.SIGINT)
            if again:
                assert served.process.stderr
                while (
                    b"1 match runs on for at most 30 s; press again to suspend it"
                    not in await served.process.stderr.readline()
                ):
                    pass
                served.process.send_signal(signal.SIGINT)
            status, _, err = await served.ended()
            for client in clients:
                await client.close()

            assert status == 130
            assert again or "1 match runs on for at most 0.1 s; press again to suspend it" in err
            assert "1 match is suspended; to go on within 60 s: " in err
            assert f"referee serve --data {tmp_path}" in err
            assert f"--port {port}" in err
            (path,) = unfinished(tmp_path)
            assert verify(read(path)).problem.startswith("unfinished")

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
        async with serve(tmp_path, "--time", CALM) as served:
            clients, _, turn = await seated((await served.listening()).address, tokens)
            port = served.address.rpartition(":")[2]
            served.process.kill()
            await served.ended()
            for client in clients:
                await client.close()
        async with serve(tmp_path, "--time", CALM, "--port", port) as served:
            await served.listening()
            clients = [await Client(served.address, token).hello() for token in tokens.values()]
            for client in clients:
                await client.expect("match_ended", lambda ended: ended.match_id == turn.match_id)
            again = next(one for client in clients for one in client.all("turn") if one.turn_id == 1)
            for client in clients:
                await client.close()

            assert again.match_id == turn.match_id
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
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(
    tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    """The command says what is wrong and exits with status 2."""

    async def play() -> None:
        async with serve(tmp_path, *arguments) as served:
            status, out, err = await served.ended()

            assert (status, out) == (2, "")
            assert re.fullmatch(r"referee: .*\n", err)
            assert problem in err

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
