"""A store that cannot be written, in an archive for reading only or on a full disk, is read all the same."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import pytest

from referee.cli.app import run
from referee.errors import StoreError, StoreUnavailableError, StoreUnwritableError
from referee.store.store import FILE, Store
from tests.disks import filled, read_only, small_disk
from tests.store import logs, old_stores
from tests.store.seasons import season

Unwritable = Callable[[Path], AbstractContextManager[None]]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Gives a data root on a file system of its own, with a store that holds a season and a bot."""
    with small_disk(tmp_path / "disk", 8 << 20) as folder:
        for each in season():
            logs.write(folder, each)
        with Store.under(folder) as store:
            store.sync(folder)
            store.add_bot("ann")
        yield folder


@pytest.mark.parametrize("unwritable", [read_only, filled])
def test_p2_all_that_only_reads_works_where_nothing_can_be_written(
    disk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], unwritable: Unwritable
) -> None:
    """Tables, leaderboards, the register and backups are what they were; a change says what to do (P2)."""

    def said(*words: str) -> str:
        capsys.readouterr()
        assert run([*words, "--data", str(disk)]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    reads = (
        ("standings", "--json"),
        ("standings", "challenge", "--json"),
        ("bot", "list", "--json"),
        ("store", "info", "--json"),
    )
    before = [said(*words) for words in reads]
    with unwritable(disk):
        assert [said(*words) for words in reads] == before
        said("store", "backup", str(tmp_path / "safe.db"))
        assert run(["bot", "add", "bob", "--data", str(disk)]) == 1
        err = capsys.readouterr().err
    with Store.open(tmp_path / "safe.db") as safe:
        assert safe.results() == season()

    assert err.count("\n") == 1
    assert f"{disk / FILE}: cannot be " in err
    assert ("the disk is full; free some space, or name another database" in err) == (unwritable is filled)
    assert "--store sqlite:///" in err


@pytest.mark.parametrize("unwritable", [read_only, filled])
def test_p2_a_log_that_cannot_be_indexed_is_told_and_costs_no_table(
    disk: Path, capsys: pytest.CaptureFixture[str], unwritable: Unwritable
) -> None:
    """What the index holds is shown, and one line says that there is more (P2)."""
    with Store.under(disk) as store:
        store.rebuild(disk)
    with Store.under(disk) as store, store._database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM results WHERE match_id LIKE '%d'")
    with unwritable(disk):
        assert run(["standings", "--json", "--data", str(disk)]) == 0
    out, err = capsys.readouterr()

    assert json.loads(out)["tables"]
    assert err.count("\n") == 1
    assert "logs that are not in it yet are left out" in err


@pytest.mark.parametrize("unwritable", [read_only, filled])
def test_p2_a_store_that_can_be_written_again_is_written(disk: Path, unwritable: Unwritable) -> None:
    """An open store needs no second opening: each use looks (P2)."""
    with unwritable(disk):
        store = Store.under(disk)
        assert store.results() == season()
        with pytest.raises(StoreUnwritableError, match=r"referee\.db: cannot be "):
            store.add_bot("bob")
    with store, Store.under(disk) as other:
        store.add_bot("bob")
        other.add_bot("cyd")

        assert [bot.name for bot in store.list_bots()] == ["ann", "bob", "cyd"]


def test_p2_what_a_killed_process_left_beside_the_file_is_read_too(disk: Path) -> None:
    """Its last writes are in the journal beside the file, which nobody can fold in (P2)."""
    last = (
        "import os, sys; from pathlib import Path; from referee.store.store import Store;"
        " Store.under(Path(sys.argv[1])).add_bot('bob'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", last, str(disk)], check=True)
    assert (disk / f"{FILE}-wal").stat().st_size
    with read_only(disk), Store.under(disk) as store:
        assert [bot.name for bot in store.list_bots()] == ["ann", "bob"]
    (disk / f"{FILE}-shm").unlink()
    with (
        read_only(disk),
        pytest.raises(StoreUnavailableError, match=r"referee\.db: cannot be opened to write"),
    ):
        Store.under(disk)


def test_a_store_that_is_not_there_or_older_is_told_where_nothing_can_be_written(disk: Path) -> None:
    """No table can be made then, nor brought to this version; one line says what to do."""
    for path in disk.glob(f"{FILE}*"):
        path.unlink()
    with read_only(disk), pytest.raises(StoreError, match="or name another database, as in --store sqlite"):
        Store.under(disk)
    old_stores.make(disk, None, season())
    with read_only(disk), pytest.raises(StoreError, match="is of an older referee, and cannot be brought up"):
        Store.under(disk)


def test_a_folder_that_its_owner_closed_is_read(tmp_path: Path) -> None:
    """Permissions do as much as a mount; whoever may write everywhere is not held by them."""
    with Store.under(tmp_path / "data") as store:
        store.add_bot("ann")
    (tmp_path / "data").chmod(0o555)
    (tmp_path / "data" / FILE).chmod(0o444)
    try:
        with Store.under(tmp_path / "data") as store:
            assert [bot.name for bot in store.list_bots()] == ["ann"]
            if os.geteuid():
                with pytest.raises(StoreUnwritableError):
                    store.add_bot("bob")
    finally:
        with suppress(OSError):
            (tmp_path / "data").chmod(0o755)
