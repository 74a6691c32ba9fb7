"""The option `must_satisfy`: who has to cover a double, and when it counts as covered."""

from referee.games.base import TERMINAL
from referee.games.info import OptionValue
from tests.games.mexican_train.positions import PIECES, legal, play, position

SATISFY: dict[str, OptionValue] = {"doubles": "must_satisfy", "deals": 1}


def test_r18_a_double_that_nobody_can_cover_holds_nobody_up() -> None:
    """With an empty boneyard its number is down, so that it counts as covered; the deal is blocked."""
    trains = {"0": "12-5", "1": "12-3", "2": "12-3", "public": "12-3"}
    state = position(["5-5 1-4", "0-2", "4-6"], trains, markers=(0, 1, 2), options=SATISFY)
    events = play(state, "play 5-5 on 0")
    passes = ["0 passed", "1 passed", "2 passed"]
    assert events == ["0 play 5-5 on 0", "0 marker off", "0 passed", "0 marker on", *passes[1:], "blocked"]
    assert (state.to_act(), state.double, state.totals()) == (TERMINAL, None, (5, 2, 10))


def test_must_satisfy_asks_the_player_then_the_next_seats() -> None:
    """Who cannot cover draws, then passes with a marker; the next seat covers a train closed to it."""
    trains = {"0": "12-5", "1": "12-3", "2": "12-3"}
    state = position(["5-5 3-4", "0-3 1-5", "3-6"], trains, boneyard="0-0 9-9", options=SATISFY)
    events = play(state, "play 5-5 on 0")
    assert events == ["0 play 5-5 on 0", "0 drew", "0 passed", "0 marker on"]
    assert (state.to_act(), state.further, state.double) == (1, False, 0)
    assert legal(state) == ["play 1-5 on 0"]
    assert play(state, "play 1-5 on 0") == ["1 play 1-5 on 0"]
    assert (state.to_act(), state.double) == (2, None)


def test_must_satisfy_gives_a_further_turn_for_the_cover_alone() -> None:
    """The player covers its double at once if it can, and the turn is over."""
    state = position(["5-5 3-4 5-6", "0-5 1-1"], {"0": "12-5", "public": "12-3"}, options=SATISFY)
    play(state, "play 5-5 on 0")
    assert (state.to_act(), state.further, legal(state)) == (0, True, ["play 5-6 on 0"])
    assert play(state, "play 5-6 on 0")[0] == "0 play 5-6 on 0"
    assert (state.double, state.further) == (None, False)


def test_must_satisfy_a_drawn_tile_has_to_cover() -> None:
    """A drawn tile that fits an open train but not the double is kept, and the seat passes."""
    state = position(["5-5 9-9", "0-5"], {"0": "12-5", "public": "12-3"}, boneyard="3-4", options=SATISFY)
    assert play(state, "play 5-5 on 0") == ["0 play 5-5 on 0", "0 drew", "0 passed", "0 marker on"]
    assert legal(state) == ["play 0-5 on 0"]
    state = position(["5-5 9-9", "0-5"], {"0": "12-5", "public": "12-3"}, boneyard="5-7", options=SATISFY)
    assert play(state, "play 5-5 on 0") == ["0 play 5-5 on 0", "0 drew"]
    assert legal(state) == ["play 5-7 on 0"]


def test_must_satisfy_a_double_whose_number_is_down_counts_as_covered() -> None:
    """With the twelve other fives on the table any open train may follow."""
    fives = "12-5 5-0 0-1 1-5 5-2 2-3 3-5 5-4 4-6 6-5 5-7 7-8 8-5 5-9 9-10 10-5"
    state = position(["5-5 3-4", "0-3"], {"0": fives, "1": "12-11 11-5", "public": "12-3"}, options=SATISFY)
    assert play(state, "play 5-5 on 0") == ["0 play 5-5 on 0"]
    assert (state.double, state.further, legal(state)) == (None, True, ["play 3-4 on public"])
    for at, owner in (("hand", 1), ("bone", 0)):
        twin = position(["5-5 3-4", "0-3"], {"0": fives, "1": "12-11", "public": "12-3"}, options=SATISFY)
        if at == "hand":
            twin.hands[owner] |= 1 << PIECES.index((5, 11))
        else:
            twin.boneyard = (0x00, 0x5B)
        play(twin, "play 5-5 on 0")
        assert twin.double == 0


def test_must_satisfy_leaves_runs_alone() -> None:
    """Doubles inside and at the end of a first run need no cover."""
    state = position(["5-12 5-5 5-6 0-0", "12-1 1-5"], {}, due=2, owner=1, options=SATISFY)
    play(state, "play 5-12 on 0")
    play(state, "play 5-5 on 0")
    assert legal(state) == ["play 5-6 on 0", "stop"]
    play(state, "stop")
    play(state, "play 1-12 on 1")
    assert legal(state) == ["play 1-5 on 1", "stop"]
    play(state, "stop")
    assert (state.double, legal(state)) == (None, ["play 5-6 on 0"])
