"""How ratings went: by day and by match, and never more of it than a page can show."""

import random

from referee.tournament.history import MOST, Course
from referee.tournament.rating import Rating
from referee.tournament.result import DAY
from referee.tournament.standings import fold
from referee.tournament.tally import Line
from tests.tournament.samples import result


def test_a_history_ends_with_the_rating_of_the_table() -> None:
    """Each day that a row played has one point, each match has one, and the last of both is its rating."""
    rng = random.Random(3)
    season = [
        result(n, {bot: rng.randrange(9) for bot in "abc"}, created=(n // 4) * DAY + n, rated=n != 5)
        for n in range(12)
    ]
    (table,) = fold(season)

    for row in table.rows:
        history = table.history[row.line]
        assert [point.at for point in history.days] == [0, 1, 2]
        assert [point.at for point in history.matches] == list(range(1, 12))
        assert history.days[-1].rating == history.matches[-1].rating == row.rating
        assert history.days[0].rating == history.matches[3].rating


def test_what_does_not_count_leaves_no_trace() -> None:
    """A row without a counted match has no history; the others have one of what counts."""
    void = result(1, {"a": 1, "d": 0}, termination="void")
    (table,) = fold([result(0, {"a": 1, "b": 0}), void])

    assert set(table.history) == {Line("a", "1"), Line("b", "1")}


def test_a_long_course_stays_short() -> None:
    """Neighbours are joined where there are too many points; the order and the last one stay."""
    course = Course()
    for at in range(1, 100_001):
        course.add(at, Rating(25 + at / 1000, 1))

    found = [point.at for point in course.points]
    assert MOST // 2 <= len(found) <= MOST
    assert found == sorted(set(found))
    assert course.points[-1].at == 100_000
