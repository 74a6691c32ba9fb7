"""Time in a match: clocks, deadlines, lag, stalls, disconnects."""

import pytest

from referee.match import events as ev
from referee.match.attempt import Chosen, Index
from tests.match.harness import MS, QUICK, SECOND, Driver, advanced, legal, setup


def test_accepted_answer_is_recorded_with_its_think_time() -> None:
    """The clock runs from the first attempt to write the turn to the arrival of the answer."""
    driver = Driver(setup(time_control=QUICK))
    driver.now += 1_300 * MS

    driver.act()

    act = driver.all(ev.Act)[0]
    assert (act.think, act.credit, act.bank, act.turn, act.ply) == (1_300 * MS, 0, 1_700 * MS, 1, 1)


def test_clock_does_not_run_before_the_write_is_attempted() -> None:
    """The referee's own delay between asking and writing is nobody's time."""
    driver = Driver(setup(time_control=QUICK), start=False)
    for seat in range(4):
        driver.match.ready(seat, b"", driver.now)
    driver.now += 60 * SECOND
    driver.match.tick(driver.now)

    driver.asked()
    driver.now += 10 * MS
    driver.act()

    assert driver.all(ev.Act)[0].think == 10 * MS


def test_asking_again_does_not_restart_the_clock() -> None:
    """A reconnect in the middle of a turn tells the true remaining time."""
    driver = Driver(setup(time_control=QUICK))
    driver.now += 700 * MS

    driver.asked()

    assert driver.match.remaining(driver.now) == (2_300 * MS, 2_000 * MS)


@pytest.mark.parametrize("past_base", [0, 500 * MS])
def test_remaining_time_and_bank_add_up(past_base: int) -> None:
    """The bank is the part of the remaining time that exceeds the base."""
    driver = Driver(setup(time_control=QUICK))

    left, bank = driver.match.remaining(driver.now + 1 * SECOND + past_base)

    assert (left, bank) == (2 * SECOND - past_base, 2 * SECOND - past_base)


def test_t3_late_answer_costs_one_strike_and_is_not_applied() -> None:
    """An answer past base and bank plays the default action once, and the log has both times."""
    driver = advanced(Driver(setup(time_control=QUICK)))
    seat, turn, answer = driver.seat, driver.turn, Chosen(legal(driver)[-1])
    before = len(driver.records)

    driver.now += 3_900 * MS
    driver.match.act(seat, turn, answer, driver.now)

    assert driver.kinds(before)[:2] == ["Strike", "Default"]
    default = driver.all(ev.Default)[0]
    assert (default.cause, default.budget, default.think) == ("late", 3 * SECOND, 3_900 * MS)
    assert driver.match.conduct.faults[seat] == {"late": 1}


def test_t3_answer_after_the_default_adds_no_second_strike() -> None:
    """The late answer is refused by name once; its seat has one strike."""
    driver = advanced(Driver(setup(time_control=QUICK)))
    seat, turn = driver.seat, driver.turn
    driver.wait(3 * SECOND + 1)

    driver.match.act(seat, turn, Index(0), driver.now)

    refused = driver.all(ev.Rejected)[-1]
    assert (refused.fault, refused.turn) == ("late", turn)
    assert driver.match.conduct.strikes[seat] == 1
    assert driver.match.conduct.faults[seat] == {"late": 1}


def test_t11_silent_seat_is_played_by_defaults_until_it_forfeits_and_the_match_goes_on() -> None:
    """Five late turns are a forfeit; the match is finished by the others."""
    driver = Driver(setup(time_control=QUICK, options={"target": 60}))
    silent = 2

    driver.finish(seat_late=silent)

    end = driver.match.end
    assert end is not None
    assert end.termination == "completed"
    assert end.places[silent].forfeited
    assert (end.places[silent].rank, end.places[silent].points) == (4, 0.0)
    assert end.places[silent].faults == {"late": 5}
    assert [place.faults for place in end.places if place.seat != silent] == [{}, {}, {}]


@pytest.mark.parametrize(("lag", "credit"), [(0, 0), (80 * MS, 80 * MS)])
def test_t11_silence_is_judged_right_after_budget_and_credit(lag: int, credit: int) -> None:
    """A tick at the last microsecond judges nothing; the next one does, and the log has the time."""
    driver = Driver(setup(time_control=QUICK), start=False)
    for seat in range(4):
        driver.match.ready(seat, b"", driver.now)
    driver.asked(lag=lag)

    driver.wait(3 * SECOND + credit)
    assert driver.all(ev.Default) == []
    driver.wait(1)

    default = driver.all(ev.Default)[0]
    assert (default.budget, default.credit) == (3 * SECOND, credit)
    assert default.think == 3 * SECOND + credit + 1


def test_late_turn_uses_up_the_bank() -> None:
    """After a late turn only the base is left."""
    driver = Driver(setup(time_control=QUICK))
    seat = driver.seat

    driver.wait(3 * SECOND + 1)
    while driver.seat != seat:
        driver.act()

    assert driver.match.remaining(driver.now) == (1 * SECOND, 0)


@pytest.mark.parametrize("early", [1, 0])
def test_deadline_is_judged_by_the_stamp_of_the_answer(early: int) -> None:
    """The last microsecond of the budget is in time, the next one is late."""
    driver = Driver(setup(time_control=QUICK))

    driver.now += 3 * SECOND + 1 - early
    driver.act()

    assert bool(driver.all(ev.Act)) == bool(early)


def test_answer_is_fed_before_tick_even_when_the_timer_fired_first() -> None:
    """A stamp before the deadline counts although the tick came to be called later."""
    driver = Driver(setup(time_control=QUICK))
    deadline = driver.match.deadline()
    assert deadline is not None
    driver.now = deadline - 1

    driver.act()
    driver.now = deadline
    driver.match.tick(driver.now)

    assert driver.all(ev.Strike) == []


def test_lag_credit_saves_an_answer_that_would_be_late() -> None:
    """Measured lag is credited only as far as it is needed."""
    driver = Driver(setup(time_control=QUICK), start=False)
    for seat in range(4):
        driver.match.ready(seat, b"", driver.now)
    driver.asked(lag=80 * MS)

    driver.wait(3_050 * MS)
    driver.act()

    act = driver.all(ev.Act)[0]
    assert (act.think, act.credit, act.bank) == (3_050 * MS, 50 * MS, 0)


def test_t9_disconnect_costs_time_only_to_the_seat_to_act() -> None:
    """The bank of a seat that is gone while another thinks stays as it was."""
    driver = advanced(Driver(setup(time_control=QUICK)))
    acting, idle = driver.seat, (driver.seat + 1) % 4
    driver.match.dropped(acting, driver.now)
    driver.match.dropped(idle, driver.now)

    driver.wait(3 * SECOND + 1)
    while driver.seat != idle:
        driver.act()

    assert driver.all(ev.Turn)[-1].bank == QUICK.bank
    assert driver.match.conduct.strikes[acting] == 1
    assert driver.match.conduct.strikes[idle] == 0
    assert driver.match.conduct.faults[idle] == {"dropped": 1}


def test_t8_stall_moves_the_deadline_and_is_logged() -> None:
    """Time in which the referee stood still is charged to nobody."""
    driver = Driver(setup(time_control=QUICK))
    driver.now += 1 * SECOND + 10 * SECOND
    driver.match.stalled(10 * SECOND, driver.now)
    driver.match.tick(driver.now)

    driver.act()

    assert driver.all(ev.Stall)[0].reason == "REFEREE_STALL"
    assert driver.all(ev.Act)[0].think == 1 * SECOND
    assert driver.all(ev.Strike) == []


def test_d8_the_clock_of_a_turn_runs_on_over_a_lost_stream() -> None:
    """Who comes back has the time that is left, and not the whole again."""
    driver = Driver(setup(time_control=QUICK))
    seat, turn, given = driver.seat, driver.turn, driver.match.remaining(driver.now)[0]
    driver.now += 600 * MS
    driver.match.dropped(seat, driver.now)
    driver.now += 500 * MS
    driver.match.rejoined(seat, driver.now)

    assert (driver.seat, driver.turn) == (seat, turn)
    assert driver.match.remaining(driver.now)[0] == given - 1_100 * MS


def test_resume_keeps_turn_id_and_gives_the_time_that_it_had() -> None:
    """After an outage the pending turn goes on with the time it had used before."""
    driver = Driver(setup(time_control=QUICK))
    driver.now += 600 * MS
    driver.act(Index(77))
    turn = driver.turn

    driver.now = 9 * SECOND
    driver.match.resumed(30 * SECOND, driver.now)

    assert driver.turn == turn
    assert driver.match.remaining(driver.now) == (2_400 * MS, 2 * SECOND)
    times = [record.t for record in driver.records]
    assert times == sorted(times)
    assert times[-1] == times[-2] + 30 * SECOND


def test_resume_charges_no_time_until_the_turn_is_asked_again() -> None:
    """Its bot has to come back first: that takes it as long as it takes, and none of its budget."""
    driver = Driver(setup(time_control=QUICK))
    driver.now += 600 * MS
    driver.act(Index(77))
    driver.match.resumed(30 * SECOND, driver.now)

    assert driver.match.deadline() is None
    driver.wait(40 * SECOND)
    driver.wait(2_400 * MS)
    assert driver.all(ev.Strike) == []
    driver.wait(1)
    (strike,) = driver.all(ev.Strike)

    assert (strike.fault, strike.t - strike.start) == ("late", 3 * SECOND + 1)


def test_resume_gives_seats_that_were_not_ready_time_to_come_back() -> None:
    """Before the first turn the limits of joining and starting begin anew."""
    driver = Driver(setup(time_control=QUICK), start=False)
    driver.now += QUICK.start - 1
    driver.match.resumed(30 * SECOND, driver.now)
    driver.wait(QUICK.join + QUICK.start - 1)

    assert driver.all(ev.End) == []
    driver.wait(1)
    assert [end.termination for end in driver.all(ev.End)] == ["no_show"]


@pytest.mark.parametrize(("asked_after", "moved"), [(0, 4_000), (3_000, 1_000), (3_990, 10)])
def test_stall_moves_a_deadline_only_by_what_it_ran_of_it(asked_after: int, moved: int) -> None:
    """A turn that was asked while the referee stood still, or after it, gains nothing by the rest."""
    driver = Driver(setup(time_control=QUICK), start=False)
    for seat in range(4):
        driver.match.ready(seat, b"", driver.now)
    driver.now += asked_after * MS
    driver.asked()
    before = driver.match.deadline()
    driver.now += (4_000 - asked_after) * MS

    driver.match.stalled(4_000 * MS, driver.now)

    after = driver.match.deadline()
    assert before is not None
    assert after is not None
    assert after - before == moved * MS


def test_t3_every_late_turn_may_be_answered_late_once() -> None:
    """A seat that misses two turns hears of both late answers that they were late; then they are stale."""
    driver = Driver(setup(time_control=QUICK))
    seat, turns = driver.seat, list[int]()
    while len(turns) < 2:
        if driver.seat == seat:
            turns.append(driver.turn)
            driver.wait(3 * SECOND + 1)
        else:
            driver.act()

    for turn in turns * 2:
        driver.match.act(seat, turn, Index(0), driver.now)

    told = [(record.turn, record.fault) for record in driver.all(ev.Rejected)]
    assert told == [*((turn, "late") for turn in turns), *((turn, "stale") for turn in turns)]
    assert driver.match.conduct.strikes[seat] == 2
