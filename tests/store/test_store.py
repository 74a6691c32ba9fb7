"""The store: results, and what becomes of them when logs or the database are not as they should be."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.errors import RecordError, StoreError, UsageError
from referee.store.store import FILE, Store
from referee.tournament.export import to_json
from referee.tournament.standings import fold
from tests.replay import scripts
from tests.store import logs
from tests.store.seasons import season, standings
from tests.tournament.samples import match_id, result

if TYPE_CHECKING:
    from referee.tournament.result import MatchResult


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


@settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.permutations(range(14)))
def test_k16_incremental_standings_equal_those_from_scratch(
    tmp_path_factory: pytest.TempPathFactory, fresh_url: Callable[[], str | None], order: list[int]
) -> None:
    """After each match the table of the index equals the one folded from scratch (K16)."""
    every = season()
    arrived: list[MatchResult] = []
    with Store.under(tmp_path_factory.mktemp("store"), fresh_url()) as store:
        for number in order:
            store.add_result(every[number])
            arrived.append(every[number])

            assert standings(store) == to_json(fold(arrived))
        assert standings(store) == to_json(fold(every))


def test_k16_a_bot_that_did_not_play_does_not_change(store: Store) -> None:
    """A further match changes of those that sat out only who stands next to them (K16)."""
    store.add_result(result(1, {"ann": 1, "bob": 2}))
    store.add_result(result(2, {"cyd": 1, "dee": 2}))
    before = {row.bot: row for row in fold(store.results())[0].rows}
    store.add_result(result(3, {"cyd": 5, "dee": 2}))
    after = {row.bot: row for row in fold(store.results())[0].rows}

    for bot in ("ann", "bob"):
        assert replace(before[bot], place=after[bot].place, lead=after[bot].lead) == after[bot]


def test_p2_what_a_crash_kept_from_the_index_is_found_by_the_next_sync(
    tmp_path: Path, url: str | None
) -> None:
    """Logs finished but not indexed count after `sync`; a second one finds nothing to do (P2)."""
    every = season()
    with Store.under(tmp_path, url) as store:
        for number, each in enumerate(every):
            logs.write(tmp_path, each)
            if number % 3 == 0:
                store.add_result(each)

        assert store.sync(tmp_path).added == len(every) - 5
        assert store.results() == every
        assert store.sync(tmp_path) == type(store.sync(tmp_path))(added=0, dropped=0, refused=())


def test_rebuild_gives_the_same_bytes(tmp_path: Path, fresh_url: Callable[[], str | None]) -> None:
    """Incremental in any order, rebuilt, or built in a fresh index: the same standings, byte for byte."""
    every = season()
    for each in every:
        logs.write(tmp_path, each)
    with Store.under(tmp_path, fresh_url()) as store:
        for each in random.Random(1).sample(every, len(every)):
            store.add_result(each)
        live = standings(store)
        before = logs.digest(tmp_path / "replays")
        report = store.rebuild(tmp_path)

        assert (report.dropped, report.refused) == (0, ())
        assert standings(store) == live
        assert logs.digest(tmp_path / "replays") == before
    (tmp_path / FILE).unlink(missing_ok=True)
    with Store.under(tmp_path, fresh_url()) as store:
        store.sync(tmp_path)

        assert standings(store) == live


def test_rebuild_agrees_with_sync_where_two_matches_claim_one_attempt(
    tmp_path: Path, url: str | None
) -> None:
    """The loser of a contested attempt is named each time, and never counts (S16)."""
    rivals = [result(n, {"ann": n, "bob": 2}, pairing="p") for n in (1, 3)]
    with Store.under(tmp_path, url) as store:
        logs.write(tmp_path, rivals[1])
        store.sync(tmp_path)
        logs.write(tmp_path, rivals[0])
        store.sync(tmp_path)
        live = standings(store)
        for report in (store.sync(tmp_path), store.rebuild(tmp_path)):
            assert len(report.refused) == 1
            assert match_id(3) in report.refused[0]
        assert standings(store) == live


def test_rebuild_tells_of_results_whose_logs_are_gone(tmp_path: Path, url: str | None) -> None:
    """A removed log takes its result with it at the next rebuild, and that is counted."""
    first, second = season()[:2]
    with Store.under(tmp_path, url) as store:
        path = logs.write(tmp_path, first)
        logs.write(tmp_path, second)
        store.sync(tmp_path)
        path.unlink()

        assert store.rebuild(tmp_path).dropped == 1
        assert store.results() == [second]


@pytest.mark.parametrize("script", scripts.ALL, ids=lambda script: str(script.__name__))
def test_logs_of_real_matches_are_accepted(tmp_path: Path, url: str | None, script: object) -> None:
    """Logs that the match machine wrote, of every termination, turn into results."""
    played = script("block_dominoes")  # type: ignore[operator]
    folder = tmp_path / "replays/2023/11/14"
    folder.mkdir(parents=True)
    (folder / f"{played.header.match_id}.jsonl").write_bytes(scripts.log(played))
    with Store.under(tmp_path, url) as store:
        assert store.sync(tmp_path).refused == ()
        (found,) = store.results()

    assert found.termination == played.records[-1].termination
    assert [seat.bot for seat in found.seats] == ["b0", "b1", "b2", "b3"]
    assert to_json(fold([found]))


def test_a_file_that_is_no_database_is_one_line(tmp_path: Path) -> None:
    """A store file with other content is refused and left as it is."""
    (tmp_path / FILE).write_text("no database, whatever its name " * 100)
    with pytest.raises(StoreError, match=r"referee\.db: is no database; move it away"):
        Store.under(tmp_path)

    assert (tmp_path / FILE).read_text().startswith("no database")


@pytest.mark.parametrize(
    "text", ["no url", "nosuchdialect://x/y", "postgresql://a:secret@[::1", "mysql://a:secret@b/c"]
)
def test_a_bad_url_is_a_usage_error_of_one_line(text: str) -> None:
    """A text that is no URL, or names no known database, is refused, and a password is not repeated."""
    with pytest.raises(UsageError) as refused:
        Store.open(text)

    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    """A data folder under a file cannot be; it is said in one line."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="choose another folder"):
        Store.under(tmp_path / "file" / "data")
