"""Logs of a block: sealed until it is over, whoever is killed."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from referee.errors import LogWriteError
from referee.match.config import Block
from referee.replay import files, reader
from referee.replay.seals import settle_blocks
from referee.replay.writer import LogWriter
from tests.match.harness import SECOND, SECRET
from tests.patience import PATIENCE
from tests.replay import scripts

WINDOW = 60 * SECOND
DIES = """
import os, signal, sys, time
from pathlib import Path
from referee.replay.seals import settle_blocks

left, call = int(sys.argv[2]), sys.argv[3]
truly = getattr(os, call)

def deadly(*args):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return truly(*args)

setattr(os, call, deadly)
settle_blocks(Path(sys.argv[1]), time.time_ns() // 1000, 60_000_000)
"""


def _now() -> int:
    return time.time_ns() // 1000


@pytest.fixture(scope="module", name="script")
def _script() -> scripts.Script:
    return scripts.void("block_dominoes")


def _part(root: Path, script: scripts.Script, number: int, group: str = "group") -> LogWriter:
    """Returns the log of a match of a block with all its records but the last one."""
    fixed = ("",) * len(script.header.seats) if number else msgspec.UNSET
    header = msgspec.structs.replace(
        script.header,
        match_id=f"{script.header.match_id[:-1]}{number}",
        deal_group=group,
        block=Block(kind="rotate", part=number, parts=2, contributions=fixed),
    )
    writer = LogWriter.create(root, header, SECRET)
    for record in script.records[:-1]:
        writer.append(record)
    writer.flush()
    return writer


def _ended(root: Path, script: scripts.Script, number: int, group: str = "group") -> LogWriter:
    writer = _part(root, script, number, group)
    writer.append(script.records[-1])
    writer.finish()
    return writer


def _suffixes(root: Path) -> list[str]:
    return sorted("".join(path.suffixes) for path in root.rglob("*") if path.is_file())


def test_a_log_of_a_block_is_sealed_at_its_end(tmp_path: Path, script: scripts.Script) -> None:
    """It is found by no scan, is its owner's only, and becomes a log like any other when it is unsealed."""
    writer = _ended(tmp_path, script, 0)
    sealed = writer.path

    assert _suffixes(tmp_path) == [".jsonl.sealed"]
    assert stat.S_IMODE(sealed.stat().st_mode) == 0o600
    assert list(reader.scan(tmp_path)) == list(reader.unfinished(tmp_path)) == []
    assert list(reader.sealed(tmp_path)) == [sealed]
    final = writer.unseal()
    assert [final] == list(reader.scan(tmp_path))
    assert stat.S_IMODE(final.stat().st_mode) == 0o644
    assert reader.read(final).ended


def test_p4_a_match_id_of_a_sealed_log_is_taken(tmp_path: Path, script: scripts.Script) -> None:
    """A second match of that id is refused, as it is beside a finished log."""
    _ended(tmp_path, script, 0)
    with pytest.raises(LogWriteError, match="already has a log"):
        _part(tmp_path, script, 0)


def test_a_block_that_is_played_stays_sealed(tmp_path: Path, script: scripts.Script) -> None:
    """Its player holds the locks, also between two matches; other blocks are unsealed meanwhile."""
    held = _ended(tmp_path, script, 0)
    left = _ended(tmp_path, script, 1, "another")
    left.abandon()

    assert [path.name for path in settle_blocks(tmp_path, _now(), WINDOW)] == [
        reader.finished_path(left.path).name
    ]
    held.abandon()
    assert len(settle_blocks(tmp_path, _now(), WINDOW)) == 1
    assert _suffixes(tmp_path) == [".jsonl", ".jsonl"]


def test_p1_a_block_is_opened_whole_where_its_folder_cannot_be_forced_to_disk(
    tmp_path: Path, script: scripts.Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is lost in a crash is given again; no log is called sealed that is not, or stays so."""
    for number in range(3):
        _ended(tmp_path, script, number).abandon()
    played = _ended(tmp_path, script, 3, "another")

    def fail(_: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(files, "sync_folder", fail)
    assert len(settle_blocks(tmp_path, _now(), WINDOW)) == 3
    assert played.unseal().suffix == ".jsonl"
    assert _suffixes(tmp_path) == [".jsonl"] * 4


def test_a_block_whose_match_may_be_resumed_stays_sealed(tmp_path: Path, script: scripts.Script) -> None:
    """Until the time for that is over, then it is given up."""
    _ended(tmp_path, script, 0).abandon()
    _part(tmp_path, script, 1).abandon()

    assert settle_blocks(tmp_path, _now(), WINDOW) == []
    assert len(settle_blocks(tmp_path, _now() + 2 * WINDOW, WINDOW)) == 1


def test_a_sealed_log_that_cannot_be_read_is_left_alone(tmp_path: Path, script: scripts.Script) -> None:
    """It keeps no other block from being unsealed."""
    _ended(tmp_path, script, 0).abandon()
    odd = next(reader.sealed(tmp_path)).with_name("odd.jsonl.sealed")
    odd.write_bytes(b"{}\n")

    assert len(settle_blocks(tmp_path, _now(), WINDOW)) == 1
    assert list(reader.sealed(tmp_path)) == [odd]


@pytest.mark.parametrize("call", ["fchmod", "rename", "fsync"])
def test_p1_unsealing_that_was_killed_is_done_by_the_next(
    tmp_path: Path, script: scripts.Script, call: str
) -> None:
    """At any step each log is there under one of its two names, and the next start ends it."""
    count, code = 0, -signal.SIGKILL
    while code == -signal.SIGKILL:
        count += 1
        root = tmp_path / str(count)
        for number in (0, 1):
            _ended(root, script, number).abandon()
        code = subprocess.run(
            [sys.executable, "-c", DIES, str(root), str(count), call], timeout=PATIENCE, check=False
        ).returncode
        assert len(_suffixes(root)) == 2
        settle_blocks(root, _now(), WINDOW)

        assert _suffixes(root) == [".jsonl", ".jsonl"]
        assert {stat.S_IMODE(path.stat().st_mode) for path in reader.scan(root)} == {0o644}
    assert (code, count) == (0, 3)
