"""Backups: of a store in use, into the other kind of database, and by the tools of PostgreSQL."""

import multiprocessing
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.errors import StoreError, UsageError
from referee.store import backup as backup_module
from referee.store.store import FILE, Store
from referee.tournament.export import to_json
from referee.tournament.standings import fold
from tests.patience import PATIENCE
from tests.postgres import Server
from tests.store import logs, old_stores
from tests.store.seasons import season, standings
from tests.tournament.samples import result

_SPAWN = multiprocessing.get_context("spawn")


def _play(root: Path, url: str | None, begun: Any, stop: Any) -> None:
    """Finishes matches until it is told to stop, and keeps their results, as a server does."""
    number = 0
    with Store.under(root, url) as store:
        while not stop.is_set():
            made = result(number, {"ann": number % 7, "bob": 3})
            logs.write(root, made)
            store.sync(root)
            number += 1
            if number == 10:
                begun.set()


def test_a_backup_of_a_store_in_use_loses_nothing(
    tmp_path: Path, fresh_url: Callable[[], str | None]
) -> None:
    """What was kept since the backup comes from the logs; standings and tokens are as they were."""
    url, begun, stop = fresh_url(), _SPAWN.Event(), _SPAWN.Event()
    with Store.under(tmp_path, url) as store:
        token = store.add_bot("Ann", "alice")
    child = _SPAWN.Process(target=_play, args=(tmp_path, url, begun, stop), daemon=True)
    child.start()
    assert begun.wait(PATIENCE)
    with Store.under(tmp_path, url) as store:
        kept, bots = store.backup(tmp_path / "backup.db")
        assert (kept >= 10, bots) == (True, 1)
        before = store.count()
        stop.set()
        child.join(PATIENCE)
        assert child.exitcode == 0
        store.sync(tmp_path)
        played = store.results()
    assert kept <= before <= len(played)
    for file in tmp_path.glob(f"{FILE}*"):
        file.unlink()

    again = fresh_url()
    assert Store.restore(tmp_path / "backup.db", tmp_path, again) == (kept, 1)
    with Store.under(tmp_path, again) as store:
        assert store.results() == played[:kept]
        assert store.sync(tmp_path).added == len(played) - kept
        assert standings(store) == to_json(fold(played))
        assert (bot := store.bot_by_token(token))
        assert bot.owner == "alice"


def test_a_backup_moves_a_store_to_another_kind_of_database(tmp_path: Path, server: Server) -> None:
    """From a file to PostgreSQL and back, everything is as it was."""
    with Store.under(tmp_path) as store, server.database() as url:
        token = store.add_bot("Ann", "alice")
        store.revoke_bot(store.list_bots()[0].name)
        for each in season():
            store.add_result(each)
        store.backup(tmp_path / "there.db")
        Store.restore(tmp_path / "there.db", tmp_path, url)
        with Store.open(url) as other:
            assert (other.results(), other.list_bots()) == (store.results(), store.list_bots())
            assert other.bot_by_token(token) is None
            other.backup(tmp_path / "back.db")
        Store.restore(tmp_path / "back.db", tmp_path / "new")
        with Store.under(tmp_path / "new") as other:
            assert (other.results(), other.list_bots()) == (store.results(), store.list_bots())


def test_a_backup_is_read_by_its_owner_only(tmp_path: Path, store: Store) -> None:
    """It holds hashes of tokens; and nothing else is left beside it."""
    (tmp_path / "backups").mkdir()
    store.backup(tmp_path / "backups" / "one.db")

    assert [path.name for path in (tmp_path / "backups").iterdir()] == ["one.db"]
    assert stat.S_IMODE((tmp_path / "backups" / "one.db").stat().st_mode) == 0o600


def test_what_is_there_is_not_overwritten_unasked(tmp_path: Path, store: Store, url: str | None) -> None:
    """Neither a file by a backup, nor a store by restoring one."""
    store.add_result(season()[0])
    store.backup(tmp_path / "backup.db")
    with pytest.raises(UsageError, match=r"backup\.db: is there already; name another file"):
        store.backup(tmp_path / "backup.db")
    store.add_result(season()[1])
    store.add_bot("Ann")
    with pytest.raises(UsageError, match=r"holds 2 results and 1 bots; say --replace"):
        Store.restore(tmp_path / "backup.db", tmp_path, url)
    assert store.count() == 2

    assert Store.restore(tmp_path / "backup.db", tmp_path, url, replace=True) == (1, 0)
    assert (store.results(), store.list_bots()) == (season()[:1], [])


def test_a_restore_that_fails_half_way_changes_nothing(
    tmp_path: Path, store: Store, url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is as it was, and no half of a file has its name."""
    store.add_result(season()[0])
    store.backup(tmp_path / "backup.db")
    store.add_bot("Ann")

    def fail(_connection: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(backup_module, "counts", fail)
        for data, where in ((tmp_path, url), (tmp_path / "new", None)):
            with pytest.raises(KeyboardInterrupt):
                Store.restore(tmp_path / "backup.db", data, where, replace=True)
    assert (store.results(), [bot.name for bot in store.list_bots()]) == (season()[:1], ["Ann"])
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize("content", [None, b"", b"no backup" * 1000, b"SQLite format 3\0" + b"x" * 5000])
def test_what_is_no_backup_is_refused(tmp_path: Path, url: str | None, content: bytes | None) -> None:
    """A missing, an empty and a foreign file are named, and nothing is made."""
    if content is not None:
        (tmp_path / "file").write_bytes(content)
    with pytest.raises(UsageError, match=r"file: (no such file|is no backup of a store)"):
        Store.restore(tmp_path / "file", tmp_path / "data", url)

    assert not (tmp_path / "data").exists()


def test_a_backup_of_a_newer_program_is_refused_by_its_own_name(tmp_path: Path) -> None:
    """What is read is a copy, which nobody knows of."""
    Store.under(tmp_path / "newer").close()
    old_stores.set_version(tmp_path / "newer", None, 99)
    with pytest.raises(StoreError, match=rf"^{tmp_path / 'newer' / FILE}: the store has schema 99, this"):
        Store.restore(tmp_path / "newer" / FILE, tmp_path)


def test_where_no_file_can_be_made_it_is_said(tmp_path: Path, store: Store) -> None:
    """A folder that is not there, and a file where a folder has to be, are named in one line."""
    with pytest.raises(UsageError, match=r"nodir: no such folder; make it, or name another file for the"):
        store.backup(tmp_path / "nodir" / "x.db")
    store.backup(tmp_path / "safe.db")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"x\.db: .*; name another file for the backup|no such folder"):
        store.backup(tmp_path / "file" / "x.db")
    with pytest.raises(StoreError, match=r"/file: .*; choose another folder with --data"):
        Store.restore(tmp_path / "safe.db", tmp_path / "file")
    assert (tmp_path / "file").read_text() == ""


def test_a_backup_of_an_older_program_is_restored_and_stays_as_it_is(tmp_path: Path, url: str | None) -> None:
    """It is brought to this version on the way, and not in its place."""
    (tmp_path / "old").mkdir()
    old_stores.make(tmp_path / "old", None, season()[:3])
    before = (tmp_path / "old" / FILE).read_bytes()
    assert Store.restore(tmp_path / "old" / FILE, tmp_path, url) == (3, 1)
    with Store.under(tmp_path, url) as store:
        assert [each.match_id for each in store.results()] == [each.match_id for each in season()[:3]]
        assert store.info().unread == 3

    assert (tmp_path / "old" / FILE).read_bytes() == before


def test_a_server_whose_file_was_lost_goes_on_with_the_restored_one(tmp_path: Path) -> None:
    """The journal of the lost file does not get into the new one, and nothing has to be restarted."""
    with Store.under(tmp_path) as store:
        store.add_result(season()[0])
        store.backup(tmp_path / "backup.db")
        store.add_bot("Ann")
        (tmp_path / FILE).unlink()
        Store.restore(tmp_path / "backup.db", tmp_path)

        assert (store.results(), store.list_bots()) == (season()[:1], [])
        assert store.add_result(season()[1])
    with Store.under(tmp_path) as store:
        assert store.results() == season()[:2]


def test_pg_dump_makes_a_backup_that_pg_restore_restores(tmp_path: Path, server: Server) -> None:
    """The tools of PostgreSQL do as well, as the documentation says."""
    with server.database() as url, server.database() as other:
        with Store.open(url) as store:
            token = store.add_bot("Ann")
            for each in season():
                store.add_result(each)
            dump = tmp_path / "referee.dump"
            words = [str(server.program("pg_dump")), "--format=custom", f"--file={dump}", f"--dbname={url}"]
            subprocess.run(words, check=True, timeout=PATIENCE)
            store.add_bot("Bob")
        words = [str(server.program("pg_restore")), "--exit-on-error", f"--dbname={other}", str(dump)]
        subprocess.run(words, check=True, timeout=PATIENCE)
        with Store.open(other) as store:
            assert store.results() == season()
            assert [bot.name for bot in store.list_bots()] == ["Ann"]
            assert store.bot_by_token(token)
            assert store.add_result(result(99, {"ann": 1, "bob": 2}))
