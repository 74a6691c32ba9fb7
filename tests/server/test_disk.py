"""A server whose disk is full, whose folder turns read-only, or whose database vanishes."""

import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import grpc
import psutil
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.match import events as ev
from referee.replay.reader import examine, read, scan, unfinished
from referee.replay.verify import verify
from referee.server import logs
from referee.store.store import Store
from referee.v1 import match_pb2
from referee.v1 import play_service_pb2 as pb
from tests.disks import small_disk
from tests.patience import PATIENCE
from tests.requirements import cannot
from tests.server.client import Client, act, finish, frame, ready, room, run, until
from tests.server.serving import CALM, Served, registered, serve

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: prlimit, tmpfs, capabilities")

PRIVILEGED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--")
"""Makes of root a user to whom the permissions of files apply."""


class Eager(Client):
    """A bot that is always ready, and answers turns only while it is `auto`."""

    def _take(self, got: pb.PlayResponseFrame) -> list[pb.PlayRequestFrame]:
        answers = super()._take(got)
        return [ready(got.match_started)] if got.WhichOneof("frame") == "match_started" else answers


async def crew(address: str, tokens: dict[str, str]) -> list[Client]:
    """Returns a bot for each token."""
    return [await Eager(address, token, auto=False).hello() for token in tokens.values()]


async def health(address: str) -> int:
    """Returns what the server says of itself to whoever balances load."""
    async with aio.insecure_channel(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(service="referee.v1.PlayService"))
        return int(answer.status)


async def some_matches(clients: list[Client], count: int) -> None:
    """Lets the bots play until so many matches have ended, and stops in the next one, at a turn."""
    await play_on(clients)
    await until(lambda: len(clients[0].all("match_ended")) >= count)
    for client in clients:
        client.auto = False
    await until(lambda: any(open_turns(client) for client in clients))


async def play_on(clients: list[Client]) -> None:
    """Lets the bots answer from now on, what is open first."""
    for client in clients:
        client.auto = True
        for turn in open_turns(client):
            await client.send(act(turn))


def open_turns(client: Client) -> list[pb.Turn]:
    """Returns the turns that a bot has not answered, in matches that go on."""
    over = {ended.match_id for ended in client.all("match_ended")}
    turns = [turn for turn in client.all("turn") if turn.match_id not in over]
    return [turn for turn in turns if (turn.match_id, turn.turn_id) not in client.answered]


async def play_into(trouble: Callable[[Served], None], data: Path, tokens: dict[str, str]) -> str:
    """Plays matches, brings the trouble in the middle of one, and plays on; returns what the server said.

    Demands what has to be true of each trouble: nobody hears of an end that is not kept, all are sent
    away, the server says why in one line, and stays to tell everybody who asks that it serves no more.
    """
    async with serve(data, "--time", CALM, "--drain", "1ms") as served:
        clients = await crew((await served.listening()).address, tokens)
        await some_matches(clients, 2)
        trouble(served)
        await play_on(clients)
        for client in clients:
            assert (await client.expect("goodbye")).reason == pb.GOODBYE_REASON_DRAINING
        told = {end.match_id: end for client in clients for end in client.all("match_ended")}
        for client in clients:
            await client.close()
        assert await health(served.address) == health_pb2.HealthCheckResponse.NOT_SERVING
        late = Client(served.address, tokens["a"])
        await late.send(frame(hello=pb.Hello(**late._hello)))
        assert (await late.status())[0] is grpc.StatusCode.UNAVAILABLE
        await late.close()
        served.process.terminate()
        status, _, err = await served.ended()

    assert status == 0
    assert "Traceback" not in err
    kept = {path.stem: read(path).end for path in scan(data)}
    for match_id, ended in told.items():
        name = match_pb2.Termination.Name(ended.termination)[12:].lower()
        assert name == (kept[match_id].termination if match_id in kept else "void")  # type: ignore[union-attr]
    assert [end.termination for end in kept.values() if end].count("completed") == len(kept) >= 2
    assert all(examine(path).fault is None for path in unfinished(data))
    return err


async def recover(data: Path, tokens: dict[str, str], left: int, end: str = "void") -> None:
    """Starts a server again, plays, and demands that no match is lost, half, or counted twice.

    `left` matches were cut off, and come to this end: void where their bots were told that they are.
    """
    cut_off = [examine(path).setup.match_id for path in unfinished(data)]
    assert len(cut_off) == left
    async with serve(data, "--time", CALM, "--drain", "1ms") as served:
        clients = await crew((await served.listening()).address, tokens)
        await some_matches(clients, 2)
        assert await health(served.address) == health_pb2.HealthCheckResponse.SERVING
        for client in clients:
            await client.close()
        served.process.terminate()
        await asyncio.wait_for(served.process.wait(), PATIENCE)
    finished = {path.stem: read(path) for path in scan(data)}
    secrets = list(data.glob("replays/**/*.secret"))
    for log in finished.values():
        assert verify(log).ok
    for match_id in cut_off:
        assert finished[match_id].end.termination == end  # type: ignore[union-attr]
        assert not [one for one in finished[match_id].records if isinstance(one, ev.Default)]
    assert len(secrets) == len(list(unfinished(data)))
    with Store.under(data) as store:
        assert sorted(one.match_id for one in store.results()) == sorted(finished)


def test_p1_a_full_disk_voids_what_runs_and_costs_nothing_that_ended(tmp_path: Path) -> None:
    """The disk fills up in the middle of a match; with room again the server goes on as if new."""
    with small_disk(tmp_path / "disk") as data:
        tokens = registered(data)
        filler = data / "filler"

        def fill(_: Served) -> None:
            with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
                while True:
                    file.write(bytes(512))

        async def play() -> None:
            err = await play_into(fill, data, tokens)
            assert "No space left on device; free some space" in err
            filler.unlink()
            await recover(data, tokens, left=1)

        run(play())


def test_p1_a_file_that_may_not_grow_is_a_full_disk(tmp_path: Path) -> None:
    """The same by a limit of the process, which takes no right to mount; the index fails with the log."""
    tokens = registered(tmp_path)

    def limit(served: Served) -> None:
        psutil.Process(served.process.pid).rlimit(psutil.RLIMIT_FSIZE, (1_000, -1))

    async def play() -> None:
        err = await play_into(limit, tmp_path, tokens)
        assert "File too large; free some space" in err
        await recover(tmp_path, tokens, left=1)

    run(play())


@pytest.mark.parametrize("when", ["running", "starting"])
def test_p1_a_folder_that_turns_read_only_is_no_end_that_nobody_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """A log that cannot get its name, or be made, is not told as one that was."""
    tokens = registered(tmp_path)
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            cannot("needs setpriv to run as root", "setpriv")
        python = tmp_path / "python"
        python.write_text(f'#!/bin/sh\nexec {" ".join(PRIVILEGED)} {sys.executable} "$@"\n')
        python.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(python))
    days: list[Path] = []

    def protect(_: Served) -> None:
        days.append(next(scan(tmp_path)).parent)
        days[0].chmod(0o555)

    async def start() -> None:
        (tmp_path / "replays").mkdir(mode=0o555)
        async with serve(tmp_path, "--time", CALM, "--drain", "1ms") as served:
            address = (await served.listening()).address
            clients = [await Client(address, token).hello() for token in tokens.values()]
            for client in clients:
                await client.expect("goodbye")
                assert not client.matches
                await client.close()
        (tmp_path / "replays").chmod(0o755)

    async def play() -> None:
        if when == "starting":
            await start()
        else:
            err = await play_into(protect, tmp_path, tokens)
            days[0].chmod(0o755)
            assert "Permission denied; choose another folder with --data" in err
        await recover(tmp_path, tokens, left=when == "running")

    run(play())


def test_p2_a_database_that_vanishes_costs_no_match(tmp_path: Path) -> None:
    """Matches go on, since the logs are the truth; what the new database lacks is read from them."""
    tokens = registered(tmp_path)

    async def play() -> None:
        async with serve(tmp_path, "--time", CALM, "--drain", "1ms") as served:
            clients = await crew((await served.listening()).address, tokens)
            await some_matches(clients, 2)
            for file in tmp_path.glob("referee.db*"):
                file.unlink()
            await some_matches(clients, 5)
            for client in clients:
                assert client.goodbye is None
                await client.close()
            served.process.kill()
            _, _, err = await served.ended()
        assert "Traceback" not in err
        assert len(list(scan(tmp_path))) >= 5
        with Store.under(tmp_path) as store:
            store.sync(tmp_path)
            assert sorted(one.match_id for one in store.results()) == [path.stem for path in scan(tmp_path)]
        await recover(tmp_path, registered(tmp_path), left=1, end="completed")

    run(play())


def test_a_log_of_the_operator_that_cannot_be_written_ends_no_match(tmp_path: Path) -> None:
    """Its lines are lost where the disk is full; the matches go on, and so does their record."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots()
            outcomes = [await finish(hall.play(), *clients) for _ in range(2)]
        assert [outcome.termination for outcome in outcomes] == ["completed"] * 2

    full = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115  closing it fails, too
    try:
        logs.configure(stream=full)
        run(play())
    finally:
        logs.configure()
        with contextlib.suppress(OSError):
            full.close()
    assert len(list(scan(tmp_path))) == 2


def test_p1_a_process_without_a_free_descriptor_plays_on_when_it_has_one(tmp_path: Path) -> None:
    """What runs ends as ever, nothing begins, nobody is sent away, and matches begin again by themselves."""
    tokens = registered(tmp_path)

    async def play() -> None:
        async with serve(tmp_path, "--time", CALM, "--drain", "1ms") as served:
            clients = await crew((await served.listening()).address, tokens)
            await some_matches(clients, 2)
            process = psutil.Process(served.process.pid)
            _, most = before = process.rlimit(psutil.RLIMIT_NOFILE)
            process.rlimit(psutil.RLIMIT_NOFILE, (3, most))
            await play_on(clients)
            assert served.process.stderr
            while b"no match is started for a moment" not in (
                await asyncio.wait_for(served.process.stderr.readline(), PATIENCE)
            ):
                pass
            await until(lambda: all(len(client.all("match_ended")) == 3 for client in clients))
            process.rlimit(psutil.RLIMIT_NOFILE, before)
            await some_matches(clients, 5)
            assert await health(served.address) == health_pb2.HealthCheckResponse.SERVING
            assert [client.goodbye for client in clients] == [None] * 4
            for client in clients:
                await client.close()
            served.process.terminate()
            status, _, err = await served.ended()
        assert status == 0
        assert "Traceback" not in err
        ends = [end.termination for path in scan(tmp_path) if (end := read(path).end)]
        assert ends == ["completed"] * len(ends)
        assert len(ends) >= 5
        await recover(tmp_path, tokens, left=1, end="completed")

    run(play())
