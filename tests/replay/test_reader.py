"""Reading replay logs: what is found, what is refused, and by which line."""

import random
from pathlib import Path

import msgspec
import pytest

from referee import games
from referee.errors import RecordError
from referee.match.table import state_hash
from referee.replay import reader
from referee.replay.record import hash_of
from referee.replay.resimulate import rebuild
from referee.replay.verify import verify
from referee.replay.writer import LogWriter
from tests.match.harness import SECRET
from tests.replay import scripts


def _store(root: Path, script: scripts.Script, number: int, day: int = 0) -> LogWriter:
    match_id = f"01890000-0000-7000-8000-{number:012d}"
    created = script.header.created + day * 86_400_000_000
    header = msgspec.structs.replace(script.header, match_id=match_id, created=created)
    writer = LogWriter.create(root, header, SECRET)
    for record in script.records:
        writer.append(record)
    writer.flush()
    return writer


def test_p11_reading_leaves_the_file_untouched(tmp_path: Path) -> None:
    """A log can be read, checked and replayed twice from a file and folder nobody may write to."""
    path = _store(tmp_path, scripts.faults("block_dominoes"), 1).finish()
    path.chmod(0o400)
    path.parent.chmod(0o500)
    before = (path.read_bytes(), path.stat().st_mtime_ns, list(path.parent.iterdir()))

    logs = [reader.read(path) for _ in range(2)]
    verdicts = [verify(log) for log in logs]

    assert logs[0] == logs[1]
    assert [verdict.ok for verdict in verdicts] == [True, True]
    assert (path.read_bytes(), path.stat().st_mtime_ns, list(path.parent.iterdir())) == before
    path.parent.chmod(0o700)


def test_p11_one_log_can_be_replayed_to_any_place_in_any_order() -> None:
    """A hundred jumps back and forth in one log give the same state at the same record each time."""
    log = reader.parse(scripts.log(scripts.plain("block_dominoes")))
    game = games.find(log.setup.game)
    places = random.Random(11)
    seen: dict[int, str] = {}
    for _ in range(100):
        at = places.choice((0, len(log.records), places.randrange(len(log.records))))
        match = rebuild(log.setup, SECRET, log.records[:at], game).match
        state = state_hash(match.state)

        assert seen.setdefault(at, state) == state
    assert len(seen) > 20


def test_scan_finds_finished_logs_by_day_and_id(tmp_path: Path) -> None:
    """Finished logs are listed oldest first; running ones, goldens and strangers are not."""
    script = scripts.void("block_dominoes")
    finished = [_store(tmp_path, script, *key).finish() for key in ((5, 1), (2, 2), (9, 0), (1, 0))]
    running = _store(tmp_path, script, 3)
    golden = tmp_path / "replays/golden/block_dominoes/plain.jsonl"
    golden.parent.mkdir(parents=True)
    golden.write_bytes(b"")

    assert list(reader.scan(tmp_path)) == [finished[3], finished[2], finished[0], finished[1]]
    assert list(reader.unfinished(tmp_path)) == [running.path]
    assert not list(reader.scan(tmp_path / "nowhere"))
    running.abandon()


def test_the_last_hash_is_that_of_the_last_line(tmp_path: Path) -> None:
    """Writer and reader agree on the hash that the store keeps."""
    script = scripts.void("block_dominoes")
    writer = _store(tmp_path, script, 1)
    path = writer.finish()
    last = path.read_bytes().splitlines()[-1]

    assert reader.read(path).last_hash == writer.last_hash == hash_of(last)
    assert reader.last_hash(path) == hash_of(last)


@pytest.mark.parametrize("length", [0, 1, 16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, 100_000])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_the_last_line_is_found_whatever_its_length(tmp_path: Path, length: int, end: bytes) -> None:
    """A line that is longer than the piece read first, or torn, is hashed whole."""
    path = tmp_path / "x.jsonl"
    for before in (b"", b"first\n"):
        path.write_bytes(before + b"x" * length + end)
        expected = b"x" * length if length or end else before.removesuffix(b"\n")

        assert reader.last_hash(path) == hash_of(expected)
    path.unlink()
    with pytest.raises(RecordError, match=r"x\.jsonl: No such file"):
        reader.last_hash(path)


@pytest.mark.parametrize("data", [b"", b"{", b'{"prev":"', b"\x00\x00"])
def test_a_file_without_a_header_is_refused(tmp_path: Path, data: bytes) -> None:
    """A crash before the header was written leaves no log."""
    path = tmp_path / "x.jsonl.part"
    path.write_bytes(data)

    with pytest.raises(RecordError, match="line 1: no whole header"):
        reader.read(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """A missing file is one line with its path."""
    with pytest.raises(RecordError, match=r"nothing.jsonl: No such file or directory"):
        reader.read(tmp_path / "nothing.jsonl")


def test_a_bad_line_stops_the_reader(tmp_path: Path) -> None:
    """Nothing of a log with a bad line is given out as if it were whole."""
    path = tmp_path / "x.jsonl"
    lines = scripts.log(scripts.void("block_dominoes")).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5] + lines[6:]))

    with pytest.raises(RecordError, match=r"line 6: the chain is broken"):
        reader.read(path)
    assert len(reader.examine(path).records) == 4
