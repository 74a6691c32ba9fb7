"""The sample bots of all languages as bots that dial in: many matches at once, a restart, a long idle."""

import json
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.v1 import play_service_pb2 as play
from tests.bot.scripted_referee import (
    Requests,
    Script,
    ScriptedReferee,
    goodbye,
    heard,
    say,
    welcome,
)
from tests.e2e.commands import Command, eventually
from tests.e2e.languages import BUILD_LIMIT, ROOT, Bots, Process
from tests.e2e.tap import Tap
from tests.patience import PATIENCE
from tests.ports import free_port

pytestmark = pytest.mark.timeout(7 * BUILD_LIMIT)

PING = play.PlayResponseFrame(ping=play.Ping(ping_id=1))
SLEEPER = """
import time
from referee.bot import main
slept = []
def choose(turn):
    if not slept:
        slept.append(time.sleep({seconds}))
    return 0
main(choose, games=["mexican_train"], version="1")
"""
"""A bot that takes its time, once, so that all others at its table wait."""
IDLE_LIMIT = 2 * PATIENCE
"""Seconds for all but the idle of a match with one."""


@contextmanager
def serving(folder: Path, port: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Starts a server of all games that stops without waiting for matches; yields it and its address."""
    words = [sys.executable, "-m", "referee", "serve", "--data", str(folder), "--port", port, "--drain", "0s"]
    with (
        (folder / "serve.log").open("a", encoding="utf-8") as log,
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True) as server,
    ):
        assert server.stdout is not None
        try:
            yield server, server.stdout.readline().removeprefix("LISTENING ").strip()
        finally:
            server.kill()


def ended(bot: Process) -> int:
    """Counts the matches of which a bot has told the end."""
    return sum(line.count("COMPLETED") or line.count("completed") for line in bot.lines())


@contextmanager
def playing(
    referee: Command, commands: Mapping[str, list[str]], address: str
) -> Iterator[dict[str, Process]]:
    """Registers and starts bots that dial in; kills those that have not ended in the end."""
    bots: dict[str, Process] = {}
    try:
        for name, words in commands.items():
            token = referee.run("bot", "add", name).stdout.strip()
            environment = {"REFEREE_ADDRESS": address, "REFEREE_TOKEN": token}
            bots[name] = Process(words, referee.folder / f"{name}.stderr", environment)
        yield bots
    finally:
        for bot in bots.values():
            bot.kill()


def test_matches_of_all_languages_go_on_over_a_restart(built: Bots, tmp_path: Path) -> None:
    """Bots of all languages play many matches at once, come back to a server that is restarted, and leave.

    None has a fault, and every match that had begun is played to its end.
    """
    referee = Command(tmp_path)
    commands, _ = built.commands()
    easy = [sys.executable, str(ROOT / "sample_bots" / "house" / "easy.py"), "--verbose"]
    commands |= {f"filler-{number}": easy for number in range(len(commands), 4)}
    port = str(free_port())
    with serving(tmp_path, port) as (server, address), playing(referee, commands, address) as bots:
        eventually(lambda: all(map(ended, bots.values())))
        server.terminate()
        server.wait(PATIENCE)
        before = {name: ended(bot) for name, bot in bots.items()}
        with serving(tmp_path, port):
            eventually(lambda: all(ended(bot) > before[name] + 8 for name, bot in bots.items()))
            for bot in bots.values():
                bot.signal(signal.SIGTERM)
            assert {name: bot.wait() for name, bot in bots.items()} == dict.fromkeys(bots, 0)
    told = (tmp_path / "serve.log").read_text(encoding="utf-8")
    tables = json.loads(referee.run("standings", "--json").stdout)["tables"]

    assert told.count('"match resumed"') > 1
    rows = [row for table in tables for row in table["rows"]]
    assert {(row["name"], *row["faults"]) for row in rows} == {(name,) for name in bots}
    assert [reason for table in tables for reason in table["terminations"]] == ["completed"] * len(tables)


@pytest.mark.parametrize("seconds", [90, pytest.param(600, marks=pytest.mark.soak)])
def test_d18_a_long_idle_ends_no_stream(built: Bots, seconds: int, tmp_path: Path) -> None:
    """While one bot thinks, the streams of all languages stay open, with pings as usual and every 10 s."""
    sleeper = tmp_path / "sleeper.py"
    sleeper.write_text(SLEEPER.format(seconds=seconds), encoding="utf-8")
    commands, _ = built.commands()
    run = [sys.executable, "-m", "referee", "match", "--json", "--data", str(tmp_path)]
    run += ["--game", "mexican_train", "--option", "deals=1", "--time", f"{seconds + 60}s+0,bank=0"]
    usual = [f"{name}={shlex.join(words)}" for name, words in commands.items()]
    often = [bot.replace("=", "=env REFEREE_KEEPALIVE=10 ", 1) for bot in usual]
    matches = [
        subprocess.Popen([*run, *bots, str(sleeper)], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        for bots in (usual, often)
    ]
    for match in matches:
        outcome = json.loads(match.communicate(timeout=seconds + IDLE_LIMIT)[0])
        assert outcome["termination"] == "completed"
        assert [place["faults"] for place in outcome["placements"]] == [{}] * (len(commands) + 1)


def each_behind_a_tap(
    built: Bots, folder: Path, scripts: Callable[[str, Tap], tuple[Script, ...]]
) -> dict[str, int]:
    """Runs the bot of each language, with pings every 10 s, to its end: all at once, each at its own referee.

    Returns the statuses.
    """
    commands, _ = built.commands()

    def watch(name: str, words: list[str]) -> int:
        with ScriptedReferee(*scripts(name, tap := Tap())) as referee, tap.to(referee.address):
            environment = {"REFEREE_ADDRESS": tap.address, "REFEREE_TOKEN": "secret"}
            bot = Process(words, folder / name, {**environment, "REFEREE_KEEPALIVE": "10"})
            try:
                return bot.wait(2 * PATIENCE)
            finally:
                bot.kill()

    with ThreadPoolExecutor(len(commands)) as threads:
        running = {name: threads.submit(watch, name, words) for name, words in commands.items()}
        return {name: done.result() for name, done in running.items()}


def test_pings_go_out_as_often_as_asked_for(built: Bots, tmp_path: Path) -> None:
    """With REFEREE_KEEPALIVE=10 each bot pings on a connection that has been quiet for that long."""
    pinged: dict[str, bool] = {}

    def scripts(name: str, tap: Tap) -> tuple[Script, ...]:
        def quiet(requests: Requests) -> Iterator[play.PlayResponse]:
            heard(requests, "hello")
            yield say(welcome())
            pinged[name] = tap.pinged.wait(PATIENCE)
            yield say(goodbye())

        return (quiet,)

    statuses = each_behind_a_tap(built, tmp_path, scripts)
    assert statuses == dict.fromkeys(pinged, 0)
    assert pinged == dict.fromkeys(statuses, True)


@pytest.mark.soak
def test_d2_a_connection_that_is_lost_without_a_word_is_found_out(built: Bots, tmp_path: Path) -> None:
    """Where nothing comes through any more and nobody hangs up, the pings tell, and the bot comes back."""

    def scripts(_: str, tap: Tap) -> tuple[Script, ...]:
        back = threading.Event()

        def lost(requests: Requests) -> Iterator[play.PlayResponse]:
            heard(requests, "hello")
            yield say(welcome(), PING)
            heard(requests, "pong")
            tap.lose()
            assert back.wait(2 * PATIENCE)

        def found(requests: Requests) -> Iterator[play.PlayResponse]:
            heard(requests, "hello")
            back.set()
            yield say(welcome(), goodbye())

        return lost, found

    statuses = each_behind_a_tap(built, tmp_path, scripts)
    assert statuses == dict.fromkeys(statuses, 0)
