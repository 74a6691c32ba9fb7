"""`referee serve --ladder` and `referee ladder` as processes of their own."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.store.decision_log import DecisionLog, decisions_path
from referee.tournament.decision import Accepted, Disqualified, Paused
from tests.e2e.commands import Command, eventually
from tests.patience import PATIENCE
from tests.ports import free_port

LADDER = """
[ladder]
name = "spring"
time = "20s+0,bank=0"
[games.mexican_train]
seats = 2
options = { deals = 1 }
[house]
levels = ["easy"]
wait = "10ms"
[practice]
levels = ["easy"]
"""
BOT = """
from referee.bot import main
main(lambda turn: turn.legal_actions[0], games=["mexican_train"], version="1")
"""


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Returns the command with the file of a ladder beside it."""
    (tmp_path / "ladder.toml").write_text(LADDER, encoding="utf-8")
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
    return Command(tmp_path)


@contextmanager
def served(command: Command, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Starts a ladder, and yields its process and its address."""
    with command.start("serve", "--ladder", "ladder.toml", *more) as process:
        assert process.stdout
        line = process.stdout.readline()
        assert line.startswith("LISTENING "), process.stderr and process.stderr.read()
        yield process, line.split()[1]


def play(command: Command, address: str, token: str, *more: str) -> subprocess.Popen[str]:
    """Starts a bot."""
    return subprocess.Popen(
        [sys.executable, "bot.py", *more],
        cwd=command.folder,
        env={**command.environment, "REFEREE_ADDRESS": address, "REFEREE_TOKEN": token},
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def accepted(folder: Path) -> int:
    """Counts the pairings that were accepted so far."""
    found = DecisionLog(decisions_path(folder, "spring")).read()
    return sum(isinstance(decision, Accepted) for decision in found)


def test_an_operator_looks_after_a_ladder_from_beginning_to_end(command: Command) -> None:
    """A bot is added, plays against house bots, is paused and resumed; the server drains and is gone."""
    with served(command) as (process, address):
        added = command.run("ladder", "add", "Deep", "--owner", "ann")
        token = added.stdout.strip()
        bot = play(command, address, token)
        eventually(lambda: accepted(command.folder) >= 2)
        paused = command.run("ladder", "pause", "deep", "--why", "loops for ever")
        assert paused.stdout == "Deep gets no more matches until it is resumed.\n"
        status = command.run("ladder", "status")
        _, told = command.json("ladder", "status")
        command.run("ladder", "resume", "Deep")
        eventually(lambda: accepted(command.folder) >= 4)
        frozen = command.run("ladder", "freeze", "--why", "tonight")
        assert re.fullmatch(r"The ladder is frozen; (no|1) match(es)? runs? on\.\n", frozen.stdout)
        assert "frozen: tonight" in command.run("ladder", "status").stdout
        assert command.run("ladder", "unfreeze").stdout == "The ladder goes on.\n"
        out = command.run("ladder", "disqualify", "deep", "--why", "two owners in one")
        assert out.stdout == "Deep is disqualified; none of its matches counts.\n"
        bot.terminate()
        bot.communicate()
        drained = command.run("ladder", "drain", "--limit", "5s")
        assert drained.stdout.startswith("The server drains; ")
        _, errors = process.communicate(timeout=PATIENCE)

    assert process.returncode == 0
    assert errors.startswith("ladder spring: mexican_train for 2; ")
    assert re.fullmatch(r"rfb_\S+", token)
    assert re.search(r"ladder spring: \d+ of 16 matches run", status.stdout)
    assert re.search(r"house bot easy: 1 process, \d match", status.stdout)
    assert re.search(r"Deep +ann +paused +1", status.stdout)
    assert told["ladder"]["ladder"] == "spring"
    assert [(one["bot_id"], one["state"]) for one in told["bots"]] == [("deep", "BOT_STATE_PAUSED")]
    decided = DecisionLog(decisions_path(command.folder, "spring")).read()
    assert [d.why for d in decided if isinstance(d, Paused | Disqualified)] == [
        "loops for ever",
        "two owners in one",
    ]
    assert command.left() == []
    audit = (command.folder / "audit.jsonl").read_text(encoding="utf-8")
    assert token not in audit
    assert [json.loads(line)["method"] for line in audit.splitlines()].count("PauseBot") == 1


def test_a_ladder_goes_on_after_the_server_was_killed(command: Command) -> None:
    """Kill -9 in the middle of matches: the same command goes on, and no pairing is decided twice."""
    port = str(free_port())
    with served(command, "--port", port) as (process, address):
        token = command.run("ladder", "add", "deep").stdout.strip()
        bot = play(command, address, token)
        eventually(lambda: accepted(command.folder) >= 2)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    eventually(lambda: not [line for line in command.left() if "house" in line])
    with served(command, "--port", port):
        before = accepted(command.folder)
        eventually(lambda: accepted(command.folder) >= before + 2)
        bot.terminate()
        bot.communicate()
        command.run("ladder", "drain", "--limit", "10s")

    decided = DecisionLog(decisions_path(command.folder, "spring")).read()
    pairings = [decision.pairing_id for decision in decided if isinstance(decision, Accepted)]
    assert len(set(pairings)) == len(pairings)
    assert command.run("replay", "verify", "replays").returncode == 0


def test_a_bot_of_the_kit_practises_and_leaves(command: Command) -> None:
    """It plays one match, which counts for nothing, and ends with status 0; refused, with 1."""
    with served(command) as (_, address):
        token = command.run("ladder", "add", "deep").stdout.strip()
        bot = play(command, address, token, "--practice", "easy", "--verbose")
        _, errors = bot.communicate(timeout=PATIENCE)
        assert bot.returncode == 0
        assert re.search(r"bot: match \S+: completed, place [12] of 2", errors)
        hard = play(command, address, token, "--practice", "expert")
        _, errors = hard.communicate(timeout=PATIENCE)
        assert hard.returncode == 1
        assert errors.splitlines() == [
            "bot: no practice: name one of the levels easy",
            f"bot: nothing was practised at {address}",
        ]
        command.run("ladder", "drain")
    assert accepted(command.folder) == 0


def test_errors_are_one_line_each(command: Command) -> None:
    """No server, no such bot, no reason, no ladder: what is wrong, and what to do."""
    done = command.run("ladder", "status")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(
        r"referee: no server runs for .*; start one with .*serve --ladder FILE.*\n", done.stderr
    )
    wrong = command.run("serve", "--ladder", "nonesuch.toml")
    assert wrong.returncode == 2
    assert re.fullmatch(r"referee: nonesuch.toml: no such file.*\n", wrong.stderr)
    both = command.run("serve", "--ladder", "ladder.toml", "--game", "guan_pai")
    assert both.returncode == 2
    assert re.fullmatch(r"referee: --game is for open tables; ladder.toml says what .*\n", both.stderr)
    spans: tuple[tuple[tuple[str, ...], str], ...] = (
        (("serve", "--drain", "banana"), "--drain 'banana' is no time; write it like 20s"),
        (("serve", "--drain", "5s+0,bank=60s"), "--drain '5s.0,bank=60s' is no time"),
        (("ladder", "drain", "--limit", "banana"), "--limit 'banana' is no time; write it like 20s"),
        (("ladder", "drain", "--limit", "1000h"), "--limit '1000h' is longer than 30 days"),
        (("ladder", "drain", "--limit", "0s"), "no server runs for"),
    )
    for given, problem in spans:
        refused = command.run(*given)
        assert re.fullmatch(rf"referee: {problem}.*\n", refused.stderr)
    with served(command):
        for words, problem in (
            (("add", "new\nline"), r"name 'new\\nline': 1 to 64 printable characters make a name"),
            (("add", "Seat 1"), "name 'Seat 1': opponents are told as 'seat 0'"),
            (("pause", "nobody", "--why", "x"), "no bot has the id 'nobody'"),
            (("freeze", "--why", " "), "note: say why, in one line"),
            (("match", "easy", "nobody", "--game", "mexican_train"), "no bot has the id 'nobody'"),
        ):
            done = command.run("ladder", *words)
            assert (done.returncode, done.stdout) == (2, ""), done.stderr
            assert re.fullmatch(rf"referee: {problem}.*\n", done.stderr)


def test_a_server_that_cannot_start_ends_in_one_line(command: Command) -> None:
    """Decisions that cannot be trusted: no traceback, and no house bot or socket is left."""
    path = decisions_path(command.folder, "spring")
    path.parent.mkdir(parents=True)
    path.write_text('{"nonsense":1}\n', encoding="utf-8")

    failed = command.run("serve", "--ladder", "ladder.toml")
    assert (failed.returncode, failed.stdout) == (1, "")
    told = [line for line in failed.stderr.splitlines() if not line.startswith(("{", "ladder spring: "))]
    assert len(told) == 1, failed.stderr
    assert re.match(r"referee: line 1: .*decisions.jsonl: the chain is broken", told[0])
    assert not (command.folder / "admin.sock").exists()
    assert command.left() == []
