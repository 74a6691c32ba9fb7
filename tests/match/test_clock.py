"""The arithmetic of base, bank, increment and lag credit."""

import pytest

from referee.errors import UsageError
from referee.match.clock import Clock, Spent
from referee.match.config import TimeControl

MS = 1_000
SECOND = 1_000_000


def test_t6_per_move_budget_is_not_carried_over_and_never_runs_out() -> None:
    """150 ms of a 200 ms base, sixty times, is never late and costs no bank."""
    clock = Clock(TimeControl(base=200 * MS, bank=0))

    for _ in range(60):
        assert not clock.is_late(150 * MS, 0)
        assert clock.spend(150 * MS, 0) == Spent(150 * MS, 0, 0)


def test_t6_bank_pays_only_what_exceeds_the_base() -> None:
    """A turn of 250 ms takes 50 ms of the bank; the exact last microsecond is still in time."""
    clock = Clock(TimeControl(base=200 * MS, bank=100 * MS))

    assert clock.spend(250 * MS, 0) == Spent(250 * MS, 0, 50 * MS)
    assert not clock.is_late(250 * MS, 0)
    assert clock.is_late(250 * MS + 1, 0)
    assert clock.spend(250 * MS, 0).bank == 0
    assert clock.budget() == 200 * MS


def test_increment_is_added_after_the_check() -> None:
    """A deal adds the increment to what is left of the bank."""
    clock = Clock(TimeControl(base=1 * SECOND, bank=2 * SECOND, increment=500 * MS))

    clock.spend(2 * SECOND, 0)
    clock.deal_started()

    assert clock.bank == 1_500 * MS


@pytest.mark.parametrize(
    ("base", "lag", "credit"),
    [
        (5 * SECOND, 30 * MS, 30 * MS),
        (5 * SECOND, 900 * MS, 200 * MS),
        (500 * MS, 900 * MS, 100 * MS),
        (5 * SECOND, 0, 0),
    ],
)
def test_lag_credit_is_bounded(base: int, lag: int, credit: int) -> None:
    """The credit is the least of lag, 200 ms and a fifth of the base."""
    assert Clock(TimeControl(base=base)).credit(lag) == credit


def test_lag_is_used_only_when_the_answer_would_be_late() -> None:
    """An answer in time costs what it took; a late one is saved by just the lag it needs."""
    control = TimeControl(base=1 * SECOND, bank=1 * SECOND)

    assert Clock(control).spend(1_500 * MS, 100 * MS) == Spent(1_500 * MS, 0, 500 * MS)
    assert Clock(control).spend(2_040 * MS, 100 * MS) == Spent(2_040 * MS, 40 * MS, 0)
    assert not Clock(control).is_late(2_100 * MS, 100 * MS)
    assert Clock(control).is_late(2_100 * MS + 1, 100 * MS)


@pytest.mark.parametrize("text", ["5s+0,bank=60s,join=60s,start=20s", "250ms+1s,bank=0,join=5s,start=1500us"])
def test_time_control_text_round_trips(text: str) -> None:
    """The text of a time control reads back as itself."""
    assert str(TimeControl.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", "5", "5s+", "0s+0", "5s+0,bank", "5s,bank=1s,bank=2s", "5s,x=1s", "-1s"]
)
def test_unreadable_time_control_is_refused_in_one_line(text: str) -> None:
    """A bad time control names itself and shows how to write one."""
    with pytest.raises(UsageError, match="write it like 5s"):
        TimeControl.parse(text)
