"""Tables of a store and of decisions: the same however and whenever they came together."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.store.decision_log import DecisionLog, decisions_path
from referee.store.store import Store
from referee.store.tables import Decided, decided, everything, leaderboards, tables, tables_of
from referee.tournament.decision import (
    Accepted,
    Decision,
    Disqualified,
    Opened,
    Returned,
    Unplayed,
    Voided,
    Withdrawn,
)
from referee.tournament.export import to_json
from referee.tournament.result import MatchResult
from tests.store import logs
from tests.tournament.samples import match_id, result

MATCHES = 10
SCORES = {"ann": 3, "bob": 2, "cyd": 1}
DECISIONS: list[Decision] = [
    Voided(at=1, match_id=match_id(2), why="the lights went out"),
    Disqualified(at=2, bot="dee", why="two accounts"),
    Withdrawn(at=3, bot="ann", why="no time"),
    Accepted(at=4, pairing_id="cup/1", attempt=1, match_ids=(match_id(2),)),
    Unplayed(at=5, pairing_id="cup/3", why="3 attempts", at_fault=("bob",)),
    Returned(at=6, bot="dee", why="cleared"),
]


def matches() -> list[MatchResult]:
    """Returns matches of five pairings of the tournament `cup`, two attempts at each."""
    bots = ("ann", "bob", "cyd", "dee")
    return [
        result(
            number,
            {bot: (number + 1) * (at + 2) * 7 % 90 for at, bot in enumerate(bots) if at != number % 5},
            termination="void" if number == 5 else "completed",
            pairing=f"cup/{number // 2}",
            attempt=1 + number % 2,
            tournament="cup",
        )
        for number in range(MATCHES)
    ]


@settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.permutations(range(MATCHES)), st.lists(st.sampled_from(range(MATCHES)), min_size=6, max_size=6))
def test_k16_tables_equal_rebuilt_ones_after_each_match_and_decision(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], when: list[int]
) -> None:
    """In any order, voids and disqualifications included, a grown index equals one from the logs (K16)."""
    root = tmp_path_factory.mktemp("grown")
    log = DecisionLog(decisions_path(root, "cup"))
    log.append(Opened(at=0, tournament="cup", file="0" * 64))
    every = matches()
    with Store.under(root) as grown, Store.open(root / "rebuilt.db") as rebuilt:
        for step, number in enumerate(order):
            logs.write(root, every[number])
            log.append(*(one for one, at in zip(DECISIONS, sorted(when), strict=True) if at == step))
            grown.sync(root)
            rebuilt.rebuild(root)
            known = decided(root)

            assert to_json(tables(grown, known), crosstable=True) == to_json(
                tables(rebuilt, known), crosstable=True
            )


def test_s7_the_last_table_is_the_same_for_every_order(tmp_path: Path) -> None:
    """Whichever match came first, what counts in the end is what the decisions say (S7)."""
    log = DecisionLog(decisions_path(tmp_path, "cup"))
    log.append(Opened(at=0, tournament="cup", file="0" * 64), *DECISIONS)
    shown = set()
    for name, every in (("a", matches()), ("b", matches()[::-1])):
        with Store.open(tmp_path / f"{name}.db") as store:
            for each in every:
                store.add_result(each)
            shown.add(to_json(tables(store, decided(tmp_path))))
            (table,) = tables(store, decided(tmp_path))

    assert len(shown) == 1
    # Five pairings: of one the accepted match was made void, one was given up.
    assert table.matches == 3
    assert table.apart == {"superseded": 5, "void": 1, "voided": 1}


def test_tables_of_one_tournament_need_no_others(tmp_path: Path) -> None:
    """A tournament alone shows the same table as among all; an unrated one counts only alone."""
    with Store.under(tmp_path) as store:
        for each in matches():
            store.add_result(each)
        store.add_result(result(20, {"eve": 1, "fay": 2}, pairing="run/0", rated=False))
        nothing = Decided()

        assert tables_of(store, nothing, "cup") == tables(store, nothing)[1:]
        assert [table.matches for table in tables(store, nothing)] == [0, 5]
        assert [table.matches for table in tables_of(store, nothing, "run")] == [1]
        assert tables_of(store, nothing, "ru") == ()
        assert tables(store, nothing, game="guan_pai") == ()


def test_everything_is_what_the_single_tables_and_leaderboards_are(tmp_path: Path) -> None:
    """Of the tables of all matches those of unrated tournaments give way to what they are by themselves."""
    every = [
        *matches(),
        *(result(20 + n, SCORES, rated=False, tournament="dry", pairing=f"dry/{n}") for n in range(3)),
        *(result(30 + n, SCORES, rated=False, pairing=f"rr-seeded/{n}") for n in range(2)),
        *(result(40 + n, SCORES, pairing=f"rr-fair/{n}") for n in range(2)),
        result(50, {"ann": 9, "easy": 3, "easy/2": 2}, tournament="quest", pairing="quest/0"),
        result(51, {"ann": 9, "easy": 3, "easy/2": 2}, rated=False),
    ]
    with Store.under(tmp_path) as store:
        for each in every:
            store.add_result(each)
        known = decided(tmp_path)
        found = everything(store, known)
        together = {table.key: table for table in tables(store, known)}
        for name in ("cup", "dry", "rr-seeded", "rr-fair", "quest"):
            together |= {table.key: table for table in tables_of(store, known, name)}

        assert {table.key: table for table in found.standings} == together
        assert {table.key.tournament: table.matches for table in found.standings} == {
            "": 2,
            "cup": 5,
            "dry": 3,
            "rr-seeded": 2,
            "rr-fair": 2,
            "quest": 1,
        }
        assert found.leaderboards == leaderboards(store, known)
        assert [board.key.tournament for board in found.leaderboards] == ["quest"]
