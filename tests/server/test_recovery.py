"""What is done at the start with logs that cannot be continued: never begun, or forged."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from referee.errors import LogWriteError
from referee.match.config import Penalties
from referee.replay.reader import secret_path, unfinished
from referee.replay.writer import LogWriter, remove_headless
from tests.match.harness import SECRET, setup
from tests.patience import PATIENCE
from tests.replay import scripts
from tests.server.client import opened, room, run, running_log

DIES = """
import os, signal, sys
from pathlib import Path
from referee.replay.writer import LogWriter
from tests.match.harness import SECRET
from tests.replay import scripts

script = scripts.no_show("block_dominoes")
left, call = int(sys.argv[2]), sys.argv[3]
truly = getattr(os, call)

def deadly(*args):
    global left
    left -= 1
    if left:
        return truly(*args)
    truly(args[0], args[1][:40]) if call == "write" else truly(*args)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(os, call, deadly)
writer = LogWriter.create(Path(sys.argv[1]), script.header, SECRET)
for record in script.records:
    writer.append(record)
    writer.flush()
writer.finish()
"""


def _die(root: Path, count: int, call: str) -> int:
    command = [sys.executable, "-c", DIES, str(root), str(count), call]
    return subprocess.run(command, timeout=PATIENCE, check=False).returncode


def _left(root: Path) -> list[Path]:
    return sorted(path for path in root.glob("replays/**/*") if path.is_file())


def _recover(root: Path, wall: int = 1 << 60) -> None:
    async def open_and_close() -> None:
        async with room(root, recover=True, wall=lambda: wall) as hall:
            assert not hall.host.matches

    run(open_and_close())


@pytest.mark.parametrize("call", ["fsync", "write", "unlink", "rename"])
def test_p1_a_process_killed_at_any_call_leaves_nothing_for_ever(tmp_path: Path, call: str) -> None:
    """Wherever it dies, the next start removes what never had a header and ends the rest."""
    count, headless, code = 0, 0, -signal.SIGKILL
    while code == -signal.SIGKILL:
        count += 1
        root = tmp_path / str(count)
        root.mkdir()
        code = _die(root, count, call)
        headless += any(b"\n" not in path.read_bytes() for path in unfinished(root))
        _recover(root)

        assert [path.suffix for path in _left(root)] in ([], [".jsonl"])
    assert code == 0
    assert headless or call in {"unlink", "rename"}


@pytest.mark.parametrize("data", [b"", b'{"prev":"000'])
def test_p1_a_log_that_is_being_made_is_left_alone(tmp_path: Path, data: bytes) -> None:
    """Only the lock tells a process that is slow from one that is gone."""
    writer = LogWriter.create(tmp_path, setup(), SECRET)
    writer.path.write_bytes(data)
    with pytest.raises(LogWriteError, match="another process is writing this log"):
        remove_headless(writer.path)
    writer.abandon()

    assert secret_path(writer.path).exists()
    assert remove_headless(writer.path)
    assert _left(tmp_path) == []


def test_p1_a_log_with_a_header_is_never_removed(tmp_path: Path) -> None:
    """With its first line whole, a match was told of: it is resumed or ended, not forgotten."""
    writer = LogWriter.create(tmp_path, setup(), SECRET)
    writer.abandon()

    assert not remove_headless(writer.path)
    assert len(_left(tmp_path)) == 2


@pytest.mark.parametrize("wall", [0, 1 << 60], ids=["resumed", "voided"])
@pytest.mark.parametrize("forged", ["penalties", "records"])
def test_p9_a_running_log_that_no_referee_wrote_keeps_no_server_from_starting(
    tmp_path: Path, forged: str, wall: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is left as it is, whether its header is impossible or its records break the machine."""
    script = scripts.faults("block_dominoes")
    header = script.header
    if forged == "penalties":
        header = msgspec.structs.replace(header, penalties=Penalties(strays=0))
    writer = LogWriter.create(tmp_path, header, SECRET)
    for record in script.records[:-20]:
        writer.append(record)
    writer.flush()
    writer.abandon()
    before = writer.path.read_bytes()
    if forged == "records":
        monkeypatch.setattr("referee.match.conduct.Conduct.note", lambda *_: 1 // 0)
    _recover(tmp_path, wall)

    assert writer.path.read_bytes() == before
    assert secret_path(writer.path).exists()


def test_p1_a_log_that_cannot_be_begun_leaves_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trouble with the header removes the secret that was written before it."""

    def full(*_: object) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("referee.replay.record.Chain.header", full)
    with pytest.raises(LogWriteError, match="free some space"):
        LogWriter.create(tmp_path, setup(), SECRET)

    assert _left(tmp_path) == []


def test_an_outage_is_counted_from_the_last_sign_of_life(tmp_path: Path) -> None:
    """However long a bot thinks: while its match runs the log is touched, and not written."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await opened(hall)
            path = running_log(tmp_path)
            os.utime(path, (0, 0))
            before = path.read_bytes()
            hall.live.chores(hall.host.runner.now())

            assert path.stat().st_mtime > 0
            assert path.read_bytes() == before

    run(play())
