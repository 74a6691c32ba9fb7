"""The order in which a replay log reaches the disk: what is forced there before what follows from it."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.replay import reader
from referee.replay import writer as writers
from referee.replay.signature import Signer, signature_path
from referee.replay.writer import LogWriter
from tests.match.harness import SECRET
from tests.replay import scripts

DAY = "replays/2023/11/14"


@pytest.fixture(scope="module")
def script() -> scripts.Script:
    """A short match."""
    return scripts.void("block_dominoes")


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Returns what is done to files below the data root, in order: the call, and the names."""
    done: list[tuple[str, ...]] = []

    def name(of: Any) -> str:
        if isinstance(of, int):
            inode = os.fstat(of).st_ino
            (of,) = [path for path in (tmp_path, *tmp_path.rglob("*")) if path.stat().st_ino == inode]
        return str(Path(of).relative_to(tmp_path))

    def recorded(call: str, names: int) -> Callable[..., Any]:
        real = getattr(os, call)

        def record(*arguments: Any, **named: Any) -> Any:
            told = (call, *map(name, arguments[:names]))
            if done[-1:] != [told]:  # a long write may take several calls
                done.append(told)
            return real(*arguments, **named)

        return record

    for call, names in {"write": 1, "fsync": 1, "rename": 2}.items():
        monkeypatch.setattr(os, call, recorded(call, names))
    return done


def test_p1_header_secret_and_folders_are_on_disk_before_a_match(
    tmp_path: Path, script: scripts.Script, steps: list[tuple[str, ...]]
) -> None:
    """Each new folder is entered in its parent, secret and header are forced out, then their folder."""
    part = f"{DAY}/{script.header.match_id}.jsonl.part"
    secret = f"{DAY}/{script.header.match_id}.secret"

    LogWriter.create(tmp_path, script.header, SECRET).abandon()

    assert steps == [
        *[("fsync", folder) for folder in (".", "replays", "replays/2023", "replays/2023/11")],
        ("write", secret),
        ("fsync", secret),
        ("write", part),
        ("fsync", part),
        ("fsync", DAY),
    ]


@pytest.mark.parametrize("signed", [False, True])
def test_p1_a_log_is_on_disk_before_it_gets_its_name_and_its_folder_after(
    tmp_path: Path,
    script: scripts.Script,
    steps: list[tuple[str, ...]],
    signer: Signer,
    *,
    signed: bool,
) -> None:
    """The last records and the signature are forced out, then comes the name, then its folder."""
    writer = LogWriter.create(tmp_path, script.header, SECRET, signer if signed else None)
    for record in script.records:
        writer.append(record)
    part, final = (f"{DAY}/{script.header.match_id}.jsonl{end}" for end in (".part", ""))
    signature = str(signature_path(tmp_path / final).relative_to(tmp_path))
    steps.clear()

    writer.finish()

    assert steps == [
        ("write", part),
        ("fsync", part),
        *([("write", signature), ("fsync", signature)] if signed else []),
        ("rename", part, final),
        ("fsync", DAY),
    ]


def test_p1_an_end_that_is_on_disk_is_not_taken_back(
    tmp_path: Path, script: scripts.Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that cannot be forced out may lose the name of the log after a crash, and nothing of it."""
    writer = LogWriter.create(tmp_path, script.header, SECRET)
    for record in script.records:
        writer.append(record)

    def fail(_: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(writers, "sync_folder", fail)
    final = writer.finish()

    assert final == tmp_path / DAY / f"{script.header.match_id}.jsonl"
    assert list(reader.read(final).records) == list(script.records)
    final.rename(writer.path.with_name(f"{final.name}.part"))  # what a crash may leave
    again, _ = LogWriter.reopen(final.with_name(f"{final.name}.part"))
    assert again.finish() == final


def test_p1_a_reopened_log_is_on_disk_before_it_goes_on(
    tmp_path: Path, script: scripts.Script, steps: list[tuple[str, ...]]
) -> None:
    """What a crash tore off is forced out of the file before anything is written behind it."""
    writer = LogWriter.create(tmp_path, script.header, SECRET)
    writer.abandon()
    steps.clear()

    LogWriter.reopen(writer.path)[0].abandon()

    assert steps == [("fsync", f"{DAY}/{writer.path.name}")]


@pytest.fixture
def signer() -> Signer:
    """Returns what signs logs with a new key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Signer(Ed25519PrivateKey.generate())
