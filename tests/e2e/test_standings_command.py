"""`referee standings` and `referee bot` as processes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.store.store import FILE
from tests.store import logs
from tests.tournament.samples import match_id, result


def referee(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Runs the command in a process of its own, as a person does."""
    return subprocess.run(
        [sys.executable, "-m", "referee", *arguments],
        capture_output=True,
        text=True,
        encoding=environment.get("PYTHONIOENCODING", "utf-8"),
        timeout=100,
        check=False,
        env={**os.environ, "COLUMNS": "140", "PYTHONIOENCODING": "utf-8", **environment},
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Makes a data root with the logs of some matches."""
    for number in range(6):
        scores = {"ann": 100, "[red]bob": 60 + number, "cyd": 60 + number, "dee": 0}
        logs.write(tmp_path, result(number, scores, faults={"dee": {"late": 2}}))
    logs.write(tmp_path, result(6, {"ann": 0, "dee": 0}, termination="no_show", at_fault=["dee"]))
    logs.write(tmp_path, result(7, {"ann": 0, "dee": 0}, termination="void"))
    return tmp_path


def test_u10_the_table_says_what_its_numbers_mean(data: Path) -> None:
    """The legend explains points, interval, score, rating and n, and no number is infinite (U10)."""
    shown = referee("standings", "--data", str(data))

    assert (shown.returncode, shown.stderr) == (0, "")
    for said in (
        "6 rated matches, 6 deal groups; ended: 6 completed, 1 no-show, 1 void",
        "95 % interval",
        "higher is better",
        "OpenSkill mu - 3 sigma",
        "score: mean per match, higher is better",
        "1.000 [1.00, 1.00]",
        "[red]bob 1",
        "12 late",
        "1 no-show, 1 void",
        "0-6-0-0",
    ):
        assert said in shown.stdout
    assert not re.search(r"\b(nan|inf)\b", shown.stdout, re.IGNORECASE)


def test_rebuild_prints_the_same_bytes(data: Path) -> None:
    """The JSON is the same before and after a rebuild, and from a fresh index."""
    first = referee("standings", "--data", str(data), "--json")
    rebuilt = referee("standings", "rebuild", "--data", str(data), "--json")
    (data / FILE).unlink()
    fresh = referee("standings", "show", "--json", REFEREE_DATA=str(data))

    assert first.stdout == rebuilt.stdout == fresh.stdout
    assert "index rebuilt: 8 matches, 0 new, 0 gone with their logs, 0 logs left out" in rebuilt.stderr
    (table,) = json.loads(first.stdout)["tables"]
    assert [(row["place"], row["bot"]) for row in table["rows"]] == [
        (1, "ann"),
        (2, "[red]bob"),
        (2, "cyd"),
        (4, "dee"),
    ]
    assert table["terminations"] == {"completed": 6, "no_show": 1, "void": 1}


def test_p2_a_spoiled_log_is_named_on_stderr(data: Path) -> None:
    """A log that cannot be trusted is left out by name, and the rest is shown (P2)."""
    spoiled = next(data.rglob(f"{match_id(2)}.jsonl"))
    spoiled.write_bytes(spoiled.read_bytes()[:-30])
    shown = referee("standings", "--data", str(data), "--json")

    assert shown.returncode == 0
    assert len(shown.stderr.splitlines()) == 1
    assert str(spoiled.name) in shown.stderr
    assert json.loads(shown.stdout)["tables"][0]["matches"] == 5


def test_standings_without_matches_say_so(tmp_path: Path) -> None:
    """An empty data root is no error; a missing one and an unknown game are."""
    assert "No finished match" in referee("standings", "--data", str(tmp_path)).stdout
    assert json.loads(referee("standings", "--data", str(tmp_path), "--json").stdout) == {"tables": []}
    for arguments in (["--data", str(tmp_path / "no")], ["--data", str(tmp_path), "--game", "block_domino"]):
        refused = referee("standings", *arguments)
        assert refused.returncode == 2
        assert len(refused.stderr.splitlines()) == 1
    assert referee("standings", "rebuild", "--data", str(tmp_path)).returncode == 2
    assert not (tmp_path / "no").exists()


def test_u6_standings_print_on_an_old_console(data: Path) -> None:
    """A console that knows few characters gets escapes, not an exception (U6)."""
    logs.write(data, result(9, {"ann": 9, "b🁣b": 0}))
    shown = referee("standings", "--data", str(data), PYTHONIOENCODING="cp437", PYTHONUTF8="0")

    assert shown.returncode == 0
    assert r"\U0001f063" in shown.stdout


def test_bot_add_prints_the_token_alone(tmp_path: Path) -> None:
    """The token can be captured from stdout; the hint is on stderr and does not repeat it."""
    added = referee("bot", "add", "Ann", "--owner", "alice", "--data", str(tmp_path))
    token = added.stdout.strip()

    assert added.returncode == 0
    assert re.fullmatch(r"rfb_[A-Za-z0-9_-]{43}\n", added.stdout)
    assert token not in added.stderr
    again = referee("bot", "add", "ann ", "--data", str(tmp_path))
    assert (again.returncode, again.stdout) == (2, "")
    assert len(again.stderr.splitlines()) == 1
    listed = referee("bot", "list", "--data", str(tmp_path))
    assert "alice" in listed.stdout
    assert token not in listed.stdout
    assert referee("bot", "revoke", "ANN", "--data", str(tmp_path)).returncode == 0
    bots = json.loads(referee("bot", "list", "--json", "--data", str(tmp_path)).stdout)["bots"]
    assert [(bot["bot_id"], bot["revoked"]) for bot in bots] == [("ann", True)]
    assert referee("bot", "revoke", "nobody", "--data", str(tmp_path)).returncode == 2
