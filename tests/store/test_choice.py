"""Two logs for one attempt at a pairing: which of them counts, and what is said of the other."""

from itertools import permutations
from pathlib import Path

import pytest

from referee.errors import StoreError
from referee.store.decision_log import DecisionLog, decisions_path
from referee.store.store import Store
from referee.store.tables import decided, tables
from referee.tournament.decision import Accepted, Opened
from referee.tournament.export import to_json
from tests.store import logs
from tests.tournament.samples import match_id, result

STRAY, TRUE, LATER = (
    result(number, {"ann": number, "bob": 2}, pairing="cup/0", tournament="cup") for number in (1, 3, 5)
)
ACCEPTED = Accepted(at=1, pairing_id="cup/0", attempt=1, match_ids=(TRUE.match_id,))


def _accept(root: Path) -> None:
    log = DecisionLog(decisions_path(root, "cup"))
    log.append(Opened(at=0, tournament="cup", file="0" * 64), ACCEPTED)


@pytest.mark.parametrize("order", list(permutations(("decision", STRAY, TRUE, LATER))))
def test_s16_the_accepted_match_counts_in_whatever_order_all_came(
    tmp_path: Path, order: list[object]
) -> None:
    """Logs made before and after it, and the decision itself, may come whenever they like (S16, K16)."""
    with Store.under(tmp_path) as grown, Store.open(tmp_path / "rebuilt.db") as rebuilt:
        for step in order:
            if step == "decision":
                _accept(tmp_path)
            else:
                logs.write(tmp_path, step)  # type: ignore[arg-type]
            grown.sync(tmp_path)
            rebuilt.rebuild(tmp_path)

            assert grown.results() == rebuilt.results()
        for report in (grown.sync(tmp_path), grown.rebuild(tmp_path)):
            assert [match_id(n) in told for n, told in zip((1, 5), sorted(report.refused), strict=True)]
            assert all(f"as match {TRUE.match_id}, which counts: it was" in told for told in report.refused)
        (table,) = tables(grown, decided(tmp_path))

        assert grown.results() == [TRUE]
        assert (table.matches, table.apart) == (1, {})


def test_s16_a_late_stray_result_does_not_oust_the_accepted_one(tmp_path: Path, url: str | None) -> None:
    """Nor where it is posted by a host that was cut off and comes back, without any sync (S16)."""
    _accept(tmp_path)
    with Store.under(tmp_path, url) as store:
        store.add_result(TRUE)
        with pytest.raises(StoreError, match=f"as match {TRUE.match_id}, which counts: it was accepted"):
            store.add_result(STRAY)

        assert store.results() == [TRUE]


def test_s16_whichever_log_is_ousted_is_told_at_once(tmp_path: Path, url: str | None) -> None:
    """The sync that finds the better one names the other, as every later one does."""
    path = logs.write(tmp_path, STRAY)
    with Store.under(tmp_path, url) as store:
        store.sync(tmp_path)
        logs.write(tmp_path, TRUE)
        _accept(tmp_path)
        reports = [store.sync(tmp_path), store.sync(tmp_path), store.rebuild(tmp_path)]

        told = (
            f"{path.relative_to(tmp_path)}: attempt 1 at pairing cup/0 was played already, as match"
            f" {TRUE.match_id}, which counts: it was accepted; this one is left out"
        )
        assert [report.refused for report in reports] == [(told,)] * 3


def test_s16_a_removed_log_gives_way_to_one_that_is_there(tmp_path: Path, url: str | None) -> None:
    """Where nothing was accepted, a sync comes to what a rebuild does once the stray log is removed."""
    with Store.under(tmp_path, url) as store:
        path = logs.write(tmp_path, STRAY)
        logs.write(tmp_path, TRUE)
        store.sync(tmp_path)
        assert store.results() == [STRAY]
        path.unlink()
        (told,) = store.sync(tmp_path).refused

        assert "the log of this one is gone" in told
        assert store.results() == [TRUE]
        grown = to_json(tables(store, decided(tmp_path)))
        assert store.rebuild(tmp_path).refused == ()
        assert to_json(tables(store, decided(tmp_path))) == grown


def test_s16_decisions_that_cannot_be_read_change_nothing(tmp_path: Path) -> None:
    """A broken decisions log is told with its tables; until it is put right the match made first is kept."""
    _accept(tmp_path)
    path = decisions_path(tmp_path, "cup")
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"opened", b"opener"))
    logs.write(tmp_path, STRAY)
    logs.write(tmp_path, TRUE)
    with Store.under(tmp_path) as store:
        store.sync(tmp_path)
        assert store.results() == [STRAY]
        path.write_bytes(whole)
        store.sync(tmp_path)

        assert store.results() == [TRUE]
