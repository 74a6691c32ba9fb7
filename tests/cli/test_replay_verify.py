"""`referee replay verify` with many files: several at a time, in order, ended by an interrupt."""

import multiprocessing
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from referee.cli.app import run
from referee.cli.replay_check import Checked, check_all
from referee.errors import RefereeError
from referee.replay import reader
from referee.replay.record import Chain
from tests.patience import PATIENCE
from tests.replay import packed, second
from tests.replay.golden import FOLDER
from tests.requirements import require

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
    end = time.monotonic() + PATIENCE
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
        rest, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, errors) == (130, "")
    assert len(rest.splitlines()) < 2999
    assert all(": good: " in line for line in [line, *rest.splitlines()])
    end = time.monotonic() + PATIENCE
    while is_there(running.pid):  # what tidies up behind Python's processes is a moment later
        assert time.monotonic() < end
        time.sleep(0.01)


def is_there(group: int) -> bool:
    """Says whether a process group has a process."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def checking(pid: int) -> list[int]:
    """Returns the processes that check for another one."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


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
        assert running.wait(PATIENCE) == 1
    text = shown.decode()
    assert "36/36" in text
    assert "12 bad" in text
    assert "\x1b[?25h" in text, "the cursor is shown again"
    assert (": good: " in text) == lines_go_to_it


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """A data root with the logs of two matches of a day, and a copy of the first under the id of a third."""
    first, _ = packed.write(tmp_path, 1), packed.write(tmp_path, 2)
    shutil.copy(first, first.with_name(f"{packed.match_id(3)}.jsonl"))
    return tmp_path


def test_p9_a_log_under_the_id_of_another_match_is_bad(
    season: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a folder, in a pack and by its name it is refused; a copy under a name that is no id is good."""
    require("node")
    copy = next(season.rglob(f"{packed.match_id(3)}.jsonl"))
    problem = f"line 1: it holds match {packed.match_id(1)}, which is not its name"
    status, told = lines(season, "2", capsys)
    assert (status, [line.partition(": ")[2] for line in told if ": good: " not in line]) == (1, [problem])
    assert lines(copy, "1", capsys) == (1, [f"{copy}: {problem}"])
    assert second.told([copy]) == [problem]

    pack = season / "day.zip"
    with zipfile.ZipFile(pack, "w") as archive:
        for path in copy.parent.iterdir():
            archive.write(path, path.name)
    status, told = lines(pack, "1", capsys)
    assert status == 1
    assert [line for line in told if ": good: " not in line] == [f"{pack / copy.name}: {problem}"]

    assert lines(Path(shutil.copy(copy, season / "copy of a log.jsonl")), "1", capsys)[0] == 0


def test_p9_the_id_tells_when_a_match_was_created(season: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another `created` in a log with a new chain is found by the name of its file."""
    require("node")
    path = next(season.rglob(f"{packed.match_id(1)}.jsonl"))
    log = reader.read(path)
    for later, good in ((999, True), (1000, False), (-1, False)):
        forged = msgspec.structs.replace(log.setup, created=log.setup.created + later)
        chain = Chain()
        data = [chain.header(forged), *map(chain.record, log.records)]
        path.write_bytes(b"".join(line + b"\n" for line in data))
        status, told = lines(path, "1", capsys)
        assert status == (not good)
        assert good or "line 1: created is " in told[0]
        assert second.told([path])[0].startswith("good: ") == good


def test_processes_that_hang_are_ended_with_the_check(tmp_path: Path) -> None:
    """An interrupt ends it at once even where no process of it hears a signal: they are stopped."""
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
        running.stdout.readline()
        children = checking(running.pid)
        for child in children:
            os.kill(child, signal.SIGSTOP)
        os.kill(running.pid, signal.SIGINT)
        _, errors = running.communicate(timeout=PATIENCE)
    assert len(children) == 2
    assert (running.returncode, errors) == (130, "")


@pytest.mark.soak
def test_the_end_of_a_check_is_silent(many: Path) -> None:
    """Nothing but its lines is printed, however often it ends."""
    for _ in range(30):
        done = subprocess.run(
            [*COMMAND, "--jobs", "2", str(many)],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert (done.returncode, done.stderr, done.stdout.count("\n")) == (1, "", 36)
