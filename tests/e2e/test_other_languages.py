"""The sample bots in all languages, built as their README says, against the real server."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from referee.bot_project.languages import Language, languages
from referee.games import REGISTRY, names
from referee.games.base import Game
from tests.bot.scripted_referee import PATIENCE
from tests.e2e.commands import short
from tests.e2e.languages import BUILD_LIMIT, ROOT, Bots

pytestmark = pytest.mark.timeout(BUILD_LIMIT + 120)


@pytest.mark.parametrize("language", [language.name for language in languages()])
@pytest.mark.parametrize("game", REGISTRY, ids=names())
def test_a_whole_match(built: Bots, language: str, game: Game, tmp_path: Path) -> None:
    """The bot plays a whole match against house bots, to its end and without a fault, in every game."""
    words = [sys.executable, "-m", "referee", "match", "--seed", "7", "--json", "--data", str(tmp_path)]
    seats = max(3, game.info.min_seats)
    others = ("easy", "normal", "expert")[: seats - 1]
    done = subprocess.run(
        [*words, "--game", game.info.name, *short(game), shlex.join(built.command(language)), *others],
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


def test_a_build_leaves_the_tree_as_it_was(built: Bots) -> None:
    """The committed go.mod is what the build makes of it."""
    made = built.folder("go") / "go.mod"
    assert made.read_text() == (ROOT / "sample_bots" / "go" / "go.mod").read_text()


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_the_page_of_a_bot_has_its_commands(language: Language) -> None:
    """The README of a sample bot names the commands that build and run it, as they are listed."""
    page = (language.source() / "README.md").read_text(encoding="utf-8")
    assert [command for command in (*language.build, language.run) if command not in page] == []
