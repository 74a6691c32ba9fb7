"""Places and placement points."""

import pytest

from referee.match.result import places, points


@pytest.mark.parametrize(
    ("totals", "forfeits", "expected"),
    [
        ((100, 40, 40, 3), (), (1, 2, 2, 4)),
        ((100, 40, 60, 3), (0,), (4, 2, 1, 3)),
        ((100, 40, 60, 3), (0, 2), (4, 1, 3, 2)),
        ((7, 7, 7, 7), (3, 1), (1, 3, 1, 4)),
    ],
)
def test_forfeited_seats_are_placed_last(
    totals: tuple[int, ...], forfeits: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    """The last seat to forfeit is first among the forfeited; the rest go by totals."""
    assert places(totals, forfeits, lower_is_better=False) == expected


def test_lower_totals_win_where_the_game_says_so() -> None:
    """In a game of penalty points the lowest total is first."""
    assert places((3, 9, 0), (), lower_is_better=True) == (2, 3, 1)


@pytest.mark.parametrize(
    ("ranks", "forfeits", "expected"),
    [
        ((1, 2, 3, 4), (), (1, 2 / 3, 1 / 3, 0)),
        ((1, 1, 3, 4), (), (5 / 6, 5 / 6, 1 / 3, 0)),
        ((1, 1, 1, 1), (), (0.5, 0.5, 0.5, 0.5)),
        ((1, 2, 4, 3), (2, 3), (1, 2 / 3, 0, 0)),
    ],
)
def test_k14_points_share_the_tied_places(
    ranks: tuple[int, ...], forfeits: tuple[int, ...], expected: tuple[float, ...]
) -> None:
    """Tied seats get the mean of their places; a forfeited seat gets nothing."""
    assert points(ranks, forfeits) == pytest.approx(expected)
