"""`referee standings` and `referee bot` as processes."""

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from referee.store.store import FILE
from tests.patience import PATIENCE
from tests.store import logs
from tests.tournament.samples import match_id, result


def referee(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Runs the command in a process of its own, as a person does."""
    return subprocess.run(
        [sys.executable, "-m", "referee", *arguments],
        capture_output=True,
        text=True,
        encoding=environment.get("PYTHONIOENCODING", "utf-8"),
        timeout=PATIENCE,
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
        "8 matches ended: 6 completed, 1 no-show, 1 void; 6 count, of 6 deal groups.",
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


@pytest.mark.parametrize(("columns", "gone"), [("70", ["rating"]), ("50", ["score", "rating"])])
def test_u6_a_narrow_terminal_keeps_the_bots(data: Path, columns: str, gone: list[str]) -> None:
    """Ratings go first, then scores; no bot is folded or lost (U6)."""
    shown = referee("standings", "--data", str(data), COLUMNS=columns).stdout.splitlines()
    heading = next(line for line in shown if " bot " in line)

    assert all(word not in heading.split() for word in gone)
    assert {"bot", "n", "points"} <= set(heading.split())
    for name in ("ann 1", "[red]bob 1", "cyd 1", "dee 1"):
        assert any(f" {name} " in line for line in shown)


def test_u6_standings_in_ascii_are_straight(data: Path) -> None:
    """What stands for odd characters is chosen before the table is measured (U6)."""
    logs.write(data, result(9, {"ann": 9, "b\U0001f063b": 0}))
    shown = referee("standings", "--data", str(data), PYTHONIOENCODING="ascii").stdout.splitlines()
    start = next(at for at, line in enumerate(shown) if " bot " in line)

    assert any("+-" in line for line in shown[start : start + 7])
    assert not any(r"\xb1" in line for line in shown)
    assert len({len(line) for line in shown[start : start + 7]}) == 1


def test_k15_bots_of_one_name_are_told_apart_by_their_ids(tmp_path: Path) -> None:
    """Where name and version are the same the id follows, and nowhere else (K15)."""
    match = result(0, {"ann/bot": 9, "bob/bot": 5, "cyd": 1})
    named = [replace(seat, name="bot") if "/" in seat.bot else seat for seat in match.seats]
    logs.write(tmp_path, replace(match, seats=tuple(named)))
    shown = referee("standings", "--data", str(tmp_path)).stdout

    assert "bot 1 (ann/bot)" in shown
    assert "bot 1 (bob/bot)" in shown
    assert "cyd 1 " in shown
    assert "(cyd)" not in shown


def test_looking_makes_no_files(tmp_path: Path) -> None:
    """Standings and the register of an empty folder leave it empty."""
    assert referee("standings", "--data", str(tmp_path)).returncode == 0
    assert "No bot is registered" in referee("bot", "list", "--data", str(tmp_path)).stdout

    assert list(tmp_path.iterdir()) == []


def test_bot_add_prints_a_command_that_runs(tmp_path: Path) -> None:
    """The command that takes a token back is quoted for a shell and names the data folder."""
    added = referee("bot", "add", "it's $HOME \u00e9", "--data", str(tmp_path))
    words = shlex.split(added.stderr.partition("after: ")[2])

    assert words[1:] == ["-m", "referee", "bot", "revoke", "it's $HOME \u00e9", "--data", str(tmp_path)]
    assert referee(*words[3:]).returncode == 0
    refused = referee("bot", "add", "Easy", "--data", str(tmp_path))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ((), ["130 interrupted"]),
        (("match",), ["[NAME=]COMMAND", "Examples:", "target=100", "--unrated", "do not enter"]),
        (("round-robin",), ["[NAME=]COMMAND", "Examples:", "max_deals=1000", "--quiet", "--unrated"]),
        (("serve",), ["Examples:", "block_score=others"]),
        (("standings",), ["[COMMAND]"]),
    ],
)
def test_help_says_what_there_is(command: tuple[str, ...], told: list[str]) -> None:
    """Help texts have examples, the options of the games, and no Python types of arguments."""
    shown = referee(*command, "--help").stdout

    assert [text for text in told if text not in shown] == []
    assert "list[" not in shown
    assert "(.)" not in shown
