"""The worked examples M1..M14 of the rules."""

import pytest

from referee.errors import IllegalActionError
from referee.games.base import CHANCE, TERMINAL, DealResult
from referee.games.mexican_train import view
from referee.games.mexican_train.rules import State
from tests.games.mexican_train.positions import GAME, legal, order, play, position, started, train, why

A, B, C, D = range(4)
FILLER = ("0-2 0-4", "1-1 1-4", "1-2 2-4", "2-2 4-5")
"""What the seats hold that an example does not name: all of them can play on D's train."""


def table(*hands: str, boneyard: str = "", seat: int = A, public: str = "12-10 10-6") -> State:
    """Returns the table of the examples: ends A 3, B 6 with marker, C 6, D 4 with marker, public 6."""
    trains = {"0": "12-3", "1": "12-11 11-6", "2": "12-6", "3": "12-4", "public": public}
    return position([*hands, *FILLER[len(hands) :]], trains, markers=(B, D), boneyard=boneyard, seat=seat)


def test_m1_a_tile_goes_on_open_trains_that_show_its_number() -> None:
    """A's 6-9 goes on B's train and on the public one, and on no other; the new end is 9."""
    state = table("6-9 0-0")
    assert legal(state) == ["play 6-9 on public", "play 6-9 on 1"]
    for name in ("1", "public"):
        twin = state.copy()
        play(twin, f"play 6-9 on {name}")
        assert train(twin, name).endswith("6-9")
    for name, reason in (("2", "has no marker"), ("0", "ends in 3"), ("3", "ends in 4")):
        assert reason in why(state, f"play 6-9 on {name}")
        with pytest.raises(IllegalActionError):
            play(state, f"play 6-9 on {name}")


def test_m2_a_marker_stays_when_another_seat_plays_on_the_train() -> None:
    """After A has played on B's train its marker is still on, and nothing is told of it."""
    state = table("6-9 0-0")
    assert play(state, "play 6-9 on 1") == ["0 play 6-9 on 1"]
    assert state.marked >> B & 1


def test_m3_only_the_own_train_takes_the_own_marker_off() -> None:
    """B's marker stays when it plays on the public train, and goes off with its own."""
    state = table(FILLER[A], "6-9 6-8 0-0", seat=B)
    assert play(state.copy(), "play 6-9 on public") == ["1 play 6-9 on public"]
    assert play(state, "play 6-9 on 1") == ["1 play 6-9 on 1", "1 marker off"]
    assert not state.marked >> B & 1


def test_m4_a_double_brings_a_further_turn_and_no_duty() -> None:
    """After 9-9 on the public train A may play 3-7 on its own one."""
    state = table("9-9 3-7 0-0", public="12-10 10-6 6-9")
    assert play(state, "play 9-9 on public") == ["0 play 9-9 on public"]
    assert (state.to_act(), state.further) == (A, True)
    assert legal(state) == ["play 3-7 on 0"]
    assert play(state, "play 3-7 on 0")[0] == "0 play 3-7 on 0"


def test_m5_a_further_turn_without_a_play_marks_the_train() -> None:
    """When nothing follows a double, and the drawn tile does not fit either, A passes with a marker."""
    state = table("6-6 2-2", "6-9", boneyard="1-2 0-5")
    events = play(state, "play 6-6 on public")
    assert events == ["0 play 6-6 on public", "0 drew", "0 passed", "0 marker on"]
    assert (state.to_act(), len(state.boneyard)) == (B, 1)


def test_m6_who_cannot_start_is_marked_draws_nothing_and_loses_the_run() -> None:
    """Later one starting tile takes the marker off, and the turn is over."""
    hands = ["10-10 10-1", "2-2 2-3", "12-1 1-2", "12-0 0-1"]
    state = position(hands, {}, due=4, seat=2, owner=1, boneyard="12-5 5-6")
    play(state, "play 1-12 on 2")
    assert play(state, "stop") == ["2 stop"]
    play(state, "play 0-12 on 3")
    assert play(state, "stop") == ["3 stop", "0 passed", "0 marker on", "1 passed", "1 marker on"]
    assert legal(state) == ["play 1-2 on 2"]
    assert play(state, "play 1-2 on 2") == ["2 play 1-2 on 2", "2 out"]
    state = position(["12-5 5-6", "0-0 2-1", "0-0", "0-0"], {"1": "12-2"}, markers=(0,))
    assert legal(state) == ["play 5-12 on 0", "play 5-12 on public"]
    assert play(state, "play 5-12 on 0") == ["0 play 5-12 on 0", "0 marker off"]
    assert state.to_act() == 1


def test_m7_each_seat_scores_the_pips_it_holds() -> None:
    """A is out, B holds 12-4 3-0, C 8-8, D 6-2: 0, 19, 16, 8."""
    state = table("6-9", "12-4 3-0", "8-8", "6-2")
    assert play(state, "play 6-9 on public") == ["0 play 6-9 on public", "0 out"]
    assert state.deal_result() == DealResult(1, (0, 19, 16, 8), (0, 19, 16, 8))
    end = view.deal_end(state)
    assert (end.winners, end.blocked) == ((A,), False)


def test_m8_nothing_is_drawn_with_a_playable_tile() -> None:
    """B, who can play on the public train alone, is asked and draws nothing."""
    state = table("3-7 0-0", "6-9 0-0", boneyard="12-12 11-11")
    assert play(state, "play 3-7 on 0") == ["0 play 3-7 on 0"]
    assert (state.to_act(), state.drawn, len(state.boneyard)) == (B, None, 2)


def test_m9_a_drawn_double_that_fits_is_played_and_brings_a_further_turn() -> None:
    """With own end 3 and public end 6, a drawn 6-6 has to go on the public train."""
    trains = {"0": "12-3", "1": "12-11", "public": "12-6"}
    state = position(["2-2 9-9", "11-8 0-0"], trains, seat=1, boneyard="6-6 7-7 1-1")
    assert play(state, "play 8-11 on 1") == ["1 play 8-11 on 1", "0 drew"]
    assert legal(state) == ["play 6-6 on public"]
    assert why(state, "play 6-6 on 0") == "6-6 does not fit the train of seat 0, which ends in 3"
    assert (state.to_act(), state.further) == (0, False)
    events = play(state, "play 6-6 on public")
    assert events[:4] == ["0 play 6-6 on public", "0 drew", "0 passed", "0 marker on"]


def test_m10_a_last_double_ends_the_deal() -> None:
    """A goes out on 5-5, without a further turn."""
    state = position(["5-5", "0-1", "0-2", "0-3"], {"0": "12-5"}, markers=(0,), boneyard="1-1")
    assert play(state, "play 5-5 on 0") == ["0 play 5-5 on 0", "0 marker off", "0 out"]
    assert (state.to_act(), state.totals()) == (CHANCE, (0, 1, 2, 3))


def test_m11_who_goes_out_in_a_first_turn_leaves_the_others_theirs() -> None:
    """Seat 0 placed the engine, seat 2 goes out in its run: seats 3 and 0 still take theirs."""
    hands = ["12-1 1-2 0-0", "9-9", "12-3", "12-4 4-4"]
    state = position(hands, {"1": "12-9"}, due=3, seat=2, owner=0)
    assert play(state, "play 3-12 on 2") == ["2 play 3-12 on 2", "2 out"]
    assert (state.to_act(), state.due) == (3, 2)
    play(state, "play 4-12 on 3")
    assert legal(state) == ["play 4-4 on 3", "stop"]
    assert play(state, "play 4-4 on 3") == ["3 play 4-4 on 3", "3 out"]
    play(state, "play 1-12 on 0")
    assert play(state, "stop") == ["0 stop"]
    assert (state.to_act(), state.totals()) == (CHANCE, (3, 18, 0, 0))
    assert view.deal_end(state).winners == (2, 3)


def test_m12_the_engine_is_the_highest_double_in_any_hand() -> None:
    """Seat 2 places 11-11 although 12-12 is in the boneyard, holds 14 tiles, and seat 3 acts first."""
    pieces = order(["9-9 12-1 12-2", "0-1 0-2", "11-11 0-3", "11-0 11-1"], "12-12")
    state, told = started(pieces, 4)
    assert told == ["2 engine 11-11"]
    assert [hand.bit_count() for hand in state.hands] == [15, 15, 14, 15]
    assert (state.to_act(), state.owner, state.due) == (3, 2, 4)


def test_m13_a_double_in_a_run_is_a_plain_link() -> None:
    """After 7-12, 7-7 and stop the next seat is to act."""
    state = position(["7-12 7-7 0-0 1-7", "12-1", "0-1", "0-2"], {}, due=4, owner=3)
    play(state, "play 7-12 on 0")
    play(state, "play 7-7 on 0")
    assert legal(state) == ["play 1-7 on 0", "stop"]
    assert play(state, "stop") == ["0 stop"]
    assert (state.to_act(), state.further) == (1, False)


ENDS = {"0": "12-3", "1": "12-3", "2": "12-3", "3": "12-3", "public": "12-3"}


def test_m14_as_many_passes_as_seats_without_a_boneyard_block_the_deal() -> None:
    """With all markers on, four passes in a row end the deal, and all score their hands."""
    hands = ["3-4 1-1", "0-2", "0-5", "0-6"]
    state = position(hands, ENDS, markers=(0, 1, 2, 3), options={"deals": 1})
    events = play(state, "play 3-4 on public")
    assert events == ["0 play 3-4 on public", "1 passed", "2 passed", "3 passed", "0 passed", "blocked"]
    assert (state.to_act(), state.totals(), state.passes) == (TERMINAL, (2, 2, 5, 6), 4)
    end = view.deal_end(state)
    assert (end.winners, end.blocked) == ((), True)


def test_m14_a_pass_that_puts_a_marker_on_starts_the_count_again() -> None:
    """The count of four starts with the pass that newly marks a train."""
    hands = ["3-4 1-1", "0-2", "0-5", "0-6"]
    state = position(hands, ENDS, markers=(0, 1, 3))
    events = play(state, "play 3-4 on public")
    assert events[1:] == [
        *("1 passed", "2 passed", "2 marker on", "3 passed", "0 passed", "1 passed", "blocked")
    ]
    assert GAME.view.public(state).passes == 4
