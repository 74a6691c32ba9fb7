"""What the commands show on a terminal, and only there."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.commands import Command
from tests.patience import PATIENCE

HOUSE = ("easy", "normal", "expert", "easy")
SHORT = ("--seed", "1", "--option", "target=10")
ROUND_ROBIN = ("round-robin", *HOUSE, "--matches", "4", *SHORT)
CASES = {"round-robin": (ROUND_ROBIN, "4/4"), "match": (("match", *HOUSE, *SHORT), "playing")}


def seen(referee: Command, words: tuple[str, ...]) -> str:
    """Runs a command whose stderr is a terminal, and returns what that shows."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "referee", *words],
        cwd=referee.folder,
        env={**referee.environment, "TERM": "xterm"},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ) as running:
        os.close(theirs)
        shown = b""
        try:
            while data := os.read(ours, 4096):
                shown += data
        except OSError:  # so Linux says that the last process has closed the terminal
            pass
        finally:
            os.close(ours)
        assert running.wait(PATIENCE) == 0
    return shown.decode()


@pytest.mark.parametrize("command", CASES)
def test_progress_is_shown_on_a_terminal_only(command: str, tmp_path: Path) -> None:
    """The progress goes to a terminal; a pipe gets none of it."""
    words, progress = CASES[command]
    referee = Command(tmp_path)

    assert progress in seen(referee, words)
    assert "\x1b[?25h" in seen(referee, words), "the cursor is shown again"
    piped = referee.run(*words)
    assert piped.stderr == ""
    assert "\x1b" not in piped.stdout
