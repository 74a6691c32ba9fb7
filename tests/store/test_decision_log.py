"""The file of decisions: chained, appended to by several processes, whole after a crash."""

import multiprocessing
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee.errors import LogWriteError, RecordError
from referee.store.decision_log import DecisionLog
from referee.tournament.decision import Bye, Decision, Opened
from tests.patience import PATIENCE

OPENED = Opened(at=1, tournament="cup", file="00")


def test_decisions_come_back_in_order(tmp_path: Path) -> None:
    """What was appended is read as it was, by another reader too."""
    log = DecisionLog(tmp_path / "cup" / "decisions.jsonl")
    log.append(OPENED)
    log.append(Bye(at=2, round=0, bot="a"), Bye(at=3, round=1, bot="b"))

    assert DecisionLog(log.path).read() == [OPENED, Bye(at=2, round=0, bot="a"), Bye(at=3, round=1, bot="b")]


def test_no_file_holds_no_decisions(tmp_path: Path) -> None:
    """Before the first decision there is nothing, and reading makes nothing."""
    assert DecisionLog(tmp_path / "none.jsonl").read() == []
    assert list(tmp_path.iterdir()) == []


def test_a_log_begins_with_its_opening(tmp_path: Path) -> None:
    """Nothing is decided about a tournament that was not opened."""
    with pytest.raises(RecordError, match="begin with its opening"):
        DecisionLog(tmp_path / "log.jsonl").append(Bye(at=2, round=0, bot="a"))


def test_a_torn_line_is_cut_off_by_the_next_append(tmp_path: Path) -> None:
    """What a crash left half written was never told to anybody; the chain goes on before it."""
    log = DecisionLog(tmp_path / "log.jsonl")
    log.append(OPENED)
    with log.path.open("ab") as file:
        file.write(b'{"prev":"0123')

    assert log.read() == [OPENED]
    log.append(Bye(at=2, round=0, bot="a"))
    assert log.read() == [OPENED, Bye(at=2, round=0, bot="a")]


@pytest.mark.parametrize(
    ("old", "new"), [(b'"bot":"a"', b'"bot":"c"'), (b'"round":0', b'"round": 0'), (b"bye", b"buy")]
)
def test_a_changed_line_is_refused_by_its_number(tmp_path: Path, old: bytes, new: bytes) -> None:
    """A reader says which line does not hold, and nothing is appended to such a log."""
    log = DecisionLog(tmp_path / "log.jsonl")
    log.append(OPENED, Bye(at=2, round=0, bot="a"), Bye(at=3, round=1, bot="b"))
    log.path.write_bytes(log.path.read_bytes().replace(old, new))

    with pytest.raises(RecordError, match=r"line [23]: "):
        log.read()
    with pytest.raises(RecordError):
        log.append(Bye(at=4, round=2, bot="a"))


def test_a_removed_line_is_refused(tmp_path: Path) -> None:
    """A line that is gone breaks the chain."""
    log = DecisionLog(tmp_path / "log.jsonl")
    log.append(OPENED, Bye(at=2, round=0, bot="a"), Bye(at=3, round=1, bot="b"))
    lines = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(lines[0] + lines[2])

    with pytest.raises(RecordError, match="the chain is broken"):
        log.read()


def _append_many(path: Path, bot: str) -> None:
    for number in range(50):
        DecisionLog(path).append(Bye(at=2, round=number, bot=bot))


def test_several_processes_append_to_one_log(tmp_path: Path) -> None:
    """An operator may decide something while the tournament runs: nothing is lost, the chain holds."""
    log = DecisionLog(tmp_path / "log.jsonl")
    log.append(OPENED)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_append_many, args=(log.path, bot), daemon=True) for bot in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(PATIENCE)

    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    found = log.read()
    assert len(found) == 151
    assert [bye.round for bye in found if isinstance(bye, Bye) and bye.bot == "b"] == list(range(50))


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """The error says which file, and what to do."""
    (tmp_path / "cup").write_text("in the way")

    with pytest.raises(LogWriteError, match=r"cup.*choose another folder"):
        DecisionLog(tmp_path / "cup" / "decisions.jsonl").append(OPENED)


def test_a_log_that_is_only_appended_to_keeps_nothing_in_memory(tmp_path: Path) -> None:
    """A ladder of a week appends to one log: what it has dealt with is forgotten, and the chain holds."""
    log = DecisionLog(tmp_path / "log.jsonl")
    log.append(OPENED, Bye(at=2, round=0, bot="a"))
    assert log.since(1) == [Bye(at=2, round=0, bot="a")]
    log.forget()
    DecisionLog(log.path).append(Bye(at=3, round=1, bot="b"))
    log.append(Bye(at=4, round=2, bot="c"))

    assert log.since(2) == [Bye(at=3, round=1, bot="b"), Bye(at=4, round=2, bot="c")]
    assert log.count == 4
    assert [type(decision) for decision in log.read()] == [Opened, Bye, Bye, Bye]
    assert log.since(1)[0] == Bye(at=2, round=0, bot="a")


def test_p1_a_full_disk_leaves_none_of_the_decisions_that_could_not_be_kept(tmp_path: Path) -> None:
    """Some of them could be read otherwise, though nobody was told that they were kept."""
    log = DecisionLog(tmp_path / "log.jsonl")
    log.append(OPENED)
    more: list[Decision] = [Bye(at=at, round=at, bot="a") for at in range(2, 12)]
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.path.stat().st_size + 500, hard))
    try:
        with pytest.raises(LogWriteError, match=r"cannot be written: File too large; free some space"):
            log.append(*more)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))

    assert DecisionLog(log.path).read() == log.read() == [OPENED]
    log.append(*more)
    assert DecisionLog(log.path).read() == [OPENED, *more]


DIES = """
import os, signal, sys
from pathlib import Path
from referee.store.decision_log import DecisionLog
from referee.tournament.decision import Bye
from tests.store.test_decision_log import OPENED

left, call = int(sys.argv[2]), sys.argv[3]
truly = getattr(os, call)

def deadly(*args):
    global left
    left -= 1
    if left:
        return truly(*args)
    truly(args[0], args[1][:40]) if call == "write" else None
    os.kill(os.getpid(), signal.SIGKILL)

setattr(os, call, deadly)
log = DecisionLog(Path(sys.argv[1]))
log.append(OPENED)
for at in range(2, 5):
    log.append(Bye(at=at, round=at, bot="a"))
    print(at, flush=True)
"""


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_p1_a_process_killed_at_any_call_leaves_what_it_told(tmp_path: Path, call: str) -> None:
    """What was decided stays, whatever else a kill leaves, and the log goes on."""
    count, code = 0, -signal.SIGKILL
    while code == -signal.SIGKILL:
        count += 1
        path = tmp_path / f"{count}/log.jsonl"
        command = [sys.executable, "-c", DIES, str(path), str(count), call]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        code, told = done.returncode, len(done.stdout.splitlines())
        log = DecisionLog(path)
        found: list[Decision] = [OPENED, *(Bye(at=at, round=at, bot="a") for at in range(2, 5))]

        assert log.read() in (found[: len(log.read())], [])
        assert len(log.read()) >= (1 + told if told else 0)
        log.append(*found[len(log.read()) :])
        assert DecisionLog(path).read() == found
    assert code == 0
    assert count > 4
