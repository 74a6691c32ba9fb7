"""The end of a match: one end record, and what it says."""

import pytest

from referee.match import events as ev
from referee.match.attempt import Index
from referee.match.config import Penalties
from tests.match.harness import QUICK, SECOND, Driver, advanced, setup


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
