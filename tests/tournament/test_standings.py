"""Standings: placement points, intervals, and what counts."""

import itertools
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import RecordError
from referee.tournament.export import to_json
from referee.tournament.result import MatchResult
from referee.tournament.standings import Row, Standings, fold
from tests.tournament.samples import result

BOTS = ("ann", "bob", "cyd", "dee")


def only(results: list[MatchResult]) -> Standings:
    """Returns the one table of the results."""
    (table,) = fold(results)
    return table


def row(table: Standings, bot: str) -> Row:
    """Returns the row of a bot."""
    return next(row for row in table.rows if row.bot == bot)


@st.composite
def seasons(draw: st.DrawFn) -> list[MatchResult]:
    """Draws the results of some matches, several attempts at some pairings among them."""
    season = []
    for number in range(draw(st.integers(1, 12))):
        bots = draw(st.permutations(BOTS))[: draw(st.integers(2, 4))]
        scores = {bot: draw(st.integers(0, 3)) * 10 for bot in bots}
        season.append(
            result(
                number,
                scores,
                forfeits=draw(st.sampled_from([(), (bots[0],)])),
                termination=draw(st.sampled_from(["completed", "adjudicated", "void", "no_show"])),
                pairing=draw(st.sampled_from(["", "p1", "p2"])),
                attempt=draw(st.integers(1, 2)),
                rated=draw(st.sampled_from([True, True, False])),
                group=draw(st.sampled_from(["", "g1"])),
                version=draw(st.sampled_from(["1", "2"])),
                options={"target": draw(st.sampled_from([50, 100]))},
                created=draw(st.integers(0, 5)),
            )
        )
    return season


@settings(deadline=None)
@given(seasons(), st.randoms(use_true_random=False))
def test_s7_standings_do_not_depend_on_the_order_of_arrival(season: list[MatchResult], rng: object) -> None:
    """The same set of results gives the same bytes in every order, also when some come twice (S7)."""
    shuffled = season + season[:2]
    rng.shuffle(shuffled)  # type: ignore[attr-defined]

    assert to_json(fold(season)) == to_json(fold(shuffled))


@settings(deadline=None)
@given(seasons())
def test_k10_every_match_has_one_reason_and_every_seat_one_column(season: list[MatchResult]) -> None:
    """Terminations add up to the matches, and each row accounts for each of its matches once (K10)."""
    for table in fold(season):
        every = sum(table.terminations.values())

        assert every == table.matches + sum(table.apart.values())
        assert [row.matches for row in table.rows] == [sum(row.ranks) for row in table.rows]
        assert 2 * every <= sum(sum(row.ends.values()) for row in table.rows) <= 4 * every
        for row in table.rows:
            assert row.matches == sum(
                count for end, count in row.ends.items() if end.startswith(("completed", "adj", "forf"))
            )


def test_k10_reasons_add_up_and_faults_are_counted_once() -> None:
    """Ten matches with three late answers and one drop: the counters say just that (K10)."""
    late = {"ann": {"late": 1}}
    season = [result(n, {"ann": n, "bob": 5}, faults=late if n < 3 else None) for n in range(9)]
    season.append(
        result(
            9, {"ann": 0, "bob": 0}, termination="no_show", faults={"bob": {"no_show": 1}}, at_fault=["bob"]
        )
    )
    table = only(season)

    assert dict(table.terminations) == {"completed": 9, "no_show": 1}
    assert table.matches == 9
    assert row(table, "ann").faults == {"late": 3}
    assert row(table, "bob").faults == {"no_show": 1}
    assert (row(table, "ann").voids, row(table, "ann").no_shows) == (1, 0)
    assert (row(table, "bob").voids, row(table, "bob").no_shows) == (0, 1)


def test_k6_voids_are_shown_apart_and_change_nothing_else() -> None:
    """Two wins and a void: a record of two matches, and the rating of two matches (K6)."""
    wins = [result(n, {"ann": 10, "bob": 0}) for n in range(2)]
    void = result(2, {"ann": 0, "bob": 99}, termination="void")
    with_void, without = row(only([*wins, void]), "ann"), row(only(wins), "ann")

    assert with_void.ranks == (2, 0)
    assert with_void.voids == 1
    assert with_void.ends == {"completed": 2, "void": 1}
    assert replace(with_void, ends=without.ends) == without


@pytest.mark.parametrize("termination", ["no_show", "void"])
def test_k9_a_match_that_nobody_played_is_no_draw(termination: str) -> None:
    """Where nobody shows up, or all forfeit, there are no points, no rating, no placement (K9)."""
    table = only([result(0, {"ann": 0, "bob": 0}, termination=termination, at_fault=["ann", "bob"])])

    assert table.matches == 0
    for each in table.rows:
        assert (each.matches, each.points, each.score, each.rating) == (0, None, None, None)
    assert "NaN" not in to_json([table])


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ({"ann": 5, "bob": 5}, {"ann": (1, 0), "bob": (1, 0)}),
        ({"ann": 5, "bob": 5, "cyd": 1}, {"ann": (1, 0, 0), "bob": (1, 0, 0), "cyd": (0, 0, 1)}),
        ({"ann": 9, "bob": 5, "cyd": 5, "dee": 1}, {"bob": (0, 1, 0, 0), "cyd": (0, 1, 0, 0)}),
    ],
)
def test_k14_tied_seats_share_place_points_and_rating(
    scores: dict[str, int], ranks: dict[str, tuple[int, ...]]
) -> None:
    """One vector of shared places is used for placements, points and rating (K14)."""
    table = only([result(0, scores)])
    assert {bot: row(table, bot).ranks for bot in ranks} == ranks

    for one, other in itertools.combinations(scores, 2):
        tied = scores[one] == scores[other]
        first, second = row(table, one), row(table, other)
        assert first.rating
        assert second.rating
        assert (first.points == second.points) is tied
        assert (first.rating.mean == pytest.approx(second.rating.mean)) is tied
        assert (first.place == second.place) is tied


@pytest.mark.parametrize(
    ("scores", "forfeits", "points"),
    [
        ({"ann": 9, "bob": 5, "cyd": 5, "dee": 1}, [], [1, 0.5, 0.5, 0]),
        ({"ann": 9, "bob": 5, "cyd": 3, "dee": 1}, [], [1, 2 / 3, 1 / 3, 0]),
        ({"ann": 9, "bob": 9, "cyd": 9, "dee": 9}, [], [0.5] * 4),
        ({"ann": 9, "bob": 5, "cyd": 3, "dee": 1}, ["ann"], [0, 1, 2 / 3, 1 / 3]),
        ({"ann": 9, "bob": 5, "cyd": 3, "dee": 1}, ["ann", "bob"], [0, 0, 1, 2 / 3]),
    ],
)
def test_placement_points_follow_from_places(
    scores: dict[str, int], forfeits: list[str], points: list[float]
) -> None:
    """Points are (k - mean rank of the tied)/(k - 1); a forfeited seat has 0."""
    table = only([result(0, scores, forfeits=forfeits)])
    means = [found.mean for bot in scores if (found := row(table, bot).points)]

    assert means == pytest.approx(points)


@pytest.mark.parametrize(
    ("seat", "change", "said"),
    [
        (0, {"points": 0.5}, "placement points"),
        (0, {"rank": 2}, "are no places"),
        (1, {"bot": "ann"}, "holds two seats"),
        (1, {"bot": "ANN"}, "holds two seats"),
        (1, {"bot": ""}, "a seat has no bot"),
        (1, {"bot": " "}, "a seat has no bot"),
        (1, {"score": 9}, "places and scores disagree"),
        (1, {"score": 3}, "places and scores disagree"),
        (0, {"forfeited": True}, "not placed last"),
        (0, {"points": float("nan")}, "placement points"),
        (0, {"score": 1 << 63}, "score 9223372036854775808 of seat 0"),
        (2, {"score": -(1 << 63)}, "of seat 2 is out of range"),
        (1, {"strikes": 1 << 63}, "is no count of 'strikes' of seat 1"),
        (1, {"strikes": -1}, "is no count of 'strikes'"),
        (2, {"faults": {"late": -1}}, "is no count of 'late' of seat 2"),
        (2, {"name": "a\0b"}, "a zero byte"),
        (2, {"owner": "a" * 5000}, "more than 512 characters"),
    ],
)
def test_s16_a_result_that_contradicts_itself_is_refused(
    seat: int, change: dict[str, object], said: str
) -> None:
    """Duplicate seats, and places, points or forfeits that disagree, are refused by log (S16)."""
    sound = replace(result(0, {"ann": 9, "bob": 5, "cyd": 4}), log="replays/2025/01/01/x.jsonl")
    seats = list(sound.seats)
    seats[seat] = replace(seats[seat], **change)  # type: ignore[arg-type]

    with pytest.raises(RecordError, match=rf"^replays/2025/01/01/x.jsonl: .*{said}"):
        fold([replace(sound, seats=tuple(seats))])


@pytest.mark.parametrize("termination", ["completed", "forfeited", "adjudicated"])
def test_s16_a_match_that_all_forfeited_is_void_and_nothing_else(termination: str) -> None:
    """With no seat left nobody has won, and a match that ended by forfeits has one left (S16)."""
    bots = {"ann": 9, "bob": 5, "cyd": 4}
    nobody = replace(result(0, bots, forfeits=list(bots)), termination=termination)
    with pytest.raises(RecordError, match=f"all seats forfeited, so the match is void and not {termination}"):
        fold([nobody])
    early = replace(result(0, bots, forfeits=["ann"]), termination="forfeited")
    with pytest.raises(RecordError, match="a match that ended by forfeits has one seat left, not 2"):
        fold([early])

    assert fold([replace(result(0, bots, forfeits=["ann", "bob"]), termination="forfeited")])[0].matches == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"created": 1 << 63}, "no time of a match"),
        ({"created": -1}, "no time of a match"),
        ({"attempt": 1 << 63}, "no attempt"),
        ({"attempt": 0}, "no attempt"),
        ({"attempt": -5}, "no attempt"),
        ({"seats": ()}, "0 seats are no match"),
        ({"seats": result(0, {"ann": 1}).seats}, "1 seats are no match"),
        ({"seats": result(0, {f"b{n}": n for n in range(13)}).seats}, "13 seats are no match"),
        ({"termination": "won"}, "unknown termination 'won'"),
    ],
)
@pytest.mark.parametrize("termination", ["completed", "void"])
def test_s16_a_result_that_no_match_can_have_is_refused(
    termination: str, change: dict[str, object], said: str
) -> None:
    """Numbers out of range and tables of no size are refused by log, also where they would not count."""
    sound = replace(
        result(0, {"ann": 9, "bob": 5}, termination=termination), log="replays/2025/01/01/x.jsonl"
    )

    with pytest.raises(
        RecordError, match=rf"^replays/2025/01/01/x.jsonl: .*{said}.*; this match is left out$"
    ):
        fold([replace(sound, **change)])  # type: ignore[arg-type]


def test_s16_an_attempt_at_a_pairing_counts_once() -> None:
    """Of two matches for one attempt the first made counts; of two attempts the latest that counts."""
    first = result(1, {"ann": 9, "bob": 5}, pairing="p")
    rival = result(2, {"ann": 5, "bob": 9}, pairing="p")
    again = result(3, {"ann": 5, "bob": 9}, pairing="p", attempt=2)
    void = result(4, {"ann": 0, "bob": 0}, pairing="p", attempt=3, termination="void")

    assert row(only([rival, first]), "ann").ranks == (1, 0)
    assert row(only([again, void, first, rival]), "ann").ranks == (0, 1)
    assert row(only([again, void, first, rival]), "ann").voids == 1


def test_tables_are_never_summed_across_options_or_versions_of_a_bot() -> None:
    """Other options make another table, another version of a bot another row."""
    season = [
        result(0, {"ann": 9, "bob": 5}),
        result(1, {"ann": 9, "bob": 5}, version="2"),
        result(2, {"ann": 9, "bob": 5}, options={"target": 50}),
    ]
    first, second = fold(season)

    assert [first.key.options, second.key.options] == [(("target", 100),), (("target", 50),)]
    assert [(row.bot, row.version, row.current) for row in first.rows] == [
        ("ann", "2", True) if at == 1 else entry
        for at, entry in enumerate([("ann", "1", False), (), ("bob", "1", False), ("bob", "2", True)])
    ]


def test_ties_in_the_table_are_ordered_by_name() -> None:
    """Rows that are equal in points and rating share a place and stand in the order of their names."""
    table = only([result(0, {"dee": 5, "Bob": 5, "ann": 5, "cyd": 5})])

    assert [(row.place, row.name) for row in table.rows] == [(1, "ann"), (1, "Bob"), (1, "cyd"), (1, "dee")]


def test_intervals_are_taken_over_deal_groups() -> None:
    """Matches that share their deals count as one group: the interval is wider, one group has none."""
    apart = [result(n, {"ann": n % 2, "bob": (n + 1) % 2}) for n in range(40)]
    paired = [replace(each, deal_group=f"g{number // 8}") for number, each in enumerate(apart)]
    one = [replace(each, deal_group="g") for each in apart]
    wide, none = row(only(apart), "ann").points, row(only(one), "ann").points
    assert wide
    assert none
    assert wide.low is not None
    assert wide.high is not None

    assert wide.low < 0.5 < wide.high
    assert (none.mean, none.low, none.high) == (0.5, None, None)
    assert only(paired).deal_groups == 5
    narrow = row(only(paired), "ann").points
    assert narrow
    assert (narrow.low, narrow.high) == (0.5, 0.5)


def test_the_json_has_no_infinite_number_and_only_ascii() -> None:
    """The exported tables are strict JSON in ASCII whatever the bots are called."""
    text = to_json(fold([result(0, {"ann": 1, "bøb 🁣": 2})]))

    assert text.isascii()
    assert json.loads(text)["tables"][0]["rows"][0]["name"] == "bøb 🁣"
