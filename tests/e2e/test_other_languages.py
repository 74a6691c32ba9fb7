"""The sample bots in all languages, built as their README says, against the real server."""

import json
import math
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.bot_project.languages import Language, languages
from referee.games import REGISTRY, names
from referee.games.base import Game
from tests.e2e.commands import short
from tests.e2e.languages import BUILD_LIMIT, FIGURE, ROOT, Bots
from tests.patience import PATIENCE

MATCH_LIMIT = PATIENCE
"""Seconds after which a match is said never to end."""

pytestmark = pytest.mark.timeout(7 * BUILD_LIMIT)


@pytest.mark.parametrize("game", REGISTRY, ids=names())
def test_all_languages_meet(
    built: Bots, game: Game, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """In every game the bots of all languages play a round robin, each whole matches and without a fault."""
    commands, left_out = built.commands()
    bots = [f"{name}={shlex.join(words)}" for name, words in commands.items()]
    seats = min(max(4, game.info.min_seats), game.info.max_seats)
    bots += [f"filler-{number}=easy" for number in range(len(bots), seats)]
    run = [sys.executable, "-m", "referee", "round-robin", "--seed", "7", "--json", "--data", str(tmp_path)]
    matches = math.ceil(2 * len(bots) / seats)
    done = subprocess.run(
        [*run, "--game", game.info.name, *short(game), "--seats", str(seats), "-n", str(matches), *bots],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=MATCH_LIMIT * matches,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    played = json.loads(done.stdout)
    (table,) = played["standings"]
    for line in (*left_out, *figures(game, table)):
        record_property(FIGURE, line)

    assert table["terminations"] == {"completed": matches}
    assert {row["name"]: row["faults"] for row in table["rows"]} == {bot.split("=")[0]: {} for bot in bots}
    assert [report["bot"] for report in played["reports"] if report["exit"]["code"] or report["killed"]] == []


def figures(game: Game, table: dict[str, Any]) -> Iterator[str]:
    """Yields a line for each language: how long it took, the way to it and back included, and its faults."""
    for row in sorted(table["rows"], key=lambda row: str(row["name"])):
        mean, longest = row["think_mean_us"] / 1000, row["think_longest_us"] / 1000
        yield (
            f"{game.info.name:14} {row['name']:12} {row['matches']:2} matches {row['turns']:4} turns"
            f"  mean {mean:6.2f} ms  longest {longest:7.2f} ms  {sum(row['faults'].values())} faults"
        )


SLOW = {
    "python": (
        "bot.py",
        {
            "def prepare() -> None:\n": "def prepare() -> None:\n    __import__('time').sleep(4)\n",
            "MatchStarted) -> None:\n": "MatchStarted) -> None:\n    __import__('time').sleep(4)\n",
        },
    ),
    "typescript": (
        "src/strategy.ts",
        {
            "Promise<void> {}": "Promise<void> { await new Promise((done) => setTimeout(done, 4000)); }",
            "MatchStarted): void {}": "MatchStarted) { for (const t = Date.now(); Date.now() < t + 4000;); }",
        },
    ),
    "go": (
        "strategy.go",
        {
            '"slices"': '"slices"\n\t"time"',
            "func prepare() {}": "func prepare() { time.Sleep(4 * time.Second) }",
            "MatchStarted) {}": "MatchStarted) { time.Sleep(4 * time.Second) }",
        },
    ),
}
"""What makes the hooks of a bot slow: its file, and what is put in place of what."""


@pytest.mark.parametrize("language", SLOW)
def test_u12_slow_hooks_are_charged_to_no_turn(built: Bots, language: str, tmp_path: Path) -> None:
    """A bot that needs 4 s before it connects, and 4 s before each match, is never late with 2 s a turn."""
    bot = shlex.join(built.variant(language, *SLOW[language]))
    run = [sys.executable, "-m", "referee", "match", "--json", "--game", "mexican_train"]
    run += ["--option", "deals=1", "--time", "2s+0,bank=0,start=30s", "--data", str(tmp_path)]
    done = subprocess.run(
        [*run, bot, "easy"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=MATCH_LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [place["faults"] for place in json.loads(done.stdout)["placements"]] == [{}, {}]


def test_a_build_leaves_the_tree_as_it_was(built: Bots) -> None:
    """A sample bot is built where it lies; the committed go.mod is what the build makes of it."""
    made = built.sample("go") / "go.mod"
    assert made.read_text() == (ROOT / "sample_bots" / "go" / "go.mod").read_text()


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_the_page_of_a_bot_has_its_commands(language: Language) -> None:
    """The README of a sample bot has the commands that build, run, try and check it, as they are listed."""
    page = (language.source() / "README.md").read_text(encoding="utf-8")
    bot = language.bot_command()
    match = shlex.join(("easy", "normal", "expert", bot)).replace("'", '"')
    commands = [*language.build, language.run, f"--game block_dominoes {match}\n", f"bot check -- {bot}\n"]
    assert [command for command in commands if command not in page] == []
    told = page[: page.index(language.run)]
    assert "needs an address and a token" in told, "who runs it as printed has to know what it lacks"
