"""Several processes that write to one store at once, and one that dies while it does."""

import multiprocessing
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from referee.errors import StoreError, StoreUnavailableError
from referee.store import results
from referee.store.choice import Choice
from referee.store.store import FILE, Store
from tests.patience import PATIENCE
from tests.postgres import Server
from tests.store import logs
from tests.store.seasons import season
from tests.tournament.samples import match_id, result

_SPAWN = multiprocessing.get_context("spawn")


def _finish_and_die(root: Path, url: str | None) -> None:
    """Indexes one match; then ends another and dies inside the transaction of its index entry."""
    first, second = season()[:2]
    store = Store.under(root, url)
    logs.write(root, first)
    store.sync(root)
    logs.write(root, second)
    with store._database.writing() as connection:
        results.put(connection, second, Choice(root))
        os._exit(9)


def test_p2_a_process_that_dies_in_the_index_update_loses_nothing(tmp_path: Path, url: str | None) -> None:
    """A kill between the end of the log and the commit leaves a usable index and a complete log (P2)."""
    assert _run([(_finish_and_die, (tmp_path, url))]) == [9]
    with Store.under(tmp_path, url) as store:
        assert store.results() == season()[:1]
        assert store.sync(tmp_path).added == 1
        assert store.results() == season()[:2]


def _add_all(root: Path, url: str | None, numbers: list[int], start: Any) -> None:
    start.wait()
    with Store.under(root, url) as store:
        for number in numbers:
            store.add_result(result(number, {"ann": number, "bob": 5}))
            store.add_bot(f"bot {number} {os.getpid()}")


def test_two_processes_write_at_once(tmp_path: Path, url: str | None) -> None:
    """Two processes open a new store and write overlapping results; all are there once."""
    start = _SPAWN.Barrier(2, timeout=PATIENCE)
    overlapping = (list(range(30)), list(range(15, 45)))
    assert _run([(_add_all, (tmp_path, url, numbers, start)) for numbers in overlapping]) == [0, 0]
    with Store.under(tmp_path, url) as store:
        assert [each.match_id for each in store.results()] == [match_id(n) for n in range(45)]
        assert len(store.list_bots()) == 60


def _claim(root: Path, url: str | None, number: int, start: Any, told: Any) -> None:
    """Posts a result of its own for each of ten attempts that others post one for too."""
    with Store.under(root, url) as store:
        start.wait()
        for attempt in range(1, 11):
            mine = result(number * 100 + attempt, {"ann": number, "bob": 2}, pairing="p", attempt=attempt)
            try:
                told.put((number, "new" if store.add_result(mine) else "known"))
            except StoreError as error:
                told.put((number, str(error).partition("; ")[0]))


def test_s16_one_of_many_rivals_for_an_attempt_counts(tmp_path: Path, url: str | None) -> None:
    """Of the matches that several processes post for one attempt, the one made first is kept (S16)."""
    start, told = _SPAWN.Barrier(3, timeout=PATIENCE), _SPAWN.Queue()
    assert _run([(_claim, (tmp_path, url, n, start, told)) for n in (1, 2, 3)]) == [0, 0, 0]
    with Store.under(tmp_path, url) as store:
        kept = store.results()

    assert [each.match_id for each in kept] == [match_id(100 + attempt) for attempt in range(1, 11)]
    heard = [told.get(timeout=PATIENCE) for _ in range(30)]
    assert {said for number, said in heard if number == 1} == {"new"}
    assert all(said == "new" or "was played already, as match" in said for _, said in heard)


def test_a_locked_file_is_one_line(tmp_path: Path) -> None:
    """A store that another process keeps locked is named with advice, after a bounded wait."""
    with Store.open(tmp_path / FILE, patience=0.05) as store:
        other = sqlite3.connect(tmp_path / FILE, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match=r"referee\.db: is locked by another process; try"):
            store.add_result(season()[0])
        assert store.results() == []
        other.execute("ROLLBACK")
        other.close()

        assert store.add_result(season()[0])


def test_a_locked_server_is_one_line(server: Server) -> None:
    """Who waits for another writer of PostgreSQL is told so too, and readers do not wait."""
    with ExitStack() as stack:
        url = stack.enter_context(server.database())
        store = stack.enter_context(Store.open(url, patience=0.05))
        other = stack.enter_context(Store.open(url))
        with other._database.writing():
            with pytest.raises(StoreUnavailableError, match=r"test_[0-9_]+: is locked by another process"):
                store.add_result(season()[0])
            assert store.results() == []

        assert store.add_result(season()[0])


def _run(work: Sequence[tuple[Callable[..., None], tuple[Any, ...]]]) -> list[int | None]:
    """Does each work in a process of its own, and returns how they ended."""
    children = [_SPAWN.Process(target=target, args=args, daemon=True) for target, args in work]
    for child in children:
        child.start()
    for child in children:
        child.join(PATIENCE)
    return [child.exitcode for child in children]
