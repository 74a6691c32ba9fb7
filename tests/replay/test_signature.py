"""Signatures beside finished logs: written by the writer, checked with the public key."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from referee.errors import LogWriteError, RecordError, UsageError
from referee.replay import reader
from referee.replay.signature import Signer, Verifier, signature_path
from referee.replay.writer import LogWriter
from tests.match.harness import SECRET
from tests.replay import keys, scripts

SCRIPT = scripts.void("block_dominoes")


def _running(root: Path, signer: Signer | None) -> LogWriter:
    writer = LogWriter.create(root, SCRIPT.header, SECRET, signer)
    for record in SCRIPT.records:
        writer.append(record)
    writer.flush()
    return writer


def _signed(root: Path) -> tuple[Path, Path]:
    """Returns a signed log and the file of the public key."""
    private, public = keys.make(root)
    return _running(root, Signer.load(private)).finish(), public


def test_a_signed_log_is_checked_with_the_public_key(tmp_path: Path) -> None:
    """The file beside the log holds key, hash and signature as one line; the log's bytes are as without."""
    log, public = _signed(tmp_path)
    last_hash = reader.last_hash(log)
    Verifier.load(public).check(log, last_hash)
    line = signature_path(log).read_text()
    told = json.loads(line)

    assert signature_path(log).name == f"{SCRIPT.header.match_id}.jsonl.sig"
    assert line.count("\n") == 1
    assert list(told) == ["public_key", "last_hash", "signature"]
    assert told["last_hash"] == last_hash
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(told["public_key"])).verify(
        bytes.fromhex(told["signature"]), f"referee log v1 {last_hash}".encode()
    )
    assert log.read_bytes() == scripts.log(SCRIPT)


def test_without_a_key_nothing_is_signed(tmp_path: Path) -> None:
    """A log without a signature is named as such by who demands one."""
    log = _running(tmp_path, None).finish()
    _, public = keys.make(tmp_path)

    assert not signature_path(log).exists()
    with pytest.raises(RecordError, match=r"not signed: there is no .*\.jsonl\.sig"):
        Verifier.load(public).check(log, reader.last_hash(log))


def test_no_log_has_its_final_name_before_its_signature_is_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash between signature and rename leaves a running log, which is signed again at recovery."""
    private, public = keys.make(tmp_path)
    writer = _running(tmp_path, Signer.load(private))

    def crash(_self: Path, _target: Path) -> Path:
        raise OSError(5, "pulled out")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", crash)
        with pytest.raises(LogWriteError, match="pulled out"):
            writer.finish()
    assert signature_path(writer.path.with_suffix("")).exists()
    assert list(reader.scan(tmp_path)) == []
    again, _ = LogWriter.reopen(writer.path, Signer.load(keys.make(tmp_path, "new")[0]))
    log = again.finish()

    with pytest.raises(RecordError, match="signed with another key"):
        Verifier.load(public).check(log, reader.last_hash(log))
    Verifier.load(tmp_path / "new.pub.pem").check(log, reader.last_hash(log))


def test_p1_a_signature_that_cannot_be_written_stops_the_writer(tmp_path: Path) -> None:
    """The trouble is one line that names the file, and the log keeps the name of a running one."""
    writer = _running(tmp_path, Signer.load(keys.make(tmp_path)[0]))
    path = signature_path(writer.path.with_suffix(""))
    path.mkdir()

    with pytest.raises(LogWriteError, match=rf"{path.name}: cannot be written"):
        writer.finish()
    assert list(reader.scan(tmp_path)) == []


def _flip(told: dict[str, str]) -> str:
    return json.dumps({**told, "signature": f"{int(told['signature'], 16) ^ 1:0128x}"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_flip, "its signature is wrong"),
        (lambda told: json.dumps({**told, "signature": "zz"}), "its signature is wrong"),
        (lambda told: json.dumps({**told, "last_hash": "0" * 64}), "another hash, 0{64}"),
        (lambda told: json.dumps({**told, "public_key": "ab"}), "signed with another key, ab"),
        (lambda told: json.dumps({**told, "more": 1}), "holds no signature"),
        (lambda _told: "", "holds no signature"),
        (lambda _told: "{" * 100_000, "holds no signature"),
    ],
)
def test_p9_a_signature_that_was_changed_is_refused(
    tmp_path: Path, change: Callable[[dict[str, str]], str], message: str
) -> None:
    """Each member of the signature counts, and what is none is named (P9)."""
    log, public = _signed(tmp_path)
    path = signature_path(log)
    path.write_text(change(json.loads(path.read_text())))

    with pytest.raises(RecordError, match=message):
        Verifier.load(public).check(log, reader.last_hash(log))


def test_p9_the_signature_of_another_log_is_refused(tmp_path: Path) -> None:
    """A log with another last line does not pass with the signature of the true one (P9)."""
    log, public = _signed(tmp_path)

    with pytest.raises(RecordError, match="signed when its last line had another hash"):
        Verifier.load(public).check(log, "0" * 64)


@pytest.mark.parametrize("kind", ["missing", "folder", "text", "public", "locked"])
def test_a_file_that_is_no_private_key_is_one_line(tmp_path: Path, kind: str) -> None:
    """A missing file, a public key, an encrypted key: each is named, with what makes a key."""
    path = tmp_path / "key.pem"
    if kind == "folder":
        path.mkdir()
    elif kind == "text":
        path.write_text("no key")
    elif kind == "public":
        path.write_bytes(keys.make(tmp_path, "other")[1].read_bytes())
    elif kind == "locked":
        keys.make(tmp_path, password=b"p")
    with pytest.raises(UsageError) as refused:
        Signer.load(path)

    expected = (
        os.strerror(2 if kind == "missing" else 21) if kind in {"missing", "folder"} else "no unencrypted"
    )
    assert str(refused.value).startswith(f"{path}: {expected}")
    assert "\n" not in str(refused.value)


def test_a_private_key_is_no_public_key(tmp_path: Path) -> None:
    """Who checks is told how to get the public key."""
    private, _ = keys.make(tmp_path)

    with pytest.raises(UsageError, match="no Ed25519 public key in PEM; `openssl pkey -pubout"):
        Verifier.load(private)


@pytest.mark.parametrize("load", [Signer.load, Verifier.load])
def test_a_missing_library_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, load: Callable[[Path], object]
) -> None:
    """Without the library it is said how to install it."""
    for name in [name for name in sys.modules if name.startswith("cryptography")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)

    with pytest.raises(UsageError, match=r"pip install -e '.\[sign\]'"):
        load(tmp_path / "key.pem")
