"""The store: results, and what becomes of them when logs or the database are not as they should be."""

import json
import multiprocessing
import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.errors import RecordError, StoreError, UsageError
from referee.match.events import End
from referee.replay.reader import last_hash
from referee.replay.record import Chain
from referee.store import results
from referee.store.store import FILE, Store
from referee.tournament.export import to_json
from referee.tournament.result import MatchResult
from referee.tournament.standings import fold
from tests.replay import scripts, tampering
from tests.store import logs
from tests.tournament.samples import match_id, result


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Opens a store on a real file."""
    with Store.under(tmp_path) as opened:
        yield opened


def season() -> list[MatchResult]:
    """Returns results of every kind."""
    rng = random.Random(5)
    found = []
    for number in range(14):
        bots = rng.sample(["ann", "bob", "cyd", "dee"], 4)
        found.append(
            result(
                number,
                {bot: rng.randrange(0, 100, 20) for bot in bots},
                termination=["completed", "adjudicated", "void", "no_show"][max(0, number - 10)],
                forfeits=bots[:1] if number % 5 == 0 and number < 10 else (),
                faults={bots[0]: {"late": number, "illegal": 1}},
                at_fault=bots[1:2] if number >= 12 else (),
                pairing=f"p{number // 2}",
                attempt=1 + number % 2,
                version=str(1 + number // 8),
                rated=number != 7,
            )
        )
    return found


def standings(store: Store) -> str:
    """Returns the standings of a store as JSON."""
    return to_json(fold(store.results()))


def test_results_come_back_as_they_were(store: Store) -> None:
    """What is put in is read back equal, in the order of folding; twice is once."""
    given_results = season()
    for each in reversed(given_results):
        assert store.add_result(each)
        assert not store.add_result(each)

    assert store.results() == given_results


def test_s16_a_second_differing_result_is_refused(store: Store) -> None:
    """Another result for the same match, or another match for one attempt, changes nothing (S16)."""
    first = result(1, {"ann": 9, "bob": 5}, pairing="p")
    store.add_result(first)
    with pytest.raises(StoreError, match="differs from the result that is kept"):
        store.add_result(result(1, {"ann": 5, "bob": 9}, pairing="p"))
    with pytest.raises(
        StoreError, match=f"attempt 1 at pairing p was played already, as match {match_id(1)}"
    ):
        store.add_result(result(2, {"ann": 5, "bob": 9}, pairing="p"))
    bad = result(3, {"ann": 5, "bob": 9})
    with pytest.raises(RecordError, match="holds two seats"):
        store.add_result(replace(bad, seats=(bad.seats[0], bad.seats[0])))

    assert store.results() == [first]


def test_s16_the_match_made_first_counts_whichever_arrives_first(store: Store) -> None:
    """When the later match of one attempt arrives first, the earlier one takes its place."""
    first, second = (result(n, {"ann": n, "bob": 5}, pairing="p") for n in (1, 2))
    store.add_result(second)
    store.add_result(first)

    assert store.results() == [first]


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations(range(14)))
def test_k16_incremental_standings_equal_those_from_scratch(
    tmp_path_factory: pytest.TempPathFactory, order: list[int]
) -> None:
    """After each match the table of the index equals the one folded from scratch (K16)."""
    every = season()
    arrived: list[MatchResult] = []
    with Store.under(tmp_path_factory.mktemp("store")) as store:
        for number in order:
            store.add_result(every[number])
            arrived.append(every[number])

            assert standings(store) == to_json(fold(arrived))
        assert standings(store) == to_json(fold(every))


def test_k16_a_bot_that_did_not_play_does_not_change(store: Store) -> None:
    """A further match leaves the rows of the bots that sat out as they were (K16)."""
    store.add_result(result(1, {"ann": 1, "bob": 2}))
    store.add_result(result(2, {"cyd": 1, "dee": 2}))
    before = {row.bot: row for row in fold(store.results())[0].rows}
    store.add_result(result(3, {"cyd": 5, "dee": 2}))
    after = {row.bot: row for row in fold(store.results())[0].rows}

    for bot in ("ann", "bob"):
        assert replace(before[bot], place=after[bot].place) == after[bot]


def test_p2_what_a_crash_kept_from_the_index_is_found_by_the_next_sync(tmp_path: Path) -> None:
    """Logs finished but not indexed count after `sync`; a second one finds nothing to do (P2)."""
    every = season()
    with Store.under(tmp_path) as store:
        for number, each in enumerate(every):
            logs.write(tmp_path, each)
            if number % 3 == 0:
                store.add_result(each)

        assert store.sync(tmp_path).added == len(every) - 5
        assert store.results() == every
        assert store.sync(tmp_path) == type(store.sync(tmp_path))(added=0, dropped=0, refused=())


def _finish_and_die(root: Path) -> None:
    """Indexes one match; then ends another and dies inside the transaction of its index entry."""
    first, second = season()[:2]
    store = Store.under(root)
    logs.write(root, first)
    store.sync(root)
    logs.write(root, second)
    with store._database.writing() as connection:
        results.put(connection, second)
        os._exit(9)


def test_p2_a_process_that_dies_in_the_index_update_loses_nothing(tmp_path: Path) -> None:
    """A kill between the end of the log and the commit leaves a usable index and a complete log (P2)."""
    child = multiprocessing.get_context("spawn").Process(target=_finish_and_die, args=(tmp_path,))
    child.start()
    child.join(60)
    assert child.exitcode == 9

    with Store.under(tmp_path) as store:
        assert store.results() == season()[:1]
        assert store.sync(tmp_path).added == 1
        assert store.results() == season()[:2]


def test_rebuild_gives_the_same_bytes(tmp_path: Path) -> None:
    """Incremental in any order, rebuilt, or built in a fresh index: the same standings, byte for byte."""
    every = season()
    for each in every:
        logs.write(tmp_path, each)
    with Store.under(tmp_path) as store:
        for each in random.Random(1).sample(every, len(every)):
            store.add_result(each)
        live = standings(store)
        before = logs.digest(tmp_path / "replays")
        report = store.rebuild(tmp_path)

        assert (report.dropped, report.refused) == (0, ())
        assert standings(store) == live
        assert logs.digest(tmp_path / "replays") == before
    (tmp_path / FILE).unlink()
    with Store.under(tmp_path) as store:
        store.sync(tmp_path)

        assert standings(store) == live


def test_rebuild_agrees_with_sync_where_two_matches_claim_one_attempt(tmp_path: Path) -> None:
    """The loser of a contested attempt is named each time, and never counts (S16)."""
    rivals = [result(n, {"ann": n, "bob": 2}, pairing="p") for n in (1, 3)]
    with Store.under(tmp_path) as store:
        logs.write(tmp_path, rivals[1])
        store.sync(tmp_path)
        logs.write(tmp_path, rivals[0])
        store.sync(tmp_path)
        live = standings(store)
        for report in (store.sync(tmp_path), store.rebuild(tmp_path)):
            assert len(report.refused) == 1
            assert match_id(3) in report.refused[0]
        assert standings(store) == live


def test_rebuild_tells_of_results_whose_logs_are_gone(tmp_path: Path) -> None:
    """A removed log takes its result with it at the next rebuild, and that is counted."""
    first, second = season()[:2]
    with Store.under(tmp_path) as store:
        path = logs.write(tmp_path, first)
        logs.write(tmp_path, second)
        store.sync(tmp_path)
        path.unlink()

        assert store.rebuild(tmp_path).dropped == 1
        assert store.results() == [second]


@pytest.mark.parametrize("script", scripts.ALL, ids=lambda script: str(script.__name__))
def test_logs_of_real_matches_are_accepted(tmp_path: Path, script: object) -> None:
    """Logs that the match machine wrote, of every termination, turn into results."""
    played = script("block_dominoes")  # type: ignore[operator]
    folder = tmp_path / "replays/2023/11/14"
    folder.mkdir(parents=True)
    (folder / f"{played.header.match_id}.jsonl").write_bytes(scripts.log(played))
    with Store.under(tmp_path) as store:
        assert store.sync(tmp_path).refused == ()
        (found,) = store.results()

    assert found.termination == played.records[-1].termination
    assert [seat.bot for seat in found.seats] == ["b0", "b1", "b2", "b3"]
    assert to_json(fold([found]))


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def _edit_last(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"rank":1', b'"rank":2'))


def _swap_name(path: Path) -> None:
    path.rename(path.with_name(f"{match_id(77)}.jsonl"))


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _forget_forfeit(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"forfeited":true', b'"forfeited":false'))


def _rechain(path: Path) -> None:
    """Writes a log with another note, whose chain holds: what a forger would leave."""
    header, *records = path.read_bytes().splitlines()
    chain = Chain()
    setup = chain.read_header(header)
    ended = [chain.read_record(line) for line in records]
    assert isinstance(ended[-1], End)
    ended[-1] = msgspec.structs.replace(ended[-1], note="as I say")
    chain = Chain()
    lines = [chain.header(setup), *(chain.record(record) for record in ended)]
    path.write_bytes(b"\n".join(lines) + b"\n")


def _swap_places(path: Path) -> None:
    """Gives the first place to the last seat and chains the log anew."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    places = sorted(lines[-1]["places"], key=lambda place: place["rank"])
    for field in ("rank", "score", "points"):
        places[0][field], places[-1][field] = places[-1][field], places[0][field]
    path.write_bytes(tampering.chained(lines))


def _break_middle(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"rated":true', b'"rated":false', 1))


@pytest.mark.parametrize("change", [_rechain, _swap_places, _cut, _edit_last, _empty])
def test_p9_a_log_that_was_changed_after_it_was_kept_is_refused_by_name(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    """The result stays as it was kept, and each sync and rebuild names the log, once (P9)."""
    first, second = season()[:2]
    with Store.under(tmp_path) as store:
        path = logs.write(tmp_path, first)
        logs.write(tmp_path, second)
        store.sync(tmp_path)
        true = path.read_bytes()
        before = standings(store)
        change(path)
        for report in (store.sync(tmp_path), store.rebuild(tmp_path), store.sync(tmp_path)):
            (line,) = report.refused
            assert line.startswith(f"{path.relative_to(tmp_path)}: was changed after its result was kept")
            assert (report.added, report.dropped, standings(store)) == (0, 0, before)
        path.write_bytes(true)

        assert store.sync(tmp_path).refused == store.rebuild(tmp_path).refused == ()
        assert standings(store) == before


def test_p9_a_change_before_the_last_line_is_found_by_a_rebuild(tmp_path: Path) -> None:
    """Only the last line of a known log is read by `sync`; `rebuild` reads all and sees the broken chain."""
    first = season()[0]
    with Store.under(tmp_path) as store:
        path = logs.write(tmp_path, first)
        store.sync(tmp_path)
        _break_middle(path)
        (line,) = store.rebuild(tmp_path).refused

        assert "was changed after its result was kept" in line
        assert store.results() == [first]


def test_p9_a_changed_log_does_not_come_in_by_another_folder(tmp_path: Path) -> None:
    """A log that was moved to another day and changed is refused by its match id."""
    first = season()[0]
    with Store.under(tmp_path) as store:
        path = logs.write(tmp_path, first)
        store.sync(tmp_path)
        (tmp_path / "replays/2024/01/01").mkdir(parents=True)
        moved = path.rename(tmp_path / "replays/2024/01/01" / path.name)
        assert store.sync(tmp_path).refused == ()
        _rechain(moved)
        for report in (store.sync(tmp_path), store.rebuild(tmp_path)):
            assert any("2024/01/01" in line and "was changed" in line for line in report.refused)

        assert [kept.last_hash for kept in store.results()] != [last_hash(moved)]


@pytest.mark.parametrize("spoil", [_cut, _edit_last, _swap_name, _empty, _forget_forfeit])
def test_p2_a_spoiled_log_is_named_and_left_out(tmp_path: Path, spoil: object) -> None:
    """A log that cannot be trusted is reported by file every time; the others count (P2)."""
    first, second = season()[0], season()[1]
    spoiled = logs.write(tmp_path, first)
    logs.write(tmp_path, second)
    spoil(spoiled)  # type: ignore[operator]
    name = match_id(77) if spoil is _swap_name else match_id(0)
    with Store.under(tmp_path) as store:
        for report in (store.sync(tmp_path), store.sync(tmp_path), store.rebuild(tmp_path)):
            (line,) = report.refused
            assert name in line
            assert "\n" not in line
        assert store.results() == [second]


@pytest.mark.parametrize(
    "change",
    [
        *({"created": number} for number in (1 << 63, (1 << 64) - 1, -1, 10**5000)),
        *({"attempt": number} for number in (1 << 63, -1)),
        *({"places": {field: number}} for field in ("score", "strikes") for number in (1 << 63, -(1 << 70))),
        {"options": {"target": 10**5000}},
        {"seats": 1},
        {"schema": 10**30},
    ],
    ids=lambda change: next(iter(change)),
)
def test_p2_a_log_with_numbers_that_cannot_be_costs_no_other_result(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    """Whatever a chained log holds, it is named in one line and the others count (P2)."""
    second, first = season()[:2]
    path = logs.write(tmp_path, first)
    logs.write(tmp_path, second)
    header, *records, end = [json.loads(line) for line in path.read_bytes().splitlines()]
    if "places" in change:
        end["places"][0] |= change["places"]
    elif "seats" in change:
        header["seats"], end["places"] = header["seats"][:1], end["places"][:1]
        end["places"][0] |= {"rank": 1, "points": 0.0}
    else:
        header |= change
    path.write_bytes(tampering.chained([header, *records, end]))
    with Store.under(tmp_path) as store:
        for report in (store.sync(tmp_path), store.rebuild(tmp_path)):
            (line,) = report.refused
            assert path.name in line
            assert "\n" not in line
            assert store.results() == [second]
        assert standings(store)


def _add_all(root: Path, numbers: list[int], start: object) -> None:
    with Store.under(root) as store:
        start.wait()  # type: ignore[attr-defined]
        for number in numbers:
            store.add_result(result(number, {"ann": number, "bob": 5}))
            store.add_bot(f"bot {number} {os.getpid()}")


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    """Two processes open a new store and write overlapping results; all are there once."""
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(2)
    children = [
        context.Process(target=_add_all, args=(tmp_path, numbers, start))
        for numbers in (list(range(30)), list(range(15, 45)))
    ]
    for child in children:
        child.start()
    for child in children:
        child.join(100)

    assert [child.exitcode for child in children] == [0, 0]
    with Store.under(tmp_path) as store:
        assert [each.match_id for each in store.results()] == [match_id(n) for n in range(45)]
        assert len(store.list_bots()) == 60


def test_a_locked_store_is_one_line(tmp_path: Path) -> None:
    """A store that another process keeps locked is named with advice, after a bounded wait."""
    with Store.open(tmp_path / FILE, patience=0.05) as store:
        other = sqlite3.connect(tmp_path / FILE, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"referee\.db: is locked by another process; try again"):
            store.add_result(season()[0])
        assert store.results() == []
        other.execute("ROLLBACK")
        other.close()

        assert store.add_result(season()[0])


def test_a_file_that_is_no_database_is_one_line(tmp_path: Path) -> None:
    """A store file with other content is refused and left as it is."""
    (tmp_path / FILE).write_text("no database, whatever its name " * 100)
    with pytest.raises(StoreError, match=r"referee\.db: is no database; move it away"):
        Store.under(tmp_path)

    assert (tmp_path / FILE).read_text().startswith("no database")


def test_a_store_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    """A newer schema is not touched by an older program."""
    Store.under(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("UPDATE meta SET value = '2' WHERE key = 'schema'")
    connection.close()
    with pytest.raises(StoreError, match=r"has schema 2, this program knows 1; use a newer referee"):
        Store.under(tmp_path)


@pytest.mark.parametrize("url", ["no url", "nosuchdialect://x/y"])
def test_a_bad_url_is_a_usage_error_of_one_line(url: str) -> None:
    """A text that is no URL, or names no known database, is refused."""
    with pytest.raises(UsageError) as refused:
        Store.open(url)

    assert "\n" not in str(refused.value)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    """A data folder under a file cannot be; it is said in one line."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="choose another folder"):
        Store.under(tmp_path / "file" / "data")
