"""`referee store` and `--store` as a person uses them."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.store.decision_log import DecisionLog, decisions_path
from referee.store.store import FILE
from referee.tournament.decision import Opened
from tests.patience import PATIENCE
from tests.store import logs
from tests.store.seasons import season


def referee(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Runs the command in a process of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
    return subprocess.run(
        [sys.executable, "-m", "referee", *words],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
        env={**clean, "COLUMNS": "140", **environment},
    )


def test_a_whole_data_root_is_backed_up_and_restored(tmp_path: Path, url: str | None) -> None:
    """By the steps of the documentation: the store into a file, after it the folders of the record."""
    data, safe, new = tmp_path / "data", tmp_path / "safe", tmp_path / "new"
    safe.mkdir()
    place = ["--data", str(data), *(["--store", url] if url else [])]
    for each in season():
        logs.write(data, each)
    DecisionLog(decisions_path(data, "cup")).append(Opened(at=1, tournament="cup", file="00"))
    token = referee("bot", "add", "Ann", *place).stdout.strip()
    before = referee("standings", *place, "--json").stdout
    done = referee("store", "backup", str(safe / "store.db"), *place)
    assert done.stdout.startswith(f"{safe / 'store.db'}: 14 results and 1 bot\nto restore it: ")
    for folder in ("replays", "tournaments"):
        shutil.copytree(data / folder, safe / folder)
    shutil.rmtree(data)

    for folder in ("replays", "tournaments"):
        shutil.copytree(safe / folder, new / folder)
    done = referee("store", "restore", str(safe / "store.db"), "--data", str(new))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "restored: 14 results and 1 bot\nfrom the logs: 0 further results, 0 logs left out\n"
    )
    assert referee("standings", "--data", str(new), "--json").stdout == before
    assert referee("standings", "rebuild", "--data", str(new), "--json").stdout == before
    assert token.startswith("rfb_")
    (bot,) = json.loads(referee("bot", "list", "--data", str(new), "--json").stdout)["bots"]
    assert bot["name"] == "Ann"
    assert DecisionLog(decisions_path(new, "cup")).read() == [Opened(at=1, tournament="cup", file="00")]


def test_the_store_tells_what_it_holds(tmp_path: Path, url: str | None) -> None:
    """By lines for a person and as JSON; the URL may be in the environment."""
    environment = {"REFEREE_DATA": str(tmp_path), **({"REFEREE_STORE": url} if url else {})}
    logs.write(tmp_path, season()[0])
    referee("standings", **environment)
    printed = referee("store", "info", **environment).stdout.splitlines()
    told = json.loads(referee("store", "info", "--json", **environment).stdout)

    assert [line.split()[0] for line in printed] == ["store", "database", "results", "bots"]
    assert printed[2] == "results   1, newest match 2023-11-14 22:13:20Z"
    assert (told["kind"], told["results"], told["bots"], told["unread"]) == (
        ("postgresql" if url else "sqlite"),
        1,
        0,
        0,
    )
    assert told["size"] > 0
    assert (tmp_path / FILE).exists() == (url is None)


@pytest.mark.parametrize("words", [("store", "info"), ("store", "backup", "x.db"), ("bot", "list")])
def test_looking_at_a_store_that_is_not_there_makes_none(tmp_path: Path, words: tuple[str, ...]) -> None:
    """A mistyped folder is said, and stays empty."""
    done = referee(*words, "--data", str(tmp_path))

    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_password_is_never_printed(tmp_path: Path) -> None:
    """Neither where the database is not reached, nor in a command that is printed to be run again."""
    url = "postgresql://ann:geheim@127.0.0.1:1/arena"
    done = referee("bot", "add", "Ann", "--data", str(tmp_path), "--store", url)
    assert done.returncode == 1
    assert done.stderr.startswith("referee: postgresql://ann@127.0.0.1:1/arena: does not answer (")
    assert done.stderr.count("\n") == 1
    assert "geheim" not in done.stdout + done.stderr

    for words in (("match", "easy", "easy", "easy", "easy"), ("serve", "--store", url), ("standings",)):
        done = referee(*words, "--data", str(tmp_path), REFEREE_STORE=url)
        assert done.returncode == 1
        assert "geheim" not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def test_a_printed_command_names_the_store_unless_the_environment_does(tmp_path: Path) -> None:
    """What is printed runs as it stands."""
    url = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    printed = referee("bot", "add", "Ann", "--data", str(tmp_path), "--store", url).stderr
    words = shlex.split(printed.partition("after: ")[2])
    assert words[-2:] == ["--store", url]
    done = referee(*words[words.index("bot") :])
    assert "The token of Ann is revoked" in done.stdout

    printed = referee("bot", "add", "Bob", "--data", str(tmp_path), REFEREE_STORE=url).stderr
    assert "--store" not in printed
