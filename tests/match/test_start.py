"""The start of a match: readiness, entropy, the start limit."""

from referee.match import events as ev
from referee.match.attempt import Index
from tests.match.harness import SECOND, Driver, setup


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


def test_stall_moves_the_start_limit_too() -> None:
    """A referee that stood still before the start makes nobody a no-show."""
    driver = Driver(start=False)
    driver.now += 25 * SECOND
    driver.match.stalled(25 * SECOND, driver.now)

    driver.match.tick(driver.now)
    assert driver.match.end is None
    driver.wait(20 * SECOND)

    assert driver.match.end is not None


def test_process_that_ended_before_the_start_is_a_no_show_at_once() -> None:
    """The others do not wait for the start limit."""
    driver = Driver(start=False)
    driver.match.ready(1, b"", driver.now)

    driver.match.gone(3, driver.now)

    end = driver.match.end
    assert end is not None
    assert (end.termination, end.at_fault) == ("no_show", (3,))


def test_t14_readiness_at_the_limit_is_not_taken() -> None:
    """The last moment is one microsecond before the limit, whenever the limit is judged."""
    header = setup()
    for late in (0, 1, 5 * SECOND):
        driver = Driver(header, start=False)
        for seat in range(3):
            driver.match.ready(seat, b"", driver.now + header.time_control.start - 1)
        driver.match.ready(3, b"", driver.now + header.time_control.start + late)
        assert driver.match.phase == "starting"
        driver.match.tick(driver.now + header.time_control.start + late)

        assert driver.match.end
        assert driver.match.end.termination == "no_show"
        assert driver.match.end.at_fault == (3,)


def test_a_stall_is_no_longer_than_the_match_or_the_time_since_the_last_one() -> None:
    """A match that began while the referee stood still is told the part of it that it was there for."""
    driver = Driver(start=False, now=50 * SECOND)
    for at, told, kept in ((2, 9, 2), (3, 1, 1), (5, 4, 2), (5, 1, 0), (9, 3, 3)):
        driver.match.stalled(told * SECOND, 50 * SECOND + at * SECOND)

        assert driver.all(ev.Stall)[-1].duration == kept * SECOND
    driver.match.resumed(4 * SECOND, 7)
    driver.match.stalled(SECOND, 7 + SECOND // 2)

    assert driver.all(ev.Stall)[-1].duration == SECOND // 2
