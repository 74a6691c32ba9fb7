"""What the tests of the command line share: the command as a process, and what it left running."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil

from referee.cli import app
from referee.games.base import Game
from tests.games.helpers import LENGTHS
from tests.patience import PATIENCE

HOPELESS = "import nonesuch\n"
"""A bot that ends before it connects."""
FIRST = """
from referee.bot import main
main(lambda turn: turn.legal_actions[0], games=["block_dominoes"], version="1")
"""
"""A bot that plays."""


def short(game: Game) -> list[str]:
    """Returns options that make a match short."""
    found = [option.name for option in game.info.options if option.name in LENGTHS]
    return [part for name in found for part in ("--option", f"{name}={LENGTHS[name]}")]


class Command:
    """`referee` with a folder of its own, which is also the home of its bots."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")},
            "HOME": str(folder),
            "COLUMNS": "120",
        }

    def bot(self, name: str, code: str) -> str:
        """Writes a bot and returns its command."""
        (self.folder / name).write_text(code, encoding="utf-8")
        return f"./{name}"

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a command to its end."""
        return subprocess.run(
            [sys.executable, "-m", "referee", *words],
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            encoding="utf-8",
            timeout=2 * PATIENCE,
            check=False,
        )

    def here(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a command in this process, which is quicker: one that starts nothing."""
        out, err = TextIOWrapper(BytesIO(), "utf-8"), TextIOWrapper(BytesIO(), "utf-8")
        home = patch.dict(os.environ, self.environment, clear=True)
        with home, chdir(self.folder), redirect_stdout(out), redirect_stderr(err):
            status = app.run(list(words))
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, status, out.read(), err.read())

    def json(self, *words: str) -> tuple[subprocess.CompletedProcess[str], Any]:
        """Runs a command with --json, and returns what it printed too."""
        done = self.run(*words, "--json")
        return done, json.loads(done.stdout)

    @contextmanager
    def start(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """Starts a command in a process group of its own, as a shell does; kills it at the end."""
        with subprocess.Popen(
            [sys.executable, "-m", "referee", *words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            process_group=0,
        ) as running:
            try:
                yield running
            finally:
                running.kill()

    def logs(self, pattern: str = "*.jsonl") -> list[Path]:
        """Returns the replay logs, oldest first."""
        return sorted(self.folder.glob(f"replays/*/*/*/{pattern}"))

    def left(self) -> list[str]:
        """Returns the command lines of processes that were started from here and are still alive."""
        found = []
        for process in psutil.process_iter():
            try:
                mine = process.environ().get("HOME") == str(self.folder)
                if mine and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(" ".join(process.cmdline()))
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return found


def eventually(true: Callable[[], object]) -> None:
    """Waits until something holds, and fails when it never does."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "never happened"
        time.sleep(0.02)
