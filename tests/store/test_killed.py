"""Processes killed in the middle of their work on the store."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.store import logs
from tests.store.seasons import season

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("work", ["sync", "rebuild"])
def test_p2_work_killed_at_any_statement_leaves_whole_results(
    tmp_path: Path, url: str | None, work: str
) -> None:
    """Nothing is half in the store, a rebuild shows the old results until it is done, bots are kept."""
    for each in season():
        logs.write(tmp_path, each)
    # PostgreSQL has a process to start for each connection.
    command = [sys.executable, "-m", "tests.store.killed_work", str(tmp_path), work, "9" if url else "3"]
    words = [*command, url] if url else command
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > (4 if url else 12)
