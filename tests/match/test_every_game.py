"""What a match makes of bad answers and absent bots, in every game at every kind of table."""

import random

import pytest

from referee import games
from referee.games.base import CHANCE
from referee.match import events as ev
from referee.match.attempt import Attempt, Chosen, Index, Texted, Unreadable
from referee.match.config import Penalties
from referee.replay import reader
from referee.replay.verify import verify
from tests.games.helpers import LENGTHS, Sitting, sittings
from tests.games.worlds import pool
from tests.match.harness import Driver, setup
from tests.replay import scripts

every_sitting = pytest.mark.parametrize("sitting", list(sittings()), ids=str)


def seated(sitting: Sitting, penalties: Penalties | None = None) -> Driver:
    """Returns a short match at this table."""
    known = {option.name for option in sitting.game.info.options}
    short = {name: value for name, value in LENGTHS.items() if name in known}
    header = setup(
        seats=sitting.seats,
        game=sitting.game.info.name,
        options={**short, **sitting.options},
        penalties=penalties,
    )
    driver = Driver(header, start=False)
    for seat in range(sitting.seats):
        driver.now += 1
        driver.match.ready(seat, b"", driver.now)
    driver.asked()
    return driver


def assert_sound(driver: Driver) -> None:
    """Asserts that the log of a match follows from itself."""
    log = reader.parse(b"".join(line + b"\n" for line in scripts.lines(driver.match.setup, driver.records)))
    assert verify(log).ok


@every_sitting
def test_m10_m13_a_bad_answer_in_every_phase_fails_its_seat_only(sitting: Sitting) -> None:
    """A seat errs in each of its turns, in every way; it alone has faults, and the match completes."""
    driver = seated(sitting, Penalties(retries=5, strikes=1000))
    rng, foreign = random.Random(1), pool(sitting.game)
    match, offender, erred = driver.match, sitting.seats - 1, 0
    while match.phase == "running":
        listed = match.state.legal_actions()
        if driver.seat == offender:
            wrong: list[Attempt] = [Index(len(listed)), Texted("play nothing"), Unreadable("ff", "no action")]
            wrong += [Chosen(one) for one in foreign if match.state.normalise(one) not in listed][:2]
            before = match.state.snapshot()
            for attempt in wrong:
                driver.act(attempt)
            assert match.state.snapshot() == before
            erred += len(wrong)
        driver.act(Chosen(rng.choice(listed)))
    assert [sum(faults.values()) for faults in match.conduct.faults] == [
        erred if seat == offender else 0 for seat in range(sitting.seats)
    ]
    assert match.end
    assert match.end.termination in {"completed", "adjudicated"}
    assert erred
    assert_sound(driver)


@every_sitting
def test_defaults_alone_bring_a_match_to_its_end(sitting: Sitting) -> None:
    """Every seat but one never answers: default actions are played for it, and the match ends."""
    driver = seated(sitting, Penalties(strikes=1000))
    while driver.match.phase == "running":
        if driver.seat:
            deadline = driver.match.deadline()
            assert deadline is not None
            driver.wait(deadline - driver.now)
        else:
            driver.act()
    assert driver.match.end
    assert driver.match.end.termination in {"completed", "adjudicated"}
    assert {record.cause for record in driver.all(ev.Default)} == {"late"}
    assert_sound(driver)


@every_sitting
def test_each_deal_is_drawn_from_its_own_seed(sitting: Sitting) -> None:
    """What was played does not change the deals that follow."""
    orders = []
    for seed in (1, 2):
        driver, rng = seated(sitting), random.Random(seed)
        while driver.match.phase == "running":
            driver.act(Chosen(rng.choice(driver.match.state.legal_actions())))
        orders.append([(record.draws, record.order) for record in driver.all(ev.Deal)])
    shared = min(map(len, orders))
    assert orders[0][:shared] == orders[1][:shared]
    state = games.find(sitting.game.info.name).new(sitting.seats, driver.match.setup.options)
    assert state.to_act() == CHANCE
    assert len(orders[0][0][0]) == len(state.chance().draws)
