"""The arithmetic of base, bank, increment and lag credit."""

import pytest

from referee.errors import UsageError
from referee.match.clock import Clock
from referee.match.config import MAX_DURATION, TimeControl
from referee.match.turns import OpenTurn

MS = 1_000
SECOND = 1_000_000


def asked(clock: Clock, lag: int = 0) -> OpenTurn:
    """Returns a turn that was asked at 0, with the time that the clock gives."""
    return OpenTurn(0, 1, 0, clock.budget(), clock.bank, 3, start=0, credit=clock.credit(lag))


def test_t6_per_move_budget_is_not_carried_over_and_never_runs_out() -> None:
    """150 ms of a 200 ms base, sixty times, is never late and costs no bank."""
    clock = Clock(TimeControl(base=200 * MS, bank=0))

    for _ in range(60):
        assert not asked(clock).is_late(150 * MS)
        assert clock.charge(150 * MS) == 0
    assert asked(clock).is_late(200 * MS + 1)


def test_t6_bank_pays_only_what_exceeds_the_base() -> None:
    """A turn of 250 ms takes 50 ms of the bank; the exact last microsecond is still in time."""
    clock = Clock(TimeControl(base=200 * MS, bank=100 * MS))

    assert clock.charge(250 * MS) == 50 * MS
    assert not asked(clock).is_late(250 * MS)
    assert asked(clock).is_late(250 * MS + 1)
    assert clock.charge(250 * MS) == 0
    assert clock.budget() == 200 * MS


def test_increment_is_added_after_the_check() -> None:
    """A deal adds the increment to what is left of the bank."""
    clock = Clock(TimeControl(base=1 * SECOND, bank=2 * SECOND, increment=500 * MS))

    clock.charge(2 * SECOND)
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


def test_lag_saves_an_answer_up_to_the_credit_and_costs_the_whole_bank() -> None:
    """An answer within the credit is in time, one microsecond more is late."""
    clock = Clock(TimeControl(base=1 * SECOND, bank=1 * SECOND))
    turn = asked(clock, lag=100 * MS)

    assert not turn.is_late(2_100 * MS)
    assert turn.is_late(2_100 * MS + 1)
    assert clock.charge(2_040 * MS) == 0


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


@pytest.mark.parametrize(
    "text", ["99999999999999999h+0", f"5s+0,bank={'9' * 5000}s", "5s+0,join=721h", f"{'1' * 9000}", "30.5x+0"]
)
def test_a_limit_is_at_most_30_days_and_its_refusal_a_short_line(text: str) -> None:
    """Numbers without measure are refused like any other, and not shown at full length."""
    with pytest.raises(UsageError) as refused:
        TimeControl.parse(text)

    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 250


def test_a_limit_may_be_30_days() -> None:
    """The longest limit is taken."""
    assert TimeControl.parse("720h+0").base == MAX_DURATION
