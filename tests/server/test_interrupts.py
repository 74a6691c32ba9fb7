"""Interrupts of `referee serve`: what runs on, what is suspended, what is said."""

import contextlib
import signal
import time
from pathlib import Path

import pytest

from referee.match import events as ev
from referee.replay.reader import read, unfinished
from referee.replay.verify import verify
from tests.patience import PATIENCE
from tests.server.client import Client, ready, run, until
from tests.server.serving import CALM, Served, registered, seated, serve

MATCHES = 4
LONG = 1200
"""A limit for draining that no test reaches, in seconds."""


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
                    b"1 match runs on for at most 2 s; press again to suspend it now"
                    not in await served.process.stderr.readline()
                ):
                    pass
                with contextlib.suppress(ProcessLookupError):  # a busy machine may have let the 2 s pass
                    served.process.send_signal(signal.SIGINT)
            status, _, err = await served.ended()
            for client in clients:
                await client.close()

            assert status == 130
            assert again or "1 match runs on for at most 0.1 s; press again to suspend it now" in err
            assert "1 match is suspended; to go on within 60 s: " in err
            assert f"referee serve --data {tmp_path}" in err
            assert f"--port {port}" in err
            (path,) = unfinished(tmp_path)
            assert verify(read(path)).problem.startswith("unfinished")

    run(play())


async def busy(served: Served, tokens: dict[str, str]) -> list[Client]:
    """Returns four bots that sit in four running matches, every one with an open turn."""
    address = (await served.listening()).address
    clients = [
        await Client(address, token, auto=False, matches_at_once=MATCHES).hello() for token in tokens.values()
    ]
    for client in clients:
        for _ in range(MATCHES):
            await client.send(ready(await client.expect("match_started")))
    await until(lambda: sum(len(client.all("turn")) for client in clients) == MATCHES)
    return clients


async def heard(served: Served, words: str) -> None:
    """Waits until the process has said something to the operator."""
    assert served.process.stderr
    while words.encode() not in (line := await served.process.stderr.readline()):
        assert line, f"it ended without saying {words!r}"


def assert_suspended(data: Path) -> None:
    """Checks that the logs of all matches end with their open turn, ready to go on."""
    logs = [read(path) for path in unfinished(data)]
    assert len(logs) == MATCHES
    assert all(verify(log).problem.startswith("unfinished") for log in logs)
    for log in logs:  # a machine that is busy may stand still meanwhile
        said = [record for record in log.records if not isinstance(record, ev.Stall)]
        assert isinstance(said[-1], ev.Turn)


def test_u3_an_interrupt_with_four_live_matches_closes_their_logs(tmp_path: Path) -> None:
    """It says how many run on and for how long; then all are suspended and the process ends."""

    async def play() -> None:
        tokens = registered(tmp_path)
        async with serve(tmp_path, "--time", "1h+0,bank=0", "--drain", "100ms") as served:
            clients = await busy(served, tokens)
            served.process.send_signal(signal.SIGINT)
            await heard(served, f"{MATCHES} matches run on")
            status, _, err = await served.ended()
            for client in clients:
                await client.close()

            assert status == 130
            assert f"{MATCHES} matches are suspended" in err
            assert_suspended(tmp_path)

    run(play())


def test_u3_an_interrupt_ends_at_once_however_long_draining_may_take(tmp_path: Path) -> None:
    """Four live matches run on for minutes after SIGTERM; an interrupt does not wait for them."""

    async def play() -> None:
        tokens = registered(tmp_path)
        async with serve(tmp_path, "--time", "1h+0,bank=0", "--drain", f"{LONG}s") as served:
            clients = await busy(served, tokens)
            served.process.send_signal(signal.SIGTERM)
            await heard(served, f"{MATCHES} matches run on for at most {LONG} s")
            assert served.process.returncode is None
            begin = time.monotonic()
            served.process.send_signal(signal.SIGINT)
            status, _, err = await served.ended()
            took = time.monotonic() - begin
            for client in clients:
                await client.close()

            assert status == 130
            assert took < PATIENCE < LONG / 5
            assert f"referee serve --data {tmp_path}" in err
            assert_suspended(tmp_path)

    run(play())


def test_u3_one_interrupt_suspends_soon_however_long_draining_may_take(tmp_path: Path) -> None:
    """A person who presses once does not wait for the limit that SIGTERM gives."""

    async def play() -> None:
        tokens = registered(tmp_path)
        async with serve(tmp_path, "--time", "1h+0,bank=0", "--drain", f"{LONG}s") as served:
            clients = await busy(served, tokens)
            served.process.send_signal(signal.SIGINT)
            status, _, err = await served.ended()
            for client in clients:
                await client.close()

            assert status == 130
            assert "press again to suspend them now" in err
            assert f"{MATCHES} matches are suspended; to go on within 60 s: " in err
            assert_suspended(tmp_path)

    run(play())
