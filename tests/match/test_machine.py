"""The match machine: clocks, faults and their consequences, one end record."""

import pytest

from referee.match import events as ev
from referee.match.attempt import Attempt, Chosen, Index, Texted, Unreadable
from referee.match.config import Penalties, TimeControl
from tests.match.harness import MS, SECOND, Driver, setup

QUICK = TimeControl(base=1 * SECOND, bank=2 * SECOND, increment=0)


def legal(driver: Driver) -> tuple[int, ...]:
    """Returns the legal actions of the open turn."""
    return driver.match.state.legal_actions()


def unlisted(driver: Driver) -> Chosen:
    """Returns an action that is well formed and not legal now."""
    text = driver.match.game.text
    for low in range(7):
        for high in range(low, 7):
            action = text.parse_action(f"play {low}-{high}{' left' if driver.match.plies else ''}")
            if driver.match.state.normalise(action) not in legal(driver):
                return Chosen(action)
    raise AssertionError("everything is legal")


def advanced(driver: Driver, plies: int = 6) -> Driver:
    """Returns the driver after some accepted actions."""
    for _ in range(plies):
        driver.act()
    return driver


# The start


def test_last_ready_starts_the_first_deal_and_asks() -> None:
    """No turn is asked before every seat is ready."""
    driver = Driver(start=False)

    for seat in (2, 0, 3):
        driver.match.ready(seat, bytes([seat]), driver.now)
    assert driver.kinds() == ["Ready"] * 3
    driver.match.ready(1, b"", driver.now)

    assert driver.kinds(since=3) == ["Ready", "Deal", "Turn"]
    assert driver.match.phase == "running"


def test_second_ready_of_a_seat_changes_nothing() -> None:
    """A seat cannot choose its entropy twice."""
    driver = Driver(start=False)

    driver.match.ready(0, b"one", driver.now)
    driver.match.ready(0, b"two", driver.now)

    assert [record.entropy for record in driver.all(ev.Ready)] == [b"one".hex()]


def test_entropy_of_one_seat_changes_the_deal() -> None:
    """The deal depends on what every seat contributed."""
    orders = []
    for entropy in (b"", b"x"):
        driver = Driver(start=False)
        for seat in range(4):
            driver.match.ready(seat, entropy if seat == 2 else b"", driver.now)
        orders.append(driver.all(ev.Deal)[0].order)

    assert orders[0] != orders[1]


def test_t14_d15_seat_that_is_never_ready_ends_the_match_as_no_show() -> None:
    """At the start limit the match ends unrated and names the seats that were not ready."""
    driver = Driver(start=False)
    for seat in (0, 1, 3):
        driver.match.ready(seat, b"", driver.now)

    driver.wait(20 * SECOND - 1)
    assert driver.match.phase == "starting"
    driver.wait(1)

    end = driver.match.end
    assert end is not None
    assert (end.termination, end.at_fault) == ("no_show", (2,))
    assert [place.rank for place in end.places] == [0, 0, 0, 0]
    assert end.places[2].faults == {"no_show": 1}


def test_act_before_the_first_turn_is_refused_without_a_strike() -> None:
    """Acts in the starting phase are out of turn, whatever their number."""
    driver = Driver(start=False)

    for _ in range(25):
        driver.match.act(0, 1, Index(0), driver.now)

    assert {record.fault for record in driver.all(ev.Rejected)} == {"not_your_turn"}
    assert driver.all(ev.Strike) == []


# Answers in time


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


@pytest.mark.parametrize("form", ["index", "text"])
def test_answers_by_index_and_in_text_name_the_same_action(form: str) -> None:
    """All three forms of an answer are one action in the log."""
    plain, other = Driver(), Driver()
    action = legal(plain)[0]
    attempt: Attempt = Index(0) if form == "index" else Texted(plain.match.game.text.action(action))

    plain.act()
    other.act(attempt)

    assert plain.all(ev.Act)[0].action == other.all(ev.Act)[0].action


# Late


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


def test_t13_single_blip_does_not_lose_a_match() -> None:
    """One late turn of a whole match is one strike and no forfeit."""
    driver = Driver(setup(options={"target": 30}))
    late = driver.seat
    driver.wait(65 * SECOND + 1)

    driver.finish()

    assert driver.match.conduct.strikes[late] == 1
    assert driver.match.conduct.forfeits == []


# Illegal and malformed


def test_illegal_answer_is_refused_with_reason_and_changes_nothing() -> None:
    """The seat keeps its turn; position and clock of all are as before."""
    driver = advanced(Driver())
    snapshot, before = driver.match.state.snapshot(), len(driver.records)

    driver.act(unlisted(driver))

    refused = driver.all(ev.Rejected)[0]
    assert driver.kinds(before) == ["Rejected"]
    assert (refused.fault, refused.retries, refused.form) == ("illegal", 2, "action")
    assert refused.reason
    assert driver.match.state.snapshot() == snapshot


@pytest.mark.parametrize(
    ("attempt", "raw"),
    [
        (Index(99), "99"),
        (Index(-1), "-1"),
        (Texted("play 6-6\r"), "play 6-6\r"),
        (Texted("\ufeffplay 6-6"), "\ufeffplay 6-6"),
        (Texted("x" * 500), "x" * 201),
        (Unreadable("0a ff", "no action is set"), "0a ff"),
    ],
)
def test_m2_m12_malformed_answer_is_refused_by_name(attempt: Attempt, raw: str) -> None:
    """Bad indexes, bad text and unreadable answers are malformed, and the log keeps them."""
    driver = Driver()

    driver.act(attempt)

    refused = driver.all(ev.Rejected)[0]
    assert (refused.fault, refused.raw) == ("malformed", raw)
    assert refused.reason


def test_past_the_retries_the_default_is_played_with_one_strike() -> None:
    """Three refused answers are allowed; the fourth costs the turn and one strike."""
    driver = advanced(Driver())
    seat, before = driver.seat, len(driver.records)

    for _ in range(4):
        driver.act(unlisted(driver))

    assert driver.kinds(before)[:6] == ["Rejected"] * 4 + ["Strike", "Default"]
    assert [record.retries for record in driver.all(ev.Rejected)] == [2, 1, 0, -1]
    assert driver.all(ev.Default)[0].cause == "illegal"
    assert driver.match.conduct.strikes[seat] == 1


def test_refused_answer_does_not_stop_the_clock() -> None:
    """Time goes on while a seat sends illegal answers."""
    driver = advanced(Driver(setup(time_control=QUICK)))
    driver.now += 2 * SECOND
    driver.act(unlisted(driver))

    driver.wait(1 * SECOND + 1)

    assert driver.all(ev.Default)[0].cause == "late"


def test_m1_penalty_is_configuration() -> None:
    """With no retries and one strike the first illegal answer is a forfeit."""
    driver = advanced(Driver(setup(penalties=Penalties(retries=0, strikes=1))))
    seat, before = driver.seat, len(driver.records)

    driver.act(unlisted(driver))

    assert driver.kinds(before)[:4] == ["Rejected", "Strike", "Forfeit", "Default"]
    assert driver.match.conduct.forfeits == [seat]


# Strays


def test_m3_act_out_of_turn_is_refused_and_costs_the_other_nothing() -> None:
    """The meddler is told; clock and state of the seat to act are unchanged."""
    driver = advanced(Driver(setup(time_control=QUICK)))
    meddler = (driver.seat + 1) % 4
    snapshot, left = driver.match.state.snapshot(), driver.match.remaining(driver.now)

    driver.match.act(meddler, 99, Chosen(legal(driver)[0]), driver.now)

    assert [(r.seat, r.fault) for r in driver.all(ev.Rejected)] == [(meddler, "not_your_turn")]
    assert driver.match.state.snapshot() == snapshot
    assert driver.match.remaining(driver.now) == left


def test_m6_pipelined_answers_are_refused_by_turn_id() -> None:
    """The first of three acts counts; the next ones never reach the bot's next turn."""
    driver = Driver()
    seat, action = driver.seat, Chosen(legal(driver)[0])

    for ahead in range(3):
        driver.match.act(seat, 1 + ahead, action, driver.now)

    assert [(r.turn, r.fault) for r in driver.all(ev.Rejected)] == [
        (2, "not_your_turn"),
        (3, "not_your_turn"),
    ]
    assert len(driver.all(ev.Act)) == 1


def test_m9_stale_answer_is_refused_and_the_turn_stays_open() -> None:
    """An old turn id is refused with the current one, and the bot can still move."""
    driver = advanced(Driver(), plies=8)
    seat, turn = driver.seat, driver.turn

    driver.match.act(seat, turn - 1, unlisted(driver), driver.now)
    fault = driver.all(ev.Rejected)[0].fault
    driver.act()

    assert fault in ("stale", "conflicting")
    assert (driver.all(ev.Act)[-1].seat, driver.all(ev.Act)[-1].turn) == (seat, turn)


def test_future_answer_is_refused() -> None:
    """An act for a turn that was not asked yet, while the seat is to act, is a future act."""
    driver = Driver()

    driver.act(turn=2)

    assert driver.all(ev.Rejected)[0].fault == "future"


def test_same_answer_again_is_ignored_and_another_one_is_conflicting() -> None:
    """A repeated answer is no fault, in whatever form; a different one is."""
    driver = advanced(Driver(), plies=4)
    seat, turn, actions = driver.seat, driver.turn, legal(driver)
    text = driver.match.game.text.action(actions[0])
    driver.act()

    for attempt in (Chosen(actions[0]), Index(0), Texted(text)):
        driver.match.act(seat, turn, attempt, driver.now)
    assert driver.all(ev.Rejected) == []
    driver.match.act(seat, turn, Index(50), driver.now)

    assert [r.fault for r in driver.all(ev.Rejected)] == ["conflicting"]


def test_every_tenth_stray_is_one_strike() -> None:
    """Acts that answer nothing cost a strike for each ten, over the whole match."""
    driver = Driver()
    seat = (driver.seat + 2) % 4

    for _ in range(25):
        driver.match.act(seat, 7, Index(0), driver.now)

    assert driver.match.conduct.strikes[seat] == 2
    assert driver.match.conduct.faults[seat] == {"not_your_turn": 25}


def test_d16_flood_is_one_strike_each_time_it_is_told() -> None:
    """A flood is refused, and strikes the seat also while another is to act."""
    driver = Driver()
    seat = (driver.seat + 1) % 4
    before = len(driver.records)

    driver.match.flooded(seat, driver.now)

    assert driver.kinds(before) == ["Rejected", "Strike"]
    assert driver.match.conduct.faults[seat] == {"rate_limited": 1}


def test_forfeit_by_flood_in_the_own_turn_plays_the_turn_by_default() -> None:
    """A seat that forfeits while it is to act does not hold up the table."""
    driver = Driver()
    seat = driver.seat

    for _ in range(5):
        driver.match.flooded(seat, driver.now)

    default = driver.all(ev.Default)[0]
    assert (default.seat, default.cause, default.turn) == (seat, "forfeited", 0)
    assert driver.seat != seat


# Disconnects, stalls, resume


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


def test_stall_moves_the_start_limit_too() -> None:
    """A referee that stood still before the start makes nobody a no-show."""
    driver = Driver(start=False)
    driver.now += 25 * SECOND
    driver.match.stalled(25 * SECOND, driver.now)

    driver.match.tick(driver.now)
    assert driver.match.end is None
    driver.wait(20 * SECOND)

    assert driver.match.end is not None


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


def test_process_that_ended_forfeits_at_once_and_the_match_goes_on() -> None:
    """Nobody waits for a seat that can never answer; in its own turn it is played by default."""
    driver = advanced(Driver(setup(options={"target": 30})))
    seat, before = driver.seat, len(driver.records)

    driver.match.gone(seat, driver.now)
    driver.match.gone(seat, driver.now)

    assert driver.kinds(before)[:3] == ["Gone", "Forfeit", "Default"]
    driver.asked()
    driver.finish()
    assert driver.match.end is not None
    assert driver.match.end.termination == "completed"
    assert driver.match.end.places[seat].rank == 4


def test_process_that_ended_before_the_start_is_a_no_show_at_once() -> None:
    """The others do not wait for the start limit."""
    driver = Driver(start=False)
    driver.match.ready(1, b"", driver.now)

    driver.match.gone(3, driver.now)

    end = driver.match.end
    assert end is not None
    assert (end.termination, end.at_fault) == ("no_show", (3,))


# The end


def test_one_seat_left_ends_the_match_and_is_first() -> None:
    """When all others have forfeited the last one standing wins at once."""
    driver = Driver(setup(time_control=QUICK, penalties=Penalties(strikes=1)))

    while driver.match.phase == "running":
        if driver.seat == 3:
            driver.act()
        else:
            driver.wait(3 * SECOND + 1)

    end = driver.match.end
    assert end is not None
    assert end.termination == "forfeited"
    assert [place.rank for place in end.places].count(1) == 1
    assert end.places[3].rank == 1
    last_out = driver.all(ev.Forfeit)[-1].seat
    assert end.places[last_out].rank == 2


def test_cap_on_actions_adjudicates_by_totals() -> None:
    """A match that reaches the cap on actions ends by what was scored."""
    driver = Driver(setup(penalties=Penalties(max_plies=10)))

    driver.finish()

    assert driver.match.end is not None
    assert (driver.match.end.termination, driver.match.end.plies) == ("adjudicated", 10)


def test_cap_on_deals_adjudicates() -> None:
    """A cap of the rules ends the match as adjudicated too."""
    driver = Driver(setup(options={"max_deals": 1, "target": 10_000}))

    driver.finish()

    assert driver.match.end is not None
    assert driver.match.end.termination == "adjudicated"


def test_void_has_no_places_and_names_its_cause() -> None:
    """A void match gives no ranks and no points."""
    driver = advanced(Driver())

    driver.match.void("the disk is full", driver.now)

    end = driver.match.end
    assert end is not None
    assert (end.termination, end.note) == ("void", "the disk is full")
    assert {(place.rank, place.points) for place in end.places} == {(0, 0.0)}


@pytest.mark.parametrize("first", ["void", "complete", "no_show", "forfeit"])
def test_exactly_one_end_record_whichever_event_comes_first(first: str) -> None:
    """After the end nothing is recorded any more, whatever is fed."""
    driver = Driver(setup(penalties=Penalties(strikes=1), options={"target": 1}), start=first != "no_show")
    if first == "void":
        driver.match.void("x", driver.now)
    elif first == "complete":
        driver.finish()
    elif first == "no_show":
        driver.wait(20 * SECOND)
    else:
        for seat in (0, 1, 2):
            driver.match.flooded(seat, driver.now)
    count = len(driver.records)

    match, now = driver.match, driver.now + 500 * SECOND
    match.tick(now)
    match.void("y", now)
    for seat in range(4):
        match.ready(seat, b"", now)
        match.act(seat, 1, Index(0), now)
        match.flooded(seat, now)
        match.dropped(seat, now)
        match.rejoined(seat, now)
    match.stalled(1, now)
    match.resumed(1, now)

    assert isinstance(driver.records[-1], ev.End)
    assert len(driver.all(ev.End)) == 1
    assert len(driver.records) == count
    assert match.deadline() is None


def test_forfeit_while_another_deal_runs_keeps_the_score_that_was_played() -> None:
    """`score` stays what was played, although the rank is last."""
    driver = Driver(setup(options={"target": 40}))
    while not driver.all(ev.DealResult):
        driver.act()
    leader = max(range(4), key=lambda seat: driver.match.state.totals()[seat])
    for _ in range(5):
        driver.match.flooded(leader, driver.now)
        driver.asked()
    score = driver.match.state.totals()[leader]

    driver.finish()

    assert driver.match.end is not None
    place = driver.match.end.places[leader]
    assert place.score >= score > 0
    assert place.rank == 4


def test_records_are_numbered_without_gaps_and_time_never_goes_back() -> None:
    """The log order is the order of what happened."""
    driver = Driver(setup(options={"target": 30}))

    driver.finish(seat_late=1)

    assert [record.n for record in driver.records] == list(range(1, len(driver.records) + 1))
    times = [record.t for record in driver.records]
    assert times == sorted(times)


@pytest.mark.parametrize("phase_plies", [0, 1, 13])
def test_m13_bad_answers_in_every_phase_fail_only_their_seat(phase_plies: int) -> None:
    """In the opening, the second action and mid-game, only the offender has faults."""
    driver = advanced(Driver(), plies=phase_plies)
    seat = driver.seat

    for attempt in (Index(-5), Texted(""), Unreadable("", "nothing"), unlisted(driver)):
        driver.act(attempt)

    faults = [sum(counter.values()) for counter in driver.match.conduct.faults]
    assert faults == [4 if n == seat else 0 for n in range(4)]
