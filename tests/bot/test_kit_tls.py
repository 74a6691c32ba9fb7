"""The bot kit over TLS, against a real server with a certificate of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.v1 import play_service_pb2 as play
from tests.bot import certificates
from tests.bot.scripted_referee import (
    Requests,
    ScriptedReferee,
    finish,
    goodbye,
    heard,
    say,
    start,
    turn,
    welcome,
)
from tests.patience import PATIENCE

FIRST_BOT = Path(__file__).parents[2] / "sample_bots" / "python" / "first_bot.py"


def one_turn(requests: Requests) -> Iterator[play.PlayResponse]:
    """Asks one turn and lets the bot go."""
    heard(requests, "hello")
    yield say(welcome(), turn("m", 1, 0x25))
    heard(requests, "act")
    yield say(goodbye())


def launch(address: str, *argv: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Runs the first bot to its end."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
    return subprocess.run(
        [sys.executable, str(FIRST_BOT), "--server", address, "--token", "secret", *argv],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_run_trusts_the_roots_that_it_is_given(tmp_path: Path) -> None:
    """With the path of a root certificate the kit plays over TLS, and its token travels encrypted."""
    made = certificates.make(tmp_path)
    with ScriptedReferee(one_turn, credentials=made.server) as referee:
        finish(start(referee.address, lambda _: 0, tls=made.authority))
    assert referee.authorizations == ["Bearer secret"]


@pytest.mark.parametrize("by_name", [False, True], ids=["--ca", "REFEREE_CA"])
def test_the_roots_come_from_the_command_line_or_the_environment(tmp_path: Path, *, by_name: bool) -> None:
    """`--ca FILE` and REFEREE_CA do the same, and a server may be named by host name."""
    made = certificates.make(tmp_path)
    with ScriptedReferee(one_turn, credentials=made.server) as referee:
        address = referee.address.replace("127.0.0.1", "localhost")
        argv: tuple[str, ...] = () if by_name else ("--ca", str(made.authority))
        environment = {"REFEREE_CA": str(made.authority)} if by_name else {}
        done = launch(address, *argv, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(referee.authorizations) == 1


@pytest.mark.parametrize(
    ("encrypted", "environment", "advice"),
    [
        (True, {"REFEREE_TLS": "1"}, "name the authority of its certificate with --ca or REFEREE_CA"),
        (False, {"REFEREE_TLS": "1"}, "the referee there speaks no TLS"),
        (True, {}, "if it wants TLS, set REFEREE_TLS=1 or give --tls"),
    ],
    ids=["unknown authority", "plain text", "TLS"],
)
def test_no_token_is_told_to_a_server_that_cannot_be_trusted(
    tmp_path: Path, *, encrypted: bool, environment: dict[str, str], advice: str
) -> None:
    """REFEREE_TLS trusts the well-known authorities only, and never falls back to plain text.

    One line says what to do, and gRPC says nothing beside it.
    """
    credentials = certificates.make(tmp_path).server if encrypted else None
    with (
        ScriptedReferee(one_turn, credentials=credentials) as referee,
        subprocess.Popen(
            [sys.executable, str(FIRST_BOT), "--server", referee.address, "--token", "secret"],
            env={**os.environ, **environment},
            stderr=subprocess.PIPE,
            text=True,
        ) as bot,
    ):
        assert bot.stderr is not None
        told = bot.stderr.readline()
        bot.terminate()
    assert told.startswith(f"bot: {referee.address}: UNAVAILABLE: ")
    assert f"; {advice}; trying again" in told
    assert referee.authorizations == []


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_file_without_certificates_is_explained(tmp_path: Path, content: str | None) -> None:
    """A root file that is missing or holds something else ends the bot with one line."""
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    done = launch("127.0.0.1:1", "--ca", str(path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"bot: {path}: ")
    assert done.stderr.endswith("name a file of root certificates in PEM with --ca or REFEREE_CA\n")
    assert done.stderr.count("\n") == 1
