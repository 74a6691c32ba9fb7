"""Golden logs of every schema and rules version stay: archived when a version is raised, never changed."""

from pathlib import Path

import msgspec
import pytest

from referee.replay.reader import examine, parse
from referee.replay.verify import verify
from tests.replay import scripts
from tests.replay.golden import FOLDER, HASHES, archived, hashes, renew

OLD = sorted(path for path in FOLDER.rglob("*.jsonl") if path.parent.parent != FOLDER)


def _log(rules: str, plies: int = 4) -> bytes:
    script = scripts.no_show("block_dominoes")
    header = msgspec.structs.replace(script.header, rules_version=rules, attempt=plies)
    return b"".join(line + b"\n" for line in scripts.lines(header, script.records))


def test_every_golden_is_as_it_was_committed() -> None:
    """The list of hashes has every golden and no other, so none disappears or changes unseen."""
    assert (FOLDER / HASHES).read_text("ascii") == hashes(FOLDER)


@pytest.mark.parametrize("path", OLD, ids=lambda path: str(path.relative_to(FOLDER)))
def test_p6_an_old_golden_is_read_and_refused_by_its_version(path: Path) -> None:
    """A log of older rules is read whole, lies where its versions say, and is not played by other rules."""
    log = examine(path)

    assert log.fault is None
    assert path == FOLDER / archived(f"{log.setup.game}/{path.name}", log.setup)
    assert not verify(log).ok


def test_p6_raising_a_version_archives_what_was_there(tmp_path: Path) -> None:
    """The golden of the old rules is moved to its archive and stays in the list beside the new one."""
    name = "block_dominoes/plain.jsonl"
    assert renew(tmp_path, {name: _log("1")}) == []
    assert renew(tmp_path, {name: _log("2")}) == []
    assert renew(tmp_path, {name: _log("2")}) == []

    old = tmp_path / "schema-1" / "block_dominoes" / "rules-1" / "plain.jsonl"
    assert parse(old.read_bytes()).setup.rules_version == "1"
    assert parse((tmp_path / name).read_bytes()).setup.rules_version == "2"
    assert [line.split()[1] for line in (tmp_path / HASHES).read_text().splitlines()] == [
        name,
        "schema-1/block_dominoes/rules-1/plain.jsonl",
    ]


def test_p6_a_golden_does_not_change_under_its_version(tmp_path: Path) -> None:
    """Renewing it is refused, and nothing is written, unless it is said that no release has the version."""
    name = "block_dominoes/plain.jsonl"
    renew(tmp_path, {name: _log("1")})
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    assert renew(tmp_path, {name: _log("1", 5)}) == [name]
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert renew(tmp_path, {name: _log("1", 5)}, unreleased=True) == [name]
    assert (tmp_path / name).read_bytes() == _log("1", 5)
    assert hashes(tmp_path) == (tmp_path / HASHES).read_text()
