"""Writing replay logs: what is on disk, and when, whatever is killed or full."""

import contextlib
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from referee.errors import LogWriteError, RecordError
from referee.match.events import Dropped, Record
from referee.replay import reader
from referee.replay.reader import secret_path
from referee.replay.writer import LogWriter
from tests.match.harness import SECRET, setup
from tests.replay import scripts
from tests.replay.processes import in_eight_processes

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> scripts.Script:
    """A short match."""
    return scripts.void("block_dominoes")


def _dropped(n: int) -> Dropped:
    return Dropped(n=n, t=n, seat=0)


def _written(root: Path, script: scripts.Script, records: list[Record]) -> LogWriter:
    writer = LogWriter.create(root, script.header, SECRET)
    for record in records:
        writer.append(record)
    writer.flush()
    return writer


def test_a_finished_log_has_its_final_name_and_no_secret_beside_it(
    tmp_path: Path, script: scripts.Script
) -> None:
    """The log lies in the folder of its day; the sidecar is gone."""
    path = _written(tmp_path, script, script.records).finish()

    assert tmp_path / f"replays/2023/11/14/{script.header.match_id}.jsonl" == path
    assert [path] == [file for file in tmp_path.rglob("*") if file.is_file()]
    assert scripts.log(script) == path.read_bytes()


def test_a_running_log_is_readable_and_its_secret_is_its_owners_only(
    tmp_path: Path, script: scripts.Script
) -> None:
    """The header and the secret are on disk before the first record; flushed records are too."""
    writer = LogWriter.create(tmp_path, script.header, SECRET)
    begun = reader.read(writer.path)
    writer.append(script.records[0])
    unflushed = reader.read(writer.path)
    writer.flush()
    secret = secret_path(writer.path)

    assert (script.header, (), SECRET) == (begun.setup, begun.records, begun.secret)
    assert unflushed.records == ()
    assert script.records[:1] == list(reader.read(writer.path).records)
    assert ".jsonl.part" in writer.path.name
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    writer.abandon()


def test_l7_names_of_files_hold_no_secret(tmp_path: Path, script: scripts.Script) -> None:
    """A file of the record is named by day and match id alone, whatever the secret is."""
    names = []
    for at, secret in enumerate((SECRET, bytes(32))):
        LogWriter.create(tmp_path / str(at), script.header, secret).abandon()
        root = tmp_path / str(at)
        names.append(sorted(str(path.relative_to(root)) for path in root.rglob("*")))

    assert names[0] == names[1]
    assert not any(SECRET.hex()[at : at + 8] in name for name in names[0] for at in range(56))


@pytest.mark.parametrize("finished", [True, False])
def test_p15_a_second_log_of_a_match_id_is_refused(
    tmp_path: Path, script: scripts.Script, *, finished: bool
) -> None:
    """A duplicate id is refused at the write, and the first log stays as it is."""
    writer = _written(tmp_path, script, script.records)
    path = writer.finish() if finished else writer.path
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}

    with pytest.raises(LogWriteError, match=f"{script.header.match_id}.*already has a log"):
        LogWriter.create(tmp_path, script.header, bytes(32))
    assert before == {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert path in before


def test_a_match_id_is_no_path(tmp_path: Path) -> None:
    """An id that is no UUID cannot lead out of the folder."""
    header = msgspec.structs.replace(setup(), match_id="../../../escaped")

    with pytest.raises(ValueError, match="badly formed"):
        LogWriter.create(tmp_path, header, SECRET)


def test_a_log_without_its_end_record_cannot_be_finished(tmp_path: Path, script: scripts.Script) -> None:
    """Only a match with its one end record gets a final name, and nothing follows that record."""
    writer = _written(tmp_path, script, script.records[:-1])
    with pytest.raises(RecordError, match="without its end record"):
        writer.finish()
    writer.append(script.records[-1])
    with pytest.raises(RecordError, match="after the end record"):
        writer.append(_dropped(len(script.records) + 1))

    assert reader.read(writer.finish()).ended


@pytest.mark.parametrize("torn", [b"", b'{"k":"tu'])
def test_t8_a_reopened_log_keeps_the_time_of_its_last_record(
    tmp_path: Path, script: scripts.Script, torn: bytes
) -> None:
    """An outage is counted from there, by whoever looks next too."""
    writer = _written(tmp_path, script, script.records[:3])
    writer.abandon()
    path = writer.path
    path.write_bytes(path.read_bytes() + torn)
    os.utime(path, (7, 7))
    LogWriter.reopen(path)[0].abandon()

    assert path.stat().st_mtime == 7


def test_a_reopened_log_goes_on_without_its_torn_line(tmp_path: Path, script: scripts.Script) -> None:
    """After a crash in a write the torn line is dropped and the chain goes on to the same bytes."""
    writer = _written(tmp_path, script, script.records[:7])
    writer.abandon()
    with writer.path.open("ab") as file:
        file.write(scripts.lines(script.header, script.records)[8][:50])
    torn = reader.read(writer.path)
    again, log = LogWriter.reopen(writer.path)
    for record in script.records[7:]:
        again.append(record)

    assert (torn.torn, len(torn.records), torn.secret) == (True, 7, SECRET)
    assert (len(log.records), log.secret) == (7, SECRET)
    assert scripts.log(script) == again.finish().read_bytes()


def test_a_log_that_ended_before_the_crash_can_be_finished(tmp_path: Path, script: scripts.Script) -> None:
    """A crash between the end record and the new name loses nothing."""
    writer = _written(tmp_path, script, script.records)
    writer.abandon()
    again, log = LogWriter.reopen(writer.path)

    assert log.ended
    assert scripts.log(script) == again.finish().read_bytes()


def test_a_bad_line_is_not_continued(tmp_path: Path, script: scripts.Script) -> None:
    """A log that somebody changed is refused by line and left as it is."""
    writer = _written(tmp_path, script, script.records[:7])
    writer.abandon()
    changed = writer.path.read_bytes().replace(b'"seat":2', b'"seat":3', 1)
    writer.path.write_bytes(changed)

    with pytest.raises(RecordError) as caught:
        LogWriter.reopen(writer.path)
    assert caught.value.line == 4
    assert changed == writer.path.read_bytes()


def test_a_log_has_one_writer(tmp_path: Path, script: scripts.Script) -> None:
    """A log that is being written cannot be reopened by another host."""
    writer = _written(tmp_path, script, script.records[:3])
    with pytest.raises(LogWriteError, match="another process is writing"):
        LogWriter.reopen(writer.path)
    writer.abandon()

    LogWriter.reopen(writer.path)[0].abandon()


@pytest.mark.parametrize("blocked", ["replays", "replays/2023/11/14"])
def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, script: scripts.Script, blocked: str) -> None:
    """A file where a folder must be stops the match before it starts, with the path in one line."""
    (tmp_path / blocked).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / blocked).write_text("in the way")

    with pytest.raises(LogWriteError, match=r"replays.*cannot be written.*--data") as caught:
        LogWriter.create(tmp_path, script.header, SECRET)
    assert "\n" not in str(caught.value)


def test_p1_a_full_disk_stops_the_writer_for_good(tmp_path: Path, script: scripts.Script) -> None:
    """A write that fails is an error that names the file, and so is every later one."""
    command = [sys.executable, "-m", "tests.replay.full_disk_writer", str(tmp_path)]
    told = subprocess.run(command, capture_output=True, cwd=REPOSITORY, check=True, text=True)
    path = next(reader.unfinished(tmp_path))
    first, *later = told.stdout.splitlines()
    log = reader.read(path)

    assert f"{path}: cannot be written: File too large; free some space" == first
    assert {f"{path}: this log is closed; nothing more is taken"} == set(later)
    assert script.records[: len(log.records)] == list(log.records)
    assert len(script.records) == len(log.records) + 1 + len(later)


def test_p1_a_killed_writer_loses_nothing_that_was_flushed(tmp_path: Path) -> None:
    """After kill -9 finished logs are whole and the running one reads up to its last whole record."""
    command = [sys.executable, "-m", "tests.replay.crashing_writer", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=REPOSITORY) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(500)]
        process.send_signal(signal.SIGKILL)
    log = reader.read(next(reader.unfinished(tmp_path)))

    assert told[-1] == b"500\n"
    assert len(log.records) >= 500
    assert [_dropped(n + 1) for n in range(len(log.records))] == list(log.records)
    assert [reader.read(path).ended for path in reader.scan(tmp_path)] == [True, True]


def test_p1_any_cut_of_a_file_reads_up_to_its_last_whole_record(script: scripts.Script) -> None:
    """Wherever a crash cuts the file, all whole lines are read and the rest is called torn."""
    data = scripts.log(script)
    first = data.index(b"\n") + 1
    for cut in range(first, len(data)):
        log = reader.parse(data[:cut])

        assert data[:cut].count(b"\n") - 1 == len(log.records)
        assert (data[cut - 1 : cut] != b"\n") == log.torn
        assert log.fault is None


@pytest.mark.parametrize("how", ["appended", "cut", "removed", "replaced"])
def test_p4_a_log_that_another_program_changed_takes_nothing_more(
    tmp_path: Path, script: scripts.Script, how: str
) -> None:
    """Each append goes to the log that was begun, behind what was written to it, or nowhere."""
    writer = _written(tmp_path, script, script.records[:7])
    before = writer.path.read_bytes()
    if how == "appended":
        writer.path.write_bytes(before + b"a line of others\n")
    elif how == "cut":
        writer.path.write_bytes(before[:-10])
    elif how == "removed":
        writer.path.unlink()
    else:
        (tmp_path / "other").write_bytes(before)
        (tmp_path / "other").rename(writer.path)
    left = writer.path.read_bytes() if writer.path.exists() else None

    for record in script.records[7:9]:
        writer.append(record)
        with pytest.raises(LogWriteError, match=r"another program changed|is closed"):
            writer.flush()
    assert left == (writer.path.read_bytes() if writer.path.exists() else None)


def test_p4_old_logs_are_left_as_they_are(tmp_path: Path, script: scripts.Script) -> None:
    """A new match in a folder with logs of old ones, finished and not, gets a file of its own."""
    old = _written(tmp_path, script, script.records).finish()
    other = scripts.no_show("block_dominoes")
    unfinished = _written(tmp_path, other, other.records[:2]).path
    before = [old.read_bytes(), unfinished.read_bytes()]
    header = msgspec.structs.replace(script.header, match_id="01890000-0000-7000-8000-0000000000fe")
    new = LogWriter.create(tmp_path, header, SECRET)
    new.abandon()

    assert [old.read_bytes(), unfinished.read_bytes()] == before
    assert new.path not in {old, unfinished}


def _claim(root: Path, ids: list[str]) -> list[str]:
    """Begins a log for each id that nobody else has begun."""
    mine = []
    for match_id in ids:
        header = msgspec.structs.replace(setup(), match_id=match_id)
        with contextlib.suppress(LogWriteError):
            LogWriter.create(root, header, SECRET).abandon()
            mine.append(match_id)
    return mine


def test_p15_an_id_that_eight_processes_want_at_once_is_that_of_one(tmp_path: Path) -> None:
    """Each of the same ids is given out once, and the others are refused at the first write."""
    ids = [f"01890000-0000-7000-8000-{number:012x}" for number in range(64)]
    won = in_eight_processes(_claim, tmp_path, ids)

    assert sorted(match_id for mine in won for match_id in mine) == ids
    assert all(len(reader.read(path).records) == 0 for path in reader.unfinished(tmp_path))
    assert len(list(reader.unfinished(tmp_path))) == len(ids)
