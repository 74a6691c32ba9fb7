"""The sample bots in other languages, built as their README says, against the real server."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import grpc
import pytest

from referee.games import REGISTRY, names
from referee.games.base import Game
from referee.v1 import play_service_pb2 as play
from tests.bot import certificates
from tests.bot.scripted_referee import (
    PATIENCE,
    Refusal,
    Requests,
    ScriptedReferee,
    goodbye,
    heard,
    say,
    started,
    turn,
    welcome,
)
from tests.e2e.commands import short
from tests.requirements import cannot, require

ROOT = Path(__file__).parents[2]
BUILD_LIMIT = 600.0
"""Seconds for fetching and building what a bot needs."""

pytestmark = pytest.mark.timeout(BUILD_LIMIT + 120)


def build(folder: Path, language: str, command: Sequence[str]) -> Path:
    """Returns a copy of a sample bot's folder, built there; skips where its packages cannot be had."""
    copy = folder / "sample_bots" / language
    ignored = shutil.ignore_patterns("node_modules", "bin", "bot", "refereev1", "go.sum")
    shutil.copytree(ROOT / "sample_bots" / language, copy, ignore=ignored)
    (folder / "proto").symlink_to(ROOT / "proto")
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=BUILD_LIMIT, check=False)
    if done.returncode:
        tool = {"javascript": "node", "go": "go"}[language]
        cannot(f"the {language} bot cannot be built: {' '.join(done.stderr.split()[-40:])}", tool)
    return copy


@pytest.fixture(scope="module")
def javascript(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Returns the command of the bot in JavaScript."""
    require("node", "npm")
    install = ("npm", "install", "--no-package-lock", "--no-audit", "--no-fund")
    folder = build(tmp_path_factory.mktemp("javascript"), "javascript", install)
    return ["node", str(folder / "bot.mjs")]


@pytest.fixture(scope="module")
def go(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Returns the command of the bot in Go."""
    require("go", "make")
    protoc = f"PROTOC={sys.executable} -m grpc_tools.protoc"
    return [str(build(tmp_path_factory.mktemp("go"), "go", ("make", protoc)) / "bot")]


@pytest.fixture(params=["javascript", "go"])
def bot(request: pytest.FixtureRequest) -> list[str]:
    """Returns the command of each bot in turn."""
    command: list[str] = request.getfixturevalue(request.param)
    return command


@pytest.mark.parametrize("game", REGISTRY, ids=names())
def test_a_whole_match(bot: list[str], game: Game, tmp_path: Path) -> None:
    """The bot plays a whole match against house bots, to its end and without a fault, in every game."""
    words = [sys.executable, "-m", "referee", "match", "--seed", "7", "--json", "--data", str(tmp_path)]
    seats = max(3, game.info.min_seats)
    others = ("easy", "normal", "expert")[: seats - 1]
    done = subprocess.run(
        [*words, "--game", game.info.name, *short(game), shlex.join(bot), *others],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE * 2,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["termination"] == "completed"
    assert [place["faults"] for place in outcome["placements"]] == [{}] * seats


def test_a_build_leaves_the_tree_as_it_was(go: list[str]) -> None:
    """The committed go.mod is what the build makes of it."""
    made = Path(go[0]).parent / "go.mod"
    assert made.read_text() == (ROOT / "sample_bots" / "go" / "go.mod").read_text()


Launch: TypeAlias = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def launch(bot: list[str]) -> Iterator[Launch]:
    """Returns a function that starts the bot at an address; it is killed after the test."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(address: str, stderr: int | None = None, **more: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "REFEREE_ADDRESS": address, "REFEREE_TOKEN": "secret", **more}
        processes.append(subprocess.Popen(bot, env=environment, stderr=stderr))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


def test_it_comes_back_and_leaves_when_told(launch: Launch) -> None:
    """The bot answers a batch in one message, opens a lost stream again, and SIGTERM is a leave."""

    def first(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), started("a"), started("b"))
        assert [len(ready.entropy) for ready in heard(requests, "ready")] == [16, 16]
        yield say(turn("a", 1, 0x25, 0x66), turn("b", 4, 0x11))
        acts = heard(requests, "act")
        assert [(act.match_id, act.turn_id, act.action.block_dominoes.tile) for act in acts] == [
            ("a", 1, 0x25),
            ("b", 4, 0x11),
        ]
        raise Refusal(grpc.StatusCode.UNAVAILABLE, "gone")

    def second(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), play.PlayResponseFrame(ping=play.Ping(ping_id=7)))
        assert heard(requests, "pong")[0].ping_id == 7
        process.send_signal(signal.SIGTERM)
        heard(requests, "leave")
        yield say(goodbye())

    with ScriptedReferee(first, second) as referee:
        process = launch(referee.address)
        assert process.wait(PATIENCE) == 0
    assert referee.authorizations == ["Bearer secret"] * 2


def test_it_plays_over_tls(launch: Launch, tmp_path: Path) -> None:
    """With REFEREE_CA the bot finds a server that has a certificate of that authority."""
    made = certificates.make(tmp_path)

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), turn("a", 1, 0x25))
        assert heard(requests, "act")[0].action.block_dominoes.tile == 0x25
        yield say(goodbye())

    with ScriptedReferee(script, credentials=made.server) as referee:
        address = referee.address.replace("127.0.0.1", "localhost")
        assert launch(address, REFEREE_CA=str(made.authority)).wait(PATIENCE) == 0
    assert referee.authorizations == ["Bearer secret"]


def test_no_token_is_sent_in_plain_text_when_tls_is_asked_for(launch: Launch) -> None:
    """With REFEREE_TLS the bot does not talk to a server that has no TLS."""
    with ScriptedReferee() as referee:
        address = referee.address.replace("127.0.0.1", "localhost")
        process = launch(address, stderr=subprocess.PIPE, REFEREE_TLS="1")
        assert process.stderr is not None
        assert any(b"stream ended" in line for line in process.stderr)
    assert referee.authorizations == []


def test_it_stops_when_it_is_refused(launch: Launch) -> None:
    """The bot tries once when its token is wrong."""

    def script(_: Requests) -> Iterator[play.PlayResponse]:
        raise Refusal(grpc.StatusCode.UNAUTHENTICATED, "unknown token")
        yield

    with ScriptedReferee(script) as referee:
        assert launch(referee.address).wait(PATIENCE) == 1
    assert len(referee.authorizations) == 1
