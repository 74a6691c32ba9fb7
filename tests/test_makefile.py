"""What people meet of the Makefile itself."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee.replay.reader import read
from tests.patience import PATIENCE
from tests.requirements import require

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def outermost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the make of a test the outermost one, also where `make test` runs the tests."""
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """Returns a folder that passes for an installed `.venv`, with the Python that runs the tests."""
    folder = tmp_path / "venv"
    (folder / "bin").mkdir(parents=True)
    for name, words in {"python": "", "referee": "-m referee"}.items():
        script = folder / "bin" / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    (folder / ".runtime").write_text(f"{ROOT}\n", encoding="utf-8")
    return folder


def test_an_interrupt_of_make_serve_is_no_error(environment: Path, tmp_path: Path) -> None:
    """Ctrl-C at `make serve` ends the server in order, and make has nothing to complain of."""
    require("make")
    with subprocess.Popen(
        ["make", f"VENV={environment}", "PORT=0", "serve"],
        cwd=ROOT,
        env={**os.environ, "REFEREE_DATA": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as make:
        assert make.stdout is not None
        try:
            assert make.stdout.readline().startswith("LISTENING ")
            os.killpg(make.pid, signal.SIGINT)
            _, said = make.communicate(timeout=PATIENCE)
        finally:
            if make.poll() is None:
                os.killpg(make.pid, signal.SIGKILL)
        assert "***" not in said


def test_help_lists_every_target_that_is_meant_for_people() -> None:
    """`make help` prints one line for each target, and each fits into the width of a terminal."""
    require("make")
    told = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)

    assert [line.split()[0] for line in told.splitlines()] == targets
    assert [line for line in told.splitlines() if len(line) > 100] == []


def test_run_plays_a_round_robin_of_the_sample_bots(environment: Path, tmp_path: Path) -> None:
    """`make run` plays every table over gRPC, prints the standings and says what to try next."""
    require("make")
    done = subprocess.run(
        ["make", f"VENV={environment}", "run"],
        cwd=ROOT,
        env={**os.environ, "REFEREE_DATA": str(tmp_path), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    logs = [read(path) for path in tmp_path.glob("replays/*/*/*/*.jsonl")]

    assert done.returncode == 0, done.stderr
    bots = {"easy", "normal", "expert", "first_bot"}
    assert {seat.name for log in logs for seat in log.setup.seats} == bots
    assert f"{len(logs)} matches played now; replays under {tmp_path / 'replays'}" in done.stdout
    assert all(f"referee {word} " in done.stdout for word in ("replay show", "replay verify", "standings"))
    assert all(word in done.stdout for word in (*bots, "rating"))
