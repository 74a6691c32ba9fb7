"""A process of tests that dies costs one test, whose name is told, and holds up none of the others."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("files", [1, 2, 3, 30])
@pytest.mark.parametrize("where", [0, 1, 2])
def test_all_tests_but_the_one_that_ended_its_process_pass(tmp_path: Path, files: int, where: int) -> None:
    """Wherever that test stands in its file, and its file among the others."""
    for number in range(files):
        lines = [f"def test_{name}(): pass\n" for name in "abc"]
        if number == files // 2:
            lines[where] = f"def test_{'abc'[where]}(): __import__('os')._exit(1)\n"
        (tmp_path / f"test_{number:02}.py").write_text("".join(lines), encoding="ascii")
    (tmp_path / "pytest.ini").touch()
    arguments = ["-n", "2", "--dist", "loadscope", "-p", "tests.together", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments, tmp_path],
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert re.search(rf"\b1 failed, {3 * files - 1} passed\b", done.stdout), done.stdout + done.stderr
    assert f"crashed while running 'test_{files // 2:02}.py::test_{'abc'[where]}'" in done.stdout
