"""`referee standings challenge` as a process."""

import json
from pathlib import Path

import pytest

from tests.e2e.test_standings_command import referee
from tests.store import logs
from tests.tournament.samples import result


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Makes a data root with challenges of two bots, and a match that is none."""
    for number, (bot, score, level) in enumerate(
        [("ann", 100, "easy"), ("ann", 20, "easy"), ("ann", 90, "expert"), ("bob", 70, "normal")]
    ):
        house = {f"{level}/{level}{copy}": 40 for copy in ("", "-2", "-3")}
        logs.write(tmp_path, result(number, {bot: score, **house}, tournament="cup", pairing=f"cup/{number}"))
    logs.write(tmp_path, result(9, {"ann": 100, "bob": 0}))
    return tmp_path


def test_the_leaderboard_shows_points_and_the_best_result_at_each_level(data: Path) -> None:
    """Points, won and played matches and the largest margin, with a legend."""
    shown = referee("standings", "challenge", "--data", str(data))
    lines = [line.split() for line in shown.stdout.splitlines()]

    assert (shown.returncode, shown.stderr) == (0, "")
    assert ["1", "ann", "110", "1/2,", "by", "60", "-", "1/1,", "by", "50"] in lines
    assert ["2", "bob", "30", "-", "1/1,", "by", "30", "-"] in lines
    assert "10 for easy, 30 for normal, 100 for expert" in shown.stdout
    assert shown.stdout.startswith("cup: block_dominoes")


def test_the_leaderboard_is_json_for_scripts(data: Path) -> None:
    """With --json, wherever it stands, the same comes as one object."""
    after = referee("standings", "challenge", "--tournament", "cup", "--json", "--data", str(data))
    before = referee("standings", "--json", "--data", str(data), "challenge")
    (board,) = json.loads(after.stdout)["leaderboards"]

    assert before.stdout == after.stdout
    assert (board["tournament"], board["game"]) == ("cup", "block_dominoes")
    assert [(row["place"], row["bot"], row["points"]) for row in board["rows"]] == [
        (1, "ann", 110),
        (2, "bob", 30),
    ]
    assert board["rows"][0]["levels"]["easy"] == {"matches": 2, "wins": 1, "margin": 60, "beyond": 0}


def test_no_challenge_is_said_so(data: Path) -> None:
    """Where none was played one line says where to read what a challenge is."""
    shown = referee("standings", "challenge", "--game", "ding_niu", "--data", str(data))

    assert (shown.returncode, shown.stdout) == (
        0,
        "No challenge was played; docs/formats.md tells what one is.\n",
    )
