"""What a test that hangs, or ends its process, costs the others: nothing, and its own place is told."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

ROOT = Path(__file__).parents[1]
WAITS = """
import asyncio

async def waits_for_ever():
    await asyncio.Event().wait()

async def asks():
    await asyncio.create_task(waits_for_ever())

def test_it():
    asyncio.run(asks())
"""

DEAF = """
import signal, time

def test_deaf():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    time.sleep(600)

def test_after():
    pass
"""


def told(folder: Path, *words: str) -> str:
    """Runs the tests in a folder as those of the project are run, and returns what is printed."""
    (folder / "pytest.ini").touch()
    plugins = ("-p", "tests.together", "-p", "tests.hung", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *words, folder],
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("files", [1, 2, 3, 30])
@pytest.mark.parametrize("where", [0, 1, 2])
def test_all_tests_but_the_one_that_ended_its_process_pass(tmp_path: Path, files: int, where: int) -> None:
    """Wherever that test stands in its file, and its file among the others."""
    for number in range(files):
        lines = [f"def test_{name}(): pass\n" for name in "abc"]
        if number == files // 2:
            lines[where] = f"def test_{'abc'[where]}(): __import__('os')._exit(1)\n"
        (tmp_path / f"test_{number:02}.py").write_text("".join(lines), encoding="ascii")
    said = told(tmp_path, "-n", "2", "--dist", "loadscope")
    assert re.search(rf"\b1 failed, {3 * files - 1} passed\b", said), said
    assert f"crashed while running 'test_{files // 2:02}.py::test_{'abc'[where]}'" in said


def test_a_test_that_hangs_tells_where_its_tasks_wait(tmp_path: Path) -> None:
    """It fails by itself, with the line that each task of its loop stands at."""
    (tmp_path / "test_it.py").write_text(WAITS, encoding="ascii")
    said = told(tmp_path, "--timeout", "3", "--timeout-method", "signal")
    assert "Failed: Timeout (>3.0s) from pytest-timeout." in said
    assert "await asyncio.Event().wait()" in said
    assert "await asyncio.create_task(waits_for_ever())" in said


def test_a_test_that_hears_no_signal_is_ended_with_its_process(tmp_path: Path) -> None:
    """Some seconds after its time, with the line that it stands at; the others are tested."""
    (tmp_path / "conftest.py").write_text("import tests.hung\n\ntests.hung.GRACE = 1\n", encoding="ascii")
    (tmp_path / "test_it.py").write_text(DEAF, encoding="ascii")
    said = told(tmp_path, "--timeout", "1", "--timeout-method", "signal", "-n", "2", "--dist", "loadscope")
    assert re.search(r"\b1 failed, 1 passed\b", said), said
    assert 'test_it.py", line 6 in test_deaf' in said
    assert "crashed while running 'test_it.py::test_deaf'" in said
