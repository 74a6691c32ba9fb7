"""Standings under decisions: any order of arrival, who left, how matches ended, who met whom."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.decision import (
    Accepted,
    Bye,
    Decision,
    Disqualified,
    Rulings,
    Unplayed,
    Voided,
    Withdrawn,
    rulings,
)
from referee.tournament.export import to_json
from referee.tournament.result import MatchResult
from referee.tournament.standings import Row, Standings, fold
from tests.tournament.samples import match_id, result

BOTS = ("ann", "bob", "cyd", "dee")


def table_of(results: list[MatchResult], *decisions: Decision) -> Standings:
    """Returns the one table of the results of the tournament `cup`."""
    (table,) = fold(results, {"cup": rulings(decisions)})
    return table


def row(table: Standings, bot: str) -> Row:
    """Returns the row of a bot."""
    return next(row for row in table.rows if row.bot == bot)


def cup(number: int, scores: dict[str, int], **more: object) -> MatchResult:
    """Returns a match of the tournament `cup`, of a pairing of its own."""
    more = {"pairing": f"cup/{number}", "tournament": "cup", **more}
    return result(number, scores, **more)  # type: ignore[arg-type]


@st.composite
def seasons(draw: st.DrawFn) -> list[MatchResult]:
    """Draws matches of two tournaments and of none: single ones, parts of blocks, several attempts."""
    season = []
    for number in range(draw(st.integers(1, 14))):
        bots = draw(st.permutations(BOTS))[: draw(st.integers(2, 4))]
        tournament = draw(st.sampled_from(["cup", "cup", "league", ""]))
        parts = draw(st.sampled_from([1, 2]))
        index, attempt = draw(st.integers(0, 2)), draw(st.integers(1, 2))
        part = f".{draw(st.integers(0, 1))}" if parts == 2 else ""
        season.append(
            result(
                number,
                {bot: draw(st.integers(0, 2)) * 10 for bot in bots},
                forfeits=draw(st.sampled_from([(), (bots[0],)])),
                causes={bots[0]: draw(st.sampled_from(["late", "gone", ""]))},
                termination=draw(
                    st.sampled_from(["completed", "completed", "adjudicated", "void", "no_show"])
                ),
                pairing=f"{tournament or 'run'}/{index + 3 * parts}{part}",
                attempt=attempt,
                parts=parts,
                group=f"{tournament} {index} {attempt}",
                rated=draw(st.sampled_from([True, True, True, False])),
                version=draw(st.sampled_from(["1", "2"])),
                created=draw(st.sampled_from([1, 2, 3, 90_000_000_000])),
                tournament=tournament,
                think=draw(st.sampled_from([(), (3, 4)])),
            )
        )
    return season


@st.composite
def decisions(draw: st.DrawFn) -> list[Decision]:
    """Draws what may be decided about a season."""
    drawn: list[Decision] = []
    for _ in range(draw(st.integers(0, 5))):
        bot, number = draw(st.sampled_from(BOTS)), draw(st.integers(0, 13))
        pairing = f"cup/{draw(st.integers(0, 8))}"
        choices: list[Decision] = [
            Voided(at=1, match_id=match_id(number), why="w"),
            Disqualified(at=1, bot=bot, why="w"),
            Withdrawn(at=1, bot=bot, why="w"),
            Unplayed(at=1, pairing_id=pairing, why="w", at_fault=(bot,)),
            Accepted(at=1, pairing_id=pairing, attempt=1, match_ids=(match_id(number),)),
            Bye(at=1, round=number, bot=bot),
        ]
        drawn.append(draw(st.sampled_from(choices)))
    return drawn


def decided(drawn: list[Decision]) -> dict[str, Rulings]:
    """Returns the same decisions for both tournaments and for the run."""
    return {name: rulings(drawn) for name in ("cup", "league", "run")}


@settings(deadline=None)
@given(seasons(), decisions(), st.randoms(use_true_random=False))
def test_s7_decisions_change_nothing_about_the_order_of_arrival(
    season: list[MatchResult], drawn: list[Decision], rng: object
) -> None:
    """The same matches and decisions give the same bytes in every order, also when some come twice (S7)."""
    shuffled = season + season[:2]
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    said = decided(drawn)

    assert to_json(fold(season, said), crosstable=True) == to_json(fold(shuffled, said), crosstable=True)


@settings(deadline=None)
@given(seasons(), decisions())
def test_k10_all_counters_come_from_one_source(season: list[MatchResult], drawn: list[Decision]) -> None:
    """Terminations, reasons and the ends of each row add up to the matches, whatever was decided (K10)."""
    for table in fold(season, decided(drawn)):
        every = sum(table.terminations.values())
        ends = [sum(row.ends.values()) for row in table.rows]

        assert every == table.matches + sum(table.apart.values())
        assert 2 * every <= sum(ends) <= 4 * every
        assert sum(row.matches for row in table.rows) >= 2 * table.matches
        for each in table.rows:
            counted = [end for end in each.ends if end.startswith(("completed", "adjudicated", "forfeited"))]
            assert sum(each.ends[end] for end in counted) == each.matches == sum(each.ranks)
            assert (each.matches == 0) is (each.points is None) is (each.rating is None)


@settings(deadline=None, max_examples=50)
@given(seasons(), decisions())
def test_k16_a_match_changes_none_who_did_not_play_it(
    season: list[MatchResult], drawn: list[Decision]
) -> None:
    """One more match leaves the points, ratings and counts of all others as they were (K16)."""
    said = decided(drawn)
    last = result(99, {"ann": 3, "bob": 1}, pairing="cup/99", tournament="cup", created=10**15)
    before = {(table.key, each.line): each for table in fold(season, said) for each in table.rows}
    for table in fold([*season, last], said):
        for each in table.rows:
            known = before.get((table.key, each.line))
            if known is None or {each.bot} <= {"ann", "bob"}:
                continue
            alike = replace(each, place=known.place, lead=known.lead, ranks=known.ranks)
            assert alike == known
            assert [count for count in each.ranks if count] == [count for count in known.ranks if count]


def test_k10_forfeits_are_told_by_their_cause() -> None:
    """Ten matches, three lost by late answers and one by a process that ended: counted as that (K10)."""
    season = [
        cup(
            n,
            {"ann": 9, "bob": 5},
            forfeits=["ann"] if n < 4 else [],
            causes={"ann": "late" if n else "gone"},
        )
        for n in range(9)
    ]
    season[:4] = [replace(match, termination="forfeited") for match in season[:4]]
    season.append(cup(9, {"ann": 0, "bob": 0}, termination="no_show", at_fault=["ann"]))
    table = table_of(season)

    assert table.terminations == {"completed": 5, "forfeited": 4, "no_show": 1}
    assert row(table, "ann").ends == {
        "completed": 5,
        "forfeited_gone": 1,
        "forfeited_late": 3,
        "no_show": 1,
    }
    assert row(table, "bob").ends == {"completed": 5, "ended_by_forfeits": 4, "no_show_of_others": 1}
    assert (row(table, "ann").forfeits, row(table, "bob").forfeits) == (4, 0)
    assert (row(table, "ann").no_shows, row(table, "bob").voids) == (1, 1)


def test_k7_who_left_stands_below_all_who_stayed() -> None:
    """Withdrawn bots stand below, whatever they won; disqualified ones last, with no match (K7)."""
    season = [cup(n, {"ann": 9, "dee": 1}) for n in range(3)]
    season += [cup(n, {"bob": 2, "cyd": 1}) for n in range(3, 6)]
    season += [cup(6, {"eve": 9, "cyd": 0}), cup(7, {"fay": 0, "gus": 0}, termination="void")]
    table = table_of(
        season,
        Withdrawn(at=1, bot="ann", why="after three wins"),
        Withdrawn(at=2, bot="dee", why="after three losses"),
        Disqualified(at=3, bot="eve", why="two accounts"),
    )

    assert [(each.place, each.bot, each.left) for each in table.rows] == [
        (1, "bob", ""),
        (2, "cyd", ""),
        (3, "fay", ""),
        (3, "gus", ""),
        (5, "ann", "withdrawn"),
        (6, "dee", "withdrawn"),
        (7, "eve", "disqualified"),
    ]
    assert row(table, "ann").why == "after three wins"
    assert (row(table, "ann").matches, row(table, "eve").matches, row(table, "cyd").matches) == (3, 0, 3)
    assert row(table, "cyd").ends == {"completed": 3, "disqualified": 1}
    assert row(table, "bob").lead
    assert row(table, "cyd").lead is None


def test_s13_what_was_not_played_is_shown() -> None:
    """Pairings that were given up and byes are there by name, once, and count for nobody (S13)."""
    table = table_of(
        [cup(0, {"ann": 9, "bob": 1}), cup(1, {"ann": 9, "bob": 1}, termination="void")],
        Bye(at=1, round=0, bot="ann"),
        Bye(at=1, round=0, bot="ann"),
        Bye(at=1, round=3, bot="ann"),
        Unplayed(at=2, pairing_id="cup/1", why="3 attempts were spoiled"),
        Unplayed(at=3, pairing_id="cup/2", why="bob did not show up", at_fault=("bob",)),
        Unplayed(at=4, pairing_id="cup/0", why="too late: it was accepted"),
        Accepted(at=3, pairing_id="cup/0", attempt=1, match_ids=(match_id(0),)),
    )

    assert [one.pairing_id for one in table.unplayed] == ["cup/1", "cup/2"]
    assert table.byes == {"ann": 2}
    assert [(row(table, bot).byes, row(table, bot).unplayed) for bot in ("ann", "bob")] == [(2, 0), (0, 1)]
    assert (table.matches, row(table, "bob").points.mean) == (1, 0.0)  # type: ignore[union-attr]
    (values,) = json.loads(to_json([table]))["tables"]
    assert values["unplayed"][1] == {"pairing_id": "cup/2", "why": "bob did not show up", "at_fault": ["bob"]}


def test_what_was_given_up_stands_with_the_game_it_was_tried_in() -> None:
    """In a ladder of two games a pairing that was tried in one is not shown with the other."""
    here = cup(0, {"ann": 9, "bob": 1}, termination="void")
    there = replace(cup(1, {"ann": 9, "bob": 1}), game="guan_pai")
    said = {"cup": rulings([Unplayed(at=1, pairing_id=f"cup/{n}", why="w") for n in (0, 7)])}
    first, second = fold([here, there], said)

    assert [one.pairing_id for one in first.unplayed] == ["cup/0", "cup/7"]
    assert [one.pairing_id for one in second.unplayed] == ["cup/7"]


def test_tables_of_tournaments_are_apart() -> None:
    """The same bots in another tournament, or in none, have other tables."""
    season = [result(n, {"ann": n, "bob": 1}, tournament=name) for n, name in enumerate(["", "cup", "cup"])]

    assert [(table.key.tournament, table.matches) for table in fold(season)] == [("", 1), ("cup", 2)]


def test_older_versions_take_nobody_s_place() -> None:
    """Places count current versions; an earlier one has the place that it would have among them."""
    season = [cup(0, {"ann": 9, "bob": 1}), cup(1, {"bob": 9, "cyd": 1, "ann": 0}, version="2")]
    table = table_of(season)

    assert [(each.place, each.bot, each.version, each.current) for each in table.rows] == [
        (1, "ann", "1", False),
        (1, "bob", "2", True),
        (2, "cyd", "2", True),
        (3, "bob", "1", False),
        (3, "ann", "2", True),
    ]


def test_the_crosstable_tells_who_was_placed_before_whom() -> None:
    """Shares of two rows sum to 1, a shared place is half a win, and who never met has none."""
    season = [
        cup(0, {"ann": 9, "bob": 5, "cyd": 5}),
        cup(1, {"ann": 1, "bob": 5}),
        cup(2, {"bob": 9, "cyd": 1}, forfeits=["bob"]),
        cup(3, {"ann": 9, "dee": 0}, termination="void"),
    ]
    table = table_of(season)
    ann, bob, cyd, dee = (row(table, bot).line for bot in BOTS)

    assert table.against(ann, bob) == (2, 1.0)
    assert table.against(bob, ann) == (2, 1.0)
    assert table.against(bob, cyd) == (2, 0.5)
    assert table.against(cyd, bob) == (2, 1.5)
    assert table.against(ann, dee) == (0, 0.0)
    (values,) = json.loads(to_json([table], crosstable=True))["tables"]
    by_bot = {each["bot"]: each["against"] for each in values["rows"]}
    assert {"bot": "bob", "version": "1", "matches": 2, "share": 0.75} in by_bot["cyd"]
    assert by_bot["dee"] == []


def test_think_time_is_the_mean_of_all_turns() -> None:
    """Each turn weighs the same, in whichever match it was; the longest is the longest of all."""
    season = [cup(0, {"ann": 9, "bob": 5}, think=(10, 20)), cup(1, {"ann": 9, "bob": 5}, think=(60,))]
    (values,) = json.loads(to_json([table_of(season)]))["tables"]

    for each in values["rows"]:
        assert (each["turns"], each["think_mean_us"], each["think_longest_us"]) == (3, 30, 60)
    assert json.loads(to_json([table_of(season)]))["tables"][0]["updated"] == season[1].created + 5


@pytest.mark.parametrize("decision", [Voided(at=1, match_id=match_id(1), why="w"), None])
def test_k6_a_match_that_was_made_void_is_a_void_match(decision: Decision | None) -> None:
    """What an operator took out leaves no trace but a void one (K6)."""
    season = [cup(0, {"ann": 9, "bob": 5}), cup(1, {"ann": 5, "bob": 9})]
    if decision is None:
        season[1] = cup(1, {"ann": 5, "bob": 9}, termination="void")
    table = table_of(season, *([decision] if decision else []))

    assert table.terminations == {"completed": 1, "void": 1}
    assert (row(table, "ann").voids, row(table, "ann").matches) == (1, 1)
    assert row(table, "ann").rating == row(table_of(season[:1]), "ann").rating
