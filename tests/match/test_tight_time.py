"""Hard budgets under coarse clocks and jitter; all time is injected."""

import random

import pytest

from referee.match import events as ev
from referee.match.config import Penalties, Setup, TimeControl
from tests.match.harness import MS, Driver, setup

HARD = TimeControl(base=100 * MS, bank=0)
"""A tenth of a second for a turn, and nothing besides."""
STEP = 15 * MS
"""The step of a coarse clock."""
MATCHES = 8
TURNS = 200


class Coarse(Driver):
    """Plays a match on a clock that moves in steps: what really passes is rounded down to them."""

    def __init__(self, header: Setup, begin: int, step: int) -> None:
        super().__init__(header, start=False, now=begin - begin % step)
        self._real = begin
        self._step = step
        for seat in range(4):
            self.match.ready(seat, b"", self.now)

    def answer(self, after: int) -> None:
        """Writes the open turn 40 ms after it was asked and answers it so long after that.

        The timer goes off at every step in between.
        """
        question = self.match.open_turn
        self._pass(40 * MS)
        self.asked()
        self._pass(after)
        if self.match.open_turn is question:
            self.match.act(self.seat, self.turn, self.first(), self.now)

    def _pass(self, duration: int) -> None:
        end = self._real + duration
        while self._real < end:
            self._real = min(end, self._real - self._real % self._step + self._step)
            self.now = self._real - self._real % self._step
            self.match.tick(self.now)


def endless() -> Setup:
    """Returns the header of a match with more turns than are looked at."""
    return setup(time_control=HARD, options={"target": 10_000})


def test_t2_answers_at_four_fifths_of_the_budget_are_in_time_on_a_coarse_clock() -> None:
    """With steps of 15 ms, no bank and no margin, none of 1,600 turns is late."""
    thought = []
    for number in range(MATCHES):
        match = Coarse(endless(), begin=number * 2_003, step=STEP)
        for _ in range(TURNS):
            match.answer(HARD.base * 4 // 5)

        acts = match.all(ev.Act)
        assert len(acts) == TURNS
        assert not match.all(ev.Strike)
        assert not match.all(ev.Default)
        assert {act.credit for act in acts} == {0}
        thought += [act.think for act in acts]
    assert set(thought) == {75 * MS, 90 * MS}


def test_t13_each_late_turn_under_jitter_is_one_strike_in_the_log() -> None:
    """0..50 ms more on 1 % of the turns: what exceeds the hard budget is in the records, nothing else."""
    rng = random.Random(13)
    strikes = 0
    for number in range(MATCHES):
        match = Coarse(endless(), begin=number, step=MS)
        late: list[tuple[int, int]] = []
        for _ in range(TURNS):
            jitter = rng.randrange(51) * MS if rng.random() < 0.01 else 0
            if 70 * MS + jitter > HARD.base:
                late.append((match.seat, match.turn))
            match.answer(70 * MS + jitter)

        defaults = match.all(ev.Default)
        assert [(default.seat, default.turn) for default in defaults] == late
        assert {(default.cause, default.budget) for default in defaults} <= {("late", HARD.base)}
        assert [(strike.seat, strike.fault) for strike in match.all(ev.Strike)] == [
            (seat, "late") for seat, _ in late
        ]
        assert match.all(ev.Forfeit) == []
        strikes += len(late)
    assert strikes > MATCHES // 2


@pytest.mark.parametrize(
    ("bank", "allowed", "strikes", "forfeits"), [(0, 5, 1, 0), (0, 1, 1, 1), (50 * MS, 1, 0, 0)]
)
def test_t13_a_single_blip_loses_a_match_only_where_the_settings_say_so(
    bank: int, allowed: int, strikes: int, forfeits: int
) -> None:
    """A turn that is 40 ms too long is one strike of five, the only one, or covered by a bank."""
    control = TimeControl(base=HARD.base, bank=bank)
    conduct = Penalties(strikes=allowed)
    header = setup(time_control=control, penalties=conduct, options={"target": 20})
    match = Coarse(header, begin=0, step=MS)
    blip, seat = 12, -1
    while match.match.phase == "running":
        if match.match.plies == blip and seat < 0:
            seat = match.seat
            match.answer(140 * MS)
        else:
            match.answer(70 * MS)

    end = match.match.end
    assert end
    assert end.termination == "completed"
    assert end.places[seat].strikes == strikes
    assert [place.forfeited for place in end.places].count(True) == forfeits
    assert end.places[seat].forfeited == bool(forfeits)
    assert len(match.all(ev.Strike)) == strikes
