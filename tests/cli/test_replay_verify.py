"""`referee replay verify` with many files: several at a time, in order, ended by an interrupt."""

import multiprocessing
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from referee.cli.app import run
from referee.cli.replay_check import Checked, check_all
from referee.errors import RefereeError
from tests.replay.golden import FOLDER

LIMIT = 60.0
"""How long a command may take before a test fails, in seconds."""
COMMAND = [sys.executable, "-m", "referee", "replay", "verify"]


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Returns a folder of goldens and of damaged ones, a third of them bad."""
    for at, path in enumerate(sorted(FOLDER.glob("*/*.jsonl"))):
        data = path.read_bytes()
        if at % 3 == 1:
            data = data.replace(b'"kind":"turn"', b'"kind":"Turn"', 1)
        (tmp_path / f"{at:02}.jsonl").write_bytes(data)
    return tmp_path


def lines(folder: Path, jobs: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """Returns the status and the lines of a check."""
    status = run(["replay", "verify", "--jobs", jobs, str(folder)])
    out, err = capsys.readouterr()
    assert err == ""
    return status, out.splitlines()


@pytest.fixture
def _interrupts() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


pytestmark = pytest.mark.usefixtures("_interrupts")


def test_many_at_a_time_are_told_as_one_by_one(many: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The lines are those of a check of one at a time, in the order of the files, with its status."""
    status, told = lines(many, "1", capsys)
    assert status == 1
    assert [line.split(":")[0] for line in told] == [str(path) for path in sorted(many.iterdir())]
    bad = [line for line in told if ": good: " not in line]
    assert len(told) > 2 * len(bad) > 0
    assert all(": line " in line for line in bad)
    assert lines(many, "3", capsys) == (status, told)
    assert lines(FOLDER, "2", capsys)[0] == 0


def test_each_check_is_counted_as_it_ends(many: Path) -> None:
    """Whoever shows progress hears of every file once."""
    heard: list[Checked] = []
    files = sorted(many.iterdir())
    told = list(check_all(files, jobs=2, on_done=heard.append))
    assert sorted(heard) == sorted(told)
    assert len(told) == len(files)


def test_an_iterator_that_is_closed_ends_its_processes(many: Path) -> None:
    """Nothing goes on once nobody asks for more."""
    with closing(check_all(sorted(many.iterdir()), jobs=2)) as every:
        next(every)
        assert multiprocessing.active_children()
    end = time.monotonic() + LIMIT
    while multiprocessing.active_children():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_process_that_is_killed_is_one_line(many: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A process that dies, of want of memory for one, ends the check with what to do, and not for ever."""
    files = sorted(many.iterdir()) * 20
    every = check_all(files, jobs=2)
    next(every)
    multiprocessing.active_children()[0].kill()
    with pytest.raises(RefereeError, match="--jobs 1 takes the least"):
        list(every)
    assert capsys.readouterr() == ("", "")


def test_an_interrupt_ends_it_cleanly(tmp_path: Path) -> None:
    """It ends at once with status 130, without a traceback, with whole lines, and leaves no process."""
    first = shutil.copy(FOLDER / "guan_pai" / "plain.jsonl", tmp_path / "0000.jsonl")
    for at in range(1, 3000):
        os.link(first, tmp_path / f"{at:04}.jsonl")
    with subprocess.Popen(
        [*COMMAND, "--jobs", "2", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    ) as running:
        assert running.stdout
        line = running.stdout.readline()
        os.killpg(running.pid, signal.SIGINT)
        rest, errors = running.communicate(timeout=LIMIT)
    assert (running.returncode, errors) == (130, "")
    assert len(rest.splitlines()) < 2999
    assert all(": good: " in line for line in [line, *rest.splitlines()])
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)


@pytest.mark.parametrize("lines_go_to_it", [True, False])
def test_u6_a_bar_is_on_a_terminal_only(many: Path, *, lines_go_to_it: bool) -> None:
    """A terminal shows how many logs are checked, and where it is not used for lines only that."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, str(many)],
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        stdout=theirs if lines_go_to_it else subprocess.DEVNULL,
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
        assert running.wait(LIMIT) == 1
    text = shown.decode()
    assert "36/36" in text
    assert "12 bad" in text
    assert "\x1b[?25h" in text, "the cursor is shown again"
    assert (": good: " in text) == lines_go_to_it
