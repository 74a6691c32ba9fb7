"""What is opened to be read: regular files only, at once, and no more of them than is needed."""

import os
import signal
import socket
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.cli.app import run
from referee.errors import RecordError, RefereeError, UsageError
from referee.organiser.file import Document
from referee.organiser.folder import Folder
from referee.organiser.ladder_file import read_ladder
from referee.replay import opening, packs, reader, writer
from referee.replay.processes import find
from referee.replay.record import LINE_LIMIT
from referee.replay.signature import Signer, Verifier
from referee.replay.verify import verify
from referee.server.config import Tls
from referee.store import backup, signed
from referee.store.decision_log import DecisionLog
from referee.store.store import Store
from referee.tournament.decision import Opened
from tests.patience import PATIENCE
from tests.replay.golden import FOLDER

LOG = FOLDER / "block_dominoes" / "plain.jsonl"
HUGE = 1 << 30
ROOM = 300 << 20
"""Bytes of address space that a check of a huge file has on top of what it begins with; a third of it."""


@pytest.fixture
def _interrupts() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A pipe that nobody writes to."""
    path = tmp_path / "pipe.jsonl"
    os.mkfifo(path)
    return path


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


READERS: dict[str, Callable[[Path], object]] = {
    "a log": reader.read,
    "a header": reader.header,
    "a last line": reader.last_line,
    "a log to go on": writer.LogWriter.reopen,
    "a log without a header": writer.remove_headless,
    "a pack": packs.contents,
    "a log in a pack": lambda path: reader.read(path.rename(path.with_suffix(".zip")) / "x.jsonl"),
    "decisions": lambda path: DecisionLog(path).read(),
    "decisions to add to": lambda path: DecisionLog(path).append(Opened(at=0, tournament="x", file="")),
    "standings": signed.read,
    "a tournament": Document.read,
    "a ladder": read_ladder,
    "a store": Store.open,
    "a backup": lambda path: backup.restore(path, path.with_name("new.db"), replace=False),
    "a certificate": lambda path: Tls(certificate=LOG, key=path).read(),
}


@pytest.mark.parametrize("what", READERS)
def test_a_pipe_is_refused_at_once(what: str, pipe: Path) -> None:
    """No reader waits for somebody to write to a pipe; each says in one line what is wrong."""
    with pytest.raises(RefereeError, match="is no regular file") as told:
        READERS[what](pipe)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("load", [Signer.load, Verifier.load])
def test_a_pipe_is_no_key(load: Callable[[Path], object], pipe: Path) -> None:
    """Neither a private nor a public key is waited for."""
    pytest.importorskip("cryptography")
    with pytest.raises(UsageError, match="is no regular file"):
        load(pipe)


def test_pipes_beside_a_log_are_as_good_as_nothing(tmp_path: Path) -> None:
    """A pipe in the place of a secret, or of what is kept of processes, hides nothing else."""
    lines = LOG.read_bytes().splitlines(keepends=True)
    part = tmp_path / "x.jsonl.part"
    part.write_bytes(b"".join(lines[:-1]))
    os.mkfifo(reader.secret_path(part))
    assert reader.read(part).secret is None

    match_id = reader.header(LOG).match_id
    reports = tmp_path / "output" / "run" / "reports"
    reports.mkdir(parents=True)
    os.mkfifo(reports / f"{match_id}.json")
    assert find(tmp_path, match_id, 0) == ()


def test_a_pipe_in_the_folder_of_a_tournament_is_named(tmp_path: Path) -> None:
    """Its copy of the file is not waited for."""
    folder = Folder(tmp_path, "cup")
    folder.path.mkdir(parents=True)
    os.mkfifo(folder.path / folder.file)
    with pytest.raises(UsageError):
        folder.begun_with()


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (os.mkfifo, "is no regular file"),
        (_socket, "is no regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "is no regular file"),
        (Path.mkdir, "Is a directory"),
    ],
)
def test_only_regular_files_are_read(
    make: Callable[[Path], object], what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pipes, sockets, devices and folders are refused, a link to a file is followed."""
    monkeypatch.chdir(tmp_path)
    make(Path("x"))
    with pytest.raises(OSError, match=r"\[Errno \d+\]") as told:
        opening.open_regular(Path("x"))
    assert told.value.strerror == what
    Path("link").symlink_to(LOG)
    with opening.open_regular(Path("link")) as file:
        assert file.read() == LOG.read_bytes()


def test_what_is_larger_than_it_may_be_is_not_read(tmp_path: Path) -> None:
    """A file that is read whole is refused by its size."""
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    assert opening.content(path, 5) == b"12345"
    os.truncate(path, HUGE)
    with pytest.raises(OSError, match="larger than the 5 bytes"):
        opening.content(path, 5)


def _with_little_room(work: str, *paths: Path) -> str:
    """Runs a program that may take little memory, and returns what it prints."""
    begin = (
        "import resource, sys; from pathlib import Path; from referee.errors import *;"
        " from referee.replay import packs, reader; from referee.replay.verify import verify;"
        " from referee.store.decision_log import DecisionLog;"
        " pages = int(Path('/proc/self/statm').read_text().split()[0]);"
        f" most = pages * resource.getpagesize() + {ROOM};"
        " resource.setrlimit(resource.RLIMIT_AS, (most, most));"
        " paths = list(map(Path, sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", begin + work, *paths],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_more_of_a_huge_file_is_read_than_a_line(tmp_path: Path) -> None:
    """A gigabyte without a line costs a few megabytes, at its beginning, after good lines and in a pack."""
    zeros, after, pack, decisions = (tmp_path / name for name in ("z.jsonl", "y.jsonl", "x.zip", "d.jsonl"))
    after.write_bytes(b"".join(LOG.read_bytes().splitlines(keepends=True)[:9]))
    for path in (zeros, after, decisions):
        path.touch()
        os.truncate(path, HUGE)
    _bomb(pack)
    told = _with_little_room(
        """
zeros, after, pack, decisions = paths
for work in (
    lambda: reader.read(zeros), lambda: reader.header(zeros), lambda: reader.last_line(zeros),
    lambda: reader.read(after), lambda: DecisionLog(decisions).read(), lambda: reader.read(pack / "x.jsonl"),
):
    try:
        print(work())
    except RecordError as error:
        print(error.line, "LINE" if "are no" in str(error) else error)
print(verify(reader.examine(after)))
""",
        *(zeros, after, pack, decisions),
    ).splitlines()
    place = f"more than {LINE_LIMIT} bytes are no line of a replay log"
    assert told[:2] == ["1 LINE"] * 2
    assert told[2] == f"0 {zeros}: does not end in a line of a replay log"
    assert told[3:6] == ["10 LINE", "1 LINE", "0 LINE"]
    assert told[6].startswith(f"line 10: {place}")


def _bomb(path: Path) -> None:
    """Writes a pack with one log of zeros, as large as a pack may hold."""
    data = bytes(1 << 20)
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    many = packs.LARGEST // len(data)
    body = b"".join(squeeze.compress(data) for _ in range(many)) + squeeze.flush()
    name = b"x.jsonl"
    sizes = (len(body), packs.LARGEST, len(name), 0)
    head = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 33, 0, *sizes) + name
    entry = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 33, 0, *sizes, 0, 0, 0, 0, 0) + name
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(entry), len(head) + len(body), 0)
    path.write_bytes(head + body + entry + end)


def test_a_log_in_a_pack_is_read_whatever_its_size(tmp_path: Path) -> None:
    """A member of many lines comes out as it went in; one that is too large for a pack is refused."""
    line = bytes(range(48, 100)) * 2000 + b"\n"
    pack = tmp_path / "x.zip"
    with zipfile.ZipFile(pack, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.jsonl", line * 100)
    with packs.open_log(pack / "x.jsonl") as file:
        assert file.read() == line * 100
    _bomb(pack)
    size = struct.pack("<I", packs.LARGEST)
    pack.write_bytes(pack.read_bytes().replace(size, struct.pack("<I", packs.LARGEST + 1)))
    with pytest.raises(RecordError, match="larger than"):
        packs.open_log(pack / "x.jsonl")


def test_a_log_is_read_as_far_as_it_was_in_one_piece(tmp_path: Path) -> None:
    """The line that was changed is blamed, and the secret of the last line found, as before."""
    lines = LOG.read_bytes().splitlines(keepends=True)
    path = tmp_path / "x.jsonl"
    lines[5] = lines[5].replace(b'"t":', b'"t":1', 1)
    path.write_bytes(b"".join(lines))
    log = reader.examine(path)
    assert (log.fault and log.fault.line, len(log.records), log.torn) == (6, 5, False)
    assert log.secret == reader.read(LOG).secret
    assert log.size == len(b"".join(lines[:6]))
    path.write_bytes(b"".join(lines) + b"torn")
    assert reader.examine(path).secret == log.secret
    assert not verify(log).ok


@pytest.mark.usefixtures("_interrupts")
def test_every_command_refuses_a_pipe(pipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line and status 1, in a folder with good logs as by its name."""
    (pipe.parent / "good.jsonl").write_bytes(LOG.read_bytes())
    for words in (["verify", str(pipe)], ["show", str(pipe)], ["verify", "--jobs", "2", str(pipe.parent)]):
        assert run(["replay", *words]) == 1
        told = [line for text in capsys.readouterr() for line in text.splitlines() if ": good: " not in line]
        assert [line.removeprefix("referee: ") for line in told] == [f"{pipe}: is no regular file"]
