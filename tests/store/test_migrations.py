"""Stores of older versions, opened by this one."""

import multiprocessing
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.errors import StoreError, UsageError
from referee.store import migrations
from referee.store.log_result import read_result
from referee.store.schema import VERSION
from referee.store.store import FILE, Store
from referee.tournament.result import MatchResult
from tests.patience import PATIENCE
from tests.store import logs, old_stores
from tests.store.seasons import season
from tests.store.test_altered_logs import rechain

_SPAWN = multiprocessing.get_context("spawn")


def _old(root: Path, url: str | None) -> list[MatchResult]:
    """Makes a store of version 1 with the logs of its results, and returns what they tell."""
    told = [read_result(root, logs.write(root, replace(each, tournament="cup"))) for each in season()]
    old_stores.make(root, url, told)
    return told


def test_a_store_of_the_first_version_keeps_its_bots_and_results(tmp_path: Path, url: str | None) -> None:
    """It opens, and what it did not keep is what the logs tell, once they were read."""
    told = _old(tmp_path, url)
    with Store.under(tmp_path, url) as store:
        assert [bot.name for bot in store.list_bots()] == ["Ann"]
        assert (bot := store.bot_by_token("test"))
        assert bot.owner == "alice"
        assert store.results() == [replace(each, tournament="", duration=0) for each in told]

        assert (store.sync(tmp_path).added, store.sync(tmp_path).refused) == (0, ())
        assert store.results() == told
        assert store.results(tournament="cup") == told
        assert store.add_result(told[0]) is False
    assert old_stores.version(tmp_path, url) == str(VERSION)


def test_a_store_that_was_brought_up_is_like_a_new_one(
    tmp_path: Path, fresh_url: Callable[[], str | None]
) -> None:
    """After all steps its tables have the columns, keys and indexes of a store that was made now."""
    old, new = fresh_url(), fresh_url()
    (tmp_path / "old").mkdir()
    old_stores.make(tmp_path / "old", old, [])
    Store.under(tmp_path / "old", old).close()
    Store.under(tmp_path / "new", new).close()

    assert old_stores.shape(tmp_path / "old", old) == old_stores.shape(tmp_path / "new", new)


def test_a_result_whose_log_is_gone_or_changed_stays_as_it_was_kept(tmp_path: Path, url: str | None) -> None:
    """What an old store did not keep is not made up, and no log but the true one may tell it."""
    gone, changed, true = _old(tmp_path, url)[:3]
    (tmp_path / gone.log).unlink()
    rechain(tmp_path / changed.log)
    with Store.under(tmp_path, url) as store:
        (line,) = store.sync(tmp_path).refused
        assert line.startswith(f"{changed.log}: was changed after its result was kept")
        kept = {each.match_id: each for each in store.results()}

    assert kept[gone.match_id] == replace(gone, tournament="", duration=0)
    assert kept[changed.match_id] == replace(changed, tournament="", duration=0)
    assert kept[true.match_id] == true


def _open(root: Path, url: str | None, start: Any) -> None:
    start.wait()
    with Store.under(root, url) as store:
        assert store.count() == 14


def test_two_processes_bring_a_store_up_at_once(tmp_path: Path, url: str | None) -> None:
    """Both open it: one does the work, and the other waits for it."""
    _old(tmp_path, url)
    start = _SPAWN.Barrier(2, timeout=PATIENCE)
    children = [_SPAWN.Process(target=_open, args=(tmp_path, url, start), daemon=True) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join(PATIENCE)

    assert [child.exitcode for child in children] == [0, 0]
    assert old_stores.version(tmp_path, url) == str(VERSION)


def _die_half_way(root: Path, url: str | None) -> None:
    def die(_connection: object) -> None:
        os._exit(9)

    migrations._STEPS = (*migrations._STEPS[:1], die)
    Store.under(root, url)


def test_a_crash_between_two_steps_leaves_the_old_store(tmp_path: Path, url: str | None) -> None:
    """Nothing of the first step is there, and the next one who opens it does all of them."""
    told = _old(tmp_path, url)
    before = old_stores.shape(tmp_path, url)
    child = _SPAWN.Process(target=_die_half_way, args=(tmp_path, url), daemon=True)
    child.start()
    child.join(PATIENCE)

    assert child.exitcode == 9
    assert (old_stores.version(tmp_path, url), old_stores.shape(tmp_path, url)) == ("1", before)
    with Store.under(tmp_path, url) as store:
        store.sync(tmp_path)
        assert store.results() == told


def test_a_store_of_a_newer_program_is_refused(tmp_path: Path, url: str | None) -> None:
    """A newer schema is not touched by an older program."""
    Store.under(tmp_path, url).close()
    old_stores.set_version(tmp_path, url, VERSION + 1)
    with pytest.raises(StoreError, match=rf"has schema {VERSION + 1}, this program knows {VERSION}; use a"):
        Store.under(tmp_path, url)


@pytest.mark.parametrize("schema", ["abc", "", "-1", "0", "3.0", "\u0663", "9" * 5000])
def test_a_schema_that_no_program_wrote_is_one_line(tmp_path: Path, url: str | None, schema: str) -> None:
    """A store with a spoiled version is named with what to do, and is no backup either."""
    Store.under(tmp_path, url).close()
    old_stores.set_version(tmp_path, url, schema)
    with pytest.raises(StoreError, match=r"(is no schema of a store; move it|has schema 999999999, this)"):
        Store.under(tmp_path, url)
    if url is None and schema.isascii() and len(schema) < 9:
        with pytest.raises(UsageError, match="is no backup of a store, or a damaged one"):
            Store.restore(tmp_path / FILE, tmp_path / "new")


@pytest.mark.parametrize(
    "table",
    ["meta (key VARCHAR, other VARCHAR)", "meta (name VARCHAR)", "results (id INTEGER)", "bots (id INTEGER)"],
)
def test_a_database_of_another_program_is_told_to_be_that(
    tmp_path: Path, url: str | None, table: str
) -> None:
    """Tables that have the names of ours, and are not ours, are left as they are."""
    old_stores.execute(tmp_path, url, f"CREATE TABLE {table}")

    def use() -> None:
        with Store.under(tmp_path, url) as store:
            store.add_bot("ann")
            store.results()

    with pytest.raises(StoreError, match="holds tables that are not those of a referee; name a database of"):
        use()
