"""Ranking points for matches won against house bots of one level."""

import random

import pytest

from referee.tournament.decision import Disqualified, Voided, Withdrawn, rulings
from referee.tournament.leaderboard import A_DAY, RANKING_POINTS, Tally, leaderboards
from referee.tournament.result import DAY, MatchResult
from tests.tournament.samples import match_id, result

NIGHT = 20_000 * DAY
"""The first microsecond of some day."""


def challenge(
    number: int,
    bot: str,
    score: int,
    level: str = "easy",
    others: tuple[int, int, int] = (40, 30, 20),
    created: int = NIGHT,
    forfeits: tuple[str, ...] = (),
) -> MatchResult:
    """Returns a match of a bot against three house bots of a level."""
    house = (level, f"{level}-2", f"{level}-3")
    scores = {bot: score} | {f"{level}/{name}": one for name, one in zip(house, others, strict=True)}
    return result(number, scores, created=created + number, forfeits=forfeits, tournament="cup")


def test_each_level_has_its_points() -> None:
    """A match won against easy, normal and expert house bots is worth 10, 30 and 100."""
    results = [challenge(number, "ann", 100, level) for number, level in enumerate(RANKING_POINTS)]
    (board,) = leaderboards(results)
    (ann,) = board.rows

    assert dict(RANKING_POINTS) == {"easy": 10, "normal": 30, "expert": 100}
    assert (ann.place, ann.bot, ann.points) == (1, "ann", 140)
    assert ann.levels == dict.fromkeys(RANKING_POINTS, Tally(1, 1, 60))
    assert board.key.tournament == "cup"


@pytest.mark.parametrize(
    "lost",
    [
        challenge(0, "ann", 30),
        challenge(0, "ann", 40),
        challenge(0, "ann", 100, forfeits=("ann",)),
    ],
    ids=["behind", "tied for first", "forfeited"],
)
def test_only_the_first_place_alone_wins(lost: MatchResult) -> None:
    """A lost match, a shared first place and a forfeit are worth nothing, and count as matches."""
    (board,) = leaderboards([lost])

    assert board.rows[0].points == 0
    assert board.rows[0].levels == {"easy": Tally(1, 0, None)}


def test_the_best_result_is_the_largest_margin_over_those_who_stayed() -> None:
    """Of several wins the largest margin is kept; a house bot that forfeited is nobody to be ahead of."""
    results = [
        challenge(0, "ann", 45),
        challenge(1, "ann", 70),
        challenge(2, "ann", 50),
        challenge(3, "bob", 60, others=(90, 30, 20), forfeits=("easy/easy",)),
    ]
    (board,) = leaderboards(results)

    assert [row.levels["easy"].margin for row in board.rows] == [30, 30]


def test_ten_matches_a_day_count_at_each_level() -> None:
    """The first ten of a day are taken, won or lost; the next day and another level begin anew."""
    results = [challenge(number, "ann", 10 if number < 3 else 100) for number in range(A_DAY + 4)]
    results += [challenge(20, "ann", 100, "normal"), challenge(21, "ann", 100, created=NIGHT + DAY)]
    random.Random(1).shuffle(results)
    (board,) = leaderboards(results)
    (ann,) = board.rows

    assert ann.levels["easy"] == Tally(matches=11, wins=8, margin=60, beyond=4)
    assert ann.points == 8 * 10 + 30


def test_other_matches_are_no_challenges() -> None:
    """Mixed levels, two challengers, no house bot, and a match that does not count."""
    others = [
        result(0, {"ann": 9, "easy/easy": 1, "normal/normal": 1}),
        result(1, {"ann": 9, "bob": 5, "easy/easy": 1}),
        result(2, {"ann": 9, "bob": 5}),
        result(3, {"easy/easy": 9, "easy/easy-2": 5}),
        result(4, {"ann": 9, "easy/easy": 1}, termination="void"),
        result(5, {"ann": 9, "easy/easy": 1}, rated=False),
    ]

    assert leaderboards(others) == ()


def test_k7_points_are_shared_places_and_who_left_stands_last() -> None:
    """Equal points share a place; a withdrawn bot keeps its points, below all who stayed (K7)."""
    results = [challenge(number, bot, 100) for number, bot in enumerate(("ann", "bob", "cyd", "cyd"))]
    results.append(challenge(9, "dee", 0))
    decided = {"cup": rulings([Withdrawn(at=1, bot="cyd", why="went home")])}
    (board,) = leaderboards(results, decided)

    assert [(row.place, row.bot, row.points, row.left) for row in board.rows] == [
        (1, "ann", 10, False),
        (1, "bob", 10, False),
        (3, "dee", 0, False),
        (4, "cyd", 20, True),
    ]


def test_what_an_operator_takes_out_is_worth_nothing() -> None:
    """A match that was made void does not count, nor any of a disqualified bot."""
    results = [challenge(0, "ann", 100), challenge(1, "ann", 100), challenge(2, "bob", 100)]
    decided = {
        "cup": rulings(
            [Voided(at=1, match_id=match_id(1), why="power cut"), Disqualified(at=2, bot="bob", why="cheats")]
        )
    }
    (board,) = leaderboards(results, decided)

    assert [(row.bot, row.points) for row in board.rows] == [("ann", 10)]
