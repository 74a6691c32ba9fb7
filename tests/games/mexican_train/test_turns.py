"""R2, R6, R16: going out, drawing, passing, and blocked deals."""

import pytest

from referee.games.base import CHANCE, TERMINAL, Outcome
from tests.games.mexican_train.deals import DOUBLES
from tests.games.mexican_train.positions import legal, play, position

GOING_OUT = [
    # last tile, train; own end 5, public end 6, train 1 marked with end 8
    ("2-5", "0"),
    ("5-5", "0"),
    ("2-6", "public"),
    ("6-6", "public"),
    ("2-8", "1"),
    ("8-8", "1"),
]


@pytest.mark.parametrize("doubles", DOUBLES)
@pytest.mark.parametrize(("tile", "name"), GOING_OUT)
def test_r2_going_out_ends_the_deal(tile: str, name: str, doubles: str) -> None:
    """A seat goes out on a plain tile or a double, on its own, the public or another train."""
    trains = {"0": "12-5", "1": "12-8", "public": "12-6"}
    state = position(
        [tile, "0-1", "9-9"], trains, markers=(1,), boneyard="5-6", options={"doubles": doubles, "deals": 1}
    )
    assert play(state, f"play {tile} on {name}") == [f"0 play {tile} on {name}", "0 out"]
    assert (state.to_act(), state.totals(), state.blocked) == (TERMINAL, (0, 1, 18), False)


def test_r2_a_run_that_empties_the_hand_ends_by_itself() -> None:
    """The last seat of the first circuit goes out in its run: there is no stop, and the deal ends."""
    state = position(["12-3 3-3", "0-1", "9-9"], {"1": "12-1", "2": "12-2"}, due=1, owner=0)
    assert play(state, "play 3-12 on 0") == ["0 play 3-12 on 0"]
    assert play(state, "play 3-3 on 0") == ["0 play 3-3 on 0", "0 out"]
    assert (state.to_act(), state.totals()) == (CHANCE, (0, 1, 18))


def test_r2_after_going_out_a_seat_that_cannot_start_still_passes() -> None:
    """Its pass and marker are told before the deal ends."""
    state = position(["12-3", "0-1", "9-9"], {}, due=3, owner=2)
    events = play(state, "play 3-12 on 0")
    assert events == ["0 play 3-12 on 0", "0 out", "1 passed", "1 marker on", "2 passed", "2 marker on"]
    assert (state.to_act(), state.totals()) == (CHANCE, (0, 1, 18))


@pytest.mark.parametrize(
    ("drawn", "told", "to_act"),
    [
        ("3-4", ["1 drew"], 1),
        ("5-7", ["1 drew", "1 passed", "1 marker on"], 0),
        ("", ["1 passed", "1 marker on"], 0),
    ],
)
def test_r16_a_draw_is_played_or_ends_in_a_pass(drawn: str, told: list[str], to_act: int) -> None:
    """A drawn tile that fits has to be played, and no marker goes on; else one does."""
    state = position(["3-3 1-3 0-5", "2-2"], {"0": "12-3", "1": "12-4", "public": "12-3"}, boneyard=drawn)
    assert play(state, "play 1-3 on 0") == ["0 play 1-3 on 0", *told]
    assert state.to_act() == to_act
    assert bool(state.marked) == (len(told) > 1 or not drawn)
    if to_act:
        assert legal(state) == ["play 3-4 on 1", "play 3-4 on public"]


def test_r16_a_marker_that_is_on_is_not_told_again() -> None:
    """A second pass has no marker event, and counts on."""
    state = position(["3-3 1-3 3-5", "2-2"], {"0": "12-3", "1": "12-4", "public": "12-3"}, markers=(1,))
    assert play(state, "play 1-3 on 0") == ["0 play 1-3 on 0", "1 passed"]
    assert (state.passes, state.to_act()) == (1, 0)


def test_r6_passes_are_counted_anew_in_each_deal() -> None:
    """After a blocked deal the next one starts without passes and without markers."""
    hands = ["3-4 1-1", "0-2"]
    state = position(hands, {"0": "12-3", "1": "12-3", "public": "12-3"}, markers=(0, 1))
    play(state, "play 3-4 on 0")
    assert (state.passes, state.blocked, state.to_act()) == (2, True, CHANCE)
    state.start_deal(Outcome((), tuple(range(91))))
    assert (state.blocked, state.passes) == (False, state.marked.bit_count() and 1)
    assert not state.result or state.result.deal == 1


def test_a_blocked_count_needs_an_empty_boneyard() -> None:
    """Passes go on as long as tiles are drawn; the last draw in vain may complete the block."""
    ends = {"0": "12-3", "1": "12-3", "public": "12-3"}
    state = position(["3-4 1-1", "0-2"], ends, markers=(0, 1), boneyard="5-5 6-6 7-7")
    events = play(state, "play 3-4 on public")
    passes = ["1 drew", "1 passed", "0 drew", "0 passed", "1 drew", "1 passed"]
    assert events == ["0 play 3-4 on public", *passes, "blocked"]
    assert state.passes == 3
