"""Databases that go away, come back, or refuse."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.errors import StoreError, StoreUnavailableError
from referee.store.store import FILE, Store
from tests import postgres
from tests.postgres import Server
from tests.store.seasons import season


@pytest.fixture
def own_server() -> Iterator[Server]:
    """Runs a server that a test may stop."""
    with postgres.running() as running:
        yield running


def test_p2_a_file_that_was_removed_is_not_written_to_any_more(tmp_path: Path) -> None:
    """What is written to a file without a name would be lost; with a file in its place all goes on (P2)."""
    first, second, third = season()[:3]
    with Store.under(tmp_path) as store, Store.under(tmp_path / "other") as other:
        store.add_result(first)
        other.add_result(second)
        (tmp_path / FILE).rename(tmp_path / "away.db")
        for use in (lambda: store.add_result(second), store.results, store.list_bots):
            with pytest.raises(StoreUnavailableError, match=r"referee\.db: was removed while in use; put it"):
                use()
        assert not (tmp_path / FILE).exists()

        (tmp_path / "away.db").rename(tmp_path / FILE)
        assert store.add_result(second)
        assert store.results() == [first, second]

        for suffix in ("", "-wal", "-shm"):
            (tmp_path / f"{FILE}{suffix}").unlink()
        other.close()
        (tmp_path / "other" / FILE).rename(tmp_path / FILE)
        assert store.add_result(third)
        assert store.results() == [second, third]


def test_p2_a_server_that_was_stopped_is_used_again_when_it_runs(own_server: Server) -> None:
    """Each use says in one line that it does not answer; nothing is to be done when it is back (P2)."""
    first, second = season()[:2]
    with own_server.database() as url, Store.open(url) as store:
        store.add_result(first)
        own_server.stop()
        for _ in range(2):
            with pytest.raises(StoreUnavailableError, match=r"test_[0-9_]+: does not answer \(.*\); start"):
                store.add_result(second)
        own_server.start()

        assert store.add_result(second)
        assert store.results() == [first, second]


def test_p2_a_server_that_was_restarted_between_two_uses_is_not_noticed(own_server: Server) -> None:
    """A connection that broke while nobody used it is made anew (P2)."""
    with own_server.database() as url, Store.open(url) as store:
        store.add_result(season()[0])
        own_server.stop()
        own_server.start()

        assert store.results() == season()[:1]


def test_a_database_that_is_read_only_is_one_line(server: Server) -> None:
    """It can be read, and whoever writes is told where to look."""
    with server.database() as url:
        with Store.open(url) as store:
            store.add_result(season()[0])
        name = url.partition("?")[0].rpartition("/")[2]
        server.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        with Store.open(url) as store:
            assert store.results() == season()[:1]
            with pytest.raises(StoreUnavailableError, match=r"cannot be written: it is read-only; look at"):
                store.add_result(season()[1])
            with pytest.raises(StoreUnavailableError, match=r"cannot be written"):
                store.add_bot("Ann")


def test_a_database_that_cannot_be_opened_is_one_line_without_a_password(server: Server) -> None:
    """An unknown database, an unknown user and a server that is not there are told, the password is not."""
    folder = server.url("").partition("?host=")[2]
    for user, database, host in (
        ("referee", "nosuchdatabase", folder),
        ("nobody", "postgres", folder),
        ("referee", "postgres", "/nowhere"),
    ):
        with pytest.raises(StoreUnavailableError) as refused:
            Store.open(f"postgres://{user}:geheim@/{database}?host={host}")
        assert str(refused.value).startswith(f"postgresql://{user}@/{database}: does not answer (")
        assert "geheim" not in str(refused.value)
        assert "\n" not in str(refused.value)


def test_a_missing_driver_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver of PostgreSQL comes with an extra."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"x@y/z: install the Python package 'referee-arena\[postgres\]'"):
        Store.open("postgresql://x:geheim@y/z")
