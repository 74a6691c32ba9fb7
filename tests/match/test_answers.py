"""Answers of bots: what is accepted, what is refused, and what that costs."""

import pytest

from referee.match import events as ev
from referee.match.attempt import Attempt, Chosen, Index, Texted, Unreadable
from referee.match.config import Penalties
from tests.match.harness import QUICK, SECOND, Driver, advanced, legal, setup, unlisted


@pytest.mark.parametrize("form", ["index", "text"])
def test_m12_answers_by_index_and_in_text_name_the_same_action_down_to_the_last_move(form: str) -> None:
    """All three forms of an answer are one action in the log, the one that ends the match too."""
    plain, other = (Driver(setup(options={"target": 10})) for _ in range(2))
    plain.finish()

    while other.match.phase == "running":
        action = legal(other)[0]
        attempt: Attempt = Index(0) if form == "index" else Texted(other.match.game.text.action(action))
        other.act(attempt)

    assert other.match.end == plain.match.end
    assert [act.action for act in other.all(ev.Act)] == [act.action for act in plain.all(ev.Act)]
    assert other.all(ev.Rejected) == []


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
    ("attempt", "raw", "reason"),
    [
        (Index(99), "99", "index 99 is not in 0..0"),
        (Index(-1), "-1", "index -1 is not in 0..0"),
        (Texted("play 6-6\r"), "play 6-6\r", "byte 8: "),
        (Texted("\ufeffplay 6-6"), "\ufeffplay 6-6", "byte 0: "),
        (Texted("x" * 500), "x" * 201, "an action in text has at most 200 characters"),
        (Unreadable("0a ff", "no action is set"), "0a ff", "no action is set"),
    ],
)
def test_m2_m12_malformed_answer_is_refused_by_name(attempt: Attempt, raw: str, reason: str) -> None:
    """Bad indexes, bad text and unreadable answers are malformed, and the log keeps them."""
    driver = Driver()

    driver.act(attempt)

    refused = driver.all(ev.Rejected)[0]
    assert (refused.fault, refused.raw) == ("malformed", raw)
    assert refused.reason.startswith(reason)


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
    seat = driver.seat

    for ahead in range(3):
        driver.match.act(seat, 1 + ahead, Index(0), driver.now)
    assert [(r.turn, r.fault) for r in driver.all(ev.Rejected)] == [
        (2, "not_your_turn"),
        (3, "not_your_turn"),
    ]
    driver.asked()
    while driver.seat != seat:
        driver.act()

    assert driver.turn == 2
    assert [(act.seat, act.turn) for act in driver.all(ev.Act)].count((seat, 1)) == 1
    assert (seat, 2) not in [(act.seat, act.turn) for act in driver.all(ev.Act)]
    driver.act()
    assert (driver.all(ev.Act)[-1].seat, driver.all(ev.Act)[-1].turn) == (seat, 2)


@pytest.mark.parametrize(("behind", "fault"), [(2, "stale"), (1, "conflicting")])
def test_m9_answer_to_an_old_turn_is_refused_by_name_and_the_turn_stays_open(behind: int, fault: str) -> None:
    """The turn answered last has another answer, one before it is over; the bot can still move."""
    driver = advanced(Driver(), plies=12)
    seat, turn, before = driver.seat, driver.turn, len(driver.records)
    snapshot, left = driver.match.state.snapshot(), driver.match.remaining(driver.now)

    driver.match.act(seat, turn - behind, Index(50), driver.now)

    assert driver.kinds(before) == ["Rejected"]
    refused = driver.all(ev.Rejected)[0]
    assert (refused.seat, refused.turn, refused.fault) == (seat, turn - behind, fault)
    assert f"turn {turn} is open" in refused.reason
    assert driver.match.state.snapshot() == snapshot
    assert (driver.turn, driver.match.remaining(driver.now)) == (turn, left)
    driver.act()
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


@pytest.mark.parametrize("phase_plies", [0, 1, 13])
def test_m13_bad_answers_in_every_phase_fail_only_their_seat(phase_plies: int) -> None:
    """In the opening, the second action and mid-game, only the offender has faults."""
    driver = advanced(Driver(), plies=phase_plies)
    seat = driver.seat

    for attempt in (Index(-5), Texted(""), Unreadable("", "nothing"), unlisted(driver)):
        driver.act(attempt)

    faults = [sum(counter.values()) for counter in driver.match.conduct.faults]
    assert faults == [4 if n == seat else 0 for n in range(4)]
