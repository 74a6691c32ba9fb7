"""The worked examples D1..D13 of the rules."""

import pytest

from referee.errors import IllegalActionError
from referee.games.base import CHANCE, DealResult
from referee.games.ding_niu import view
from referee.games.ding_niu.rules import State
from referee.games.ding_niu.scoring import pips, score
from tests.games.ding_niu.pieces import pieces
from tests.games.ding_niu.positions import GAME, dealt, legal, line, order_of, play, position, why

D1_HANDS = (
    "1-1 2-2 4-4 4-6 4-6 5-6",
    "1-3 1-5 1-6 1-6 3-3 5-6",
    "1-3 1-5 2-6 4-4 5-5 6-6",
    "1-1 2-2 3-3 3-6 5-5 6-6",
)
D1_MOVES = (
    "0 P 4-6 (4,6); 1 P 5-6 (4,5); 2 P 4-4 (4,5); 3 P 5-5 (4,5); 0 P 4-6 (6,5); 1 P 1-5 (6,1); "
    "2 P 1-5 (6,5); 3 P 3-6 (3,5); 0 P 5-6 (3,6); 1 P 1-3 (1,6); 2 P 1-3 (3,6); 3 P 6-6 (3,6); 0 D 1-1; "
    "1 P 1-6 (3,1); 2 D 2-6; 3 P 1-1 (3,1); 0 D 2-2; 1 P 3-3 (3,1); 2 D 5-5; 3 P 3-3 (3,1); 0 D 4-4; "
    "1 P 1-6 (3,6); 2 P 6-6 (3,6); 3 D 2-2"
)
D2_HANDS = (
    "1-1 1-6 2-6 4-6 5-6 6-6",
    "1-1 1-6 2-2 3-6 4-4 5-6",
    "1-3 1-5 1-5 3-3 3-3 6-6",
    "1-3 2-2 4-4 4-6 5-5 5-5",
)
D2_MOVES = (
    "0 P 4-6 (4,6); 1 P 1-6 (4,1); 2 P 1-5 (4,5); 3 P 4-6 (6,5); 0 P 1-6 (1,5); 1 P 5-6 (1,6); "
    "2 P 1-5 (5,6); 3 P 5-5 (5,6); 0 P 5-6 (5,5); 1 D 1-1; 2 D 1-3; 3 P 5-5 (5,5)"
)


def ends(state: State) -> str:
    """Returns the open ends as the examples write them."""
    return f"({state.line[0] >> 4},{state.line[-1] & 15})"


def follow(state: State, moves: str) -> list[str]:
    """Plays moves as the examples write them, and returns the events of the last one."""
    events: list[str] = []
    for move in moves.split("; "):
        seat, what, tile, *shown = move.split()
        assert state.to_act() == int(seat), move
        if what == "D":
            assert all(text.startswith("discard") for text in legal(state)), move
            events = play(state, f"discard {tile}")
            assert events[0] == f"{seat} discard {tile}"
        else:
            events = play(state, fitting(state, tile, *shown))
            assert ends(state) == shown[0], move
        assert sum((tile >> 4) + (tile & 15) for tile in pieces(state)) == 177
    return events


def fitting(state: State, tile: str, shown: str) -> str:
    """Returns the listed play of a tile that makes these ends."""
    for text in legal(state):
        after = state.copy()
        if text.startswith(f"play {tile}") and play(after, text) and ends(after) == shown:
            return text
    raise AssertionError(f"no play of {tile} makes {shown}")


@pytest.mark.parametrize("settlement", ["auto", "declared", "off"])
def test_d1_a_whole_deal_is_played_out(settlement: str) -> None:
    """The deal runs as written, nobody can settle, and discards of 14, 0, 18 and 4 pips are scored."""
    state = dealt(order_of(D1_HANDS), 0, {"settlement": settlement})
    assert follow(state, D1_MOVES) == ["3 discard 2-2"]
    assert state.to_act() == CHANCE
    assert pips(state.hands, state.discards) == [14, 0, 18, 4]
    assert state.deal_result() == DealResult(1, (-2, 6, -3, -1), (-2, 6, -3, -1))
    end = view.deal_end(state)
    assert (end.winner, end.settler) == (1, None)
    assert [GAME.text.action(512 + tile) for tile in end.hands[2].discards] == [
        "discard 2-6",
        "discard 5-5",
    ]


@pytest.mark.parametrize(("pay", "scores"), [("plus_two", (-3, -4, -5, 12)), ("doubled", (-2, -4, -6, 12))])
def test_d2_a_play_that_nobody_can_follow_settles(pay: str, scores: tuple[int, ...]) -> None:
    """After the last 5 nobody else can follow: the deal ends at once, hands and discards count."""
    state = dealt(order_of(D2_HANDS), 0, {"settlement_pay": pay})
    assert follow(state, D2_MOVES) == ["3 play 5-5 left", "3 settled"]
    assert state.to_act() == CHANCE
    assert pips(state.hands, state.discards) == [22, 23, 28, 16]
    assert state.totals() == scores
    assert (view.deal_end(state).winner, view.deal_end(state).settler) == (3, 3)


def test_d2_declared_its_player_is_asked() -> None:
    """With `declared` the seat is asked, and its `settle` is worth the same as an automatic one."""
    state = dealt(order_of(D2_HANDS), 0, {"settlement": "declared"})
    assert follow(state, D2_MOVES) == ["3 play 5-5 left", "3 asked"]
    assert (state.to_act(), legal(state)) == (3, ["settle", "continue"])
    assert GAME.text.action(state.default_action()) == "continue"
    settled = state.copy()
    assert play(settled, "settle") == ["3 settle", "3 settled"]
    assert settled.totals() == (-3, -4, -5, 12)
    assert play(state, "continue") == ["3 continue"]
    assert state.to_act() == 0
    assert legal(state) == ["discard 1-1", "discard 2-6", "discard 6-6"]


def test_d2_without_settlement_the_deal_goes_on() -> None:
    """With `off` nothing is asked and the next seat is to act."""
    state = dealt(order_of(D2_HANDS), 0, {"settlement": "off"})
    assert follow(state, D2_MOVES) == ["3 play 5-5 left"]
    assert state.to_act() == 0


def test_d3_a_tile_fits_by_one_of_its_numbers() -> None:
    """With ends 5 and 5, 5-6 and 1-5 are legal and 1-3 is not."""
    state = position(["1-3 1-5 5-6", "5-5"], "5-6 6-5")
    assert legal(state) == ["play 1-5 left", "play 5-6 left"]
    assert why(state, "play 1-3 left") == "1-3 fits neither end (5 and 5)"
    with pytest.raises(IllegalActionError):
        play(state, "play 1-3 left")


def test_d4_a_double_keeps_the_end() -> None:
    """1-3, then 3-3 at the 3: the ends are 1 and 3."""
    state = position(["1-3 6-6", "3-3 6-6", "1-1 1-5", "5-5 5-6"])
    play(state, "play 1-3")
    play(state, "play 3-3 right")
    assert (line(state), ends(state)) == ("1-3 3-3", "(1,3)")


@pytest.mark.parametrize(
    ("hand", "double", "limits"),
    [
        ("2-2 2-6 1-1 4-4 5-5 1-6", "2-2", {"strict", "definition"}),
        ("3-3 1-3 1-1 4-4 5-5 6-6", "3-3", {"strict"}),
        ("3-3 1-3 1-3 4-4 5-5 6-6", "3-3", {"strict"}),
        ("3-3 1-3 1-3 3-6 5-5 6-6", "3-3", {"strict", "definition"}),
        ("4-4 4-6 1-1 2-2 5-5 1-6", "4-4", {"strict"}),
        ("4-4 4-6 4-6 2-2 5-5 1-6", "4-4", {"strict", "definition"}),
        ("5-5 1-5 1-5 5-6 2-2 3-3", "5-5", {"strict"}),
        ("5-5 1-5 1-5 5-6 5-6 3-3", "5-5", {"strict", "definition"}),
        ("5-5 5-5 4-4 3-3 2-2 1-3", "5-5", set()),
        ("1-1 1-3 1-3 1-5 1-5 1-6", "1-1", {"strict"}),
        ("6-6 1-6 1-6 2-6 3-6 4-6", "6-6", {"strict"}),
        ("6-6 1-1 2-2 3-3 4-4 5-5", "6-6", set()),
    ],
)
@pytest.mark.parametrize("limit", ["strict", "definition", "off"])
def test_d5_d6_which_doubles_may_be_led(hand: str, double: str, limits: set[str], limit: str) -> None:
    """A double is barred by other tiles of its number in hand: by any, or only by all there are."""
    state = position([hand, "1-1", "1-1", "1-1"], options={"lead_limit": limit})
    listed = {f"play {tile}" for tile in hand.split()}
    barred = {f"play {double}"} if limit in limits else set()
    doubles = {text for text in listed if text[5] == text[7] and text != f"play {double}"}
    assert (set(legal(state)) & {f"play {double}"}) == {f"play {double}"} - barred
    assert listed - barred - doubles <= set(legal(state)) <= listed
    if barred:
        held = "every" if limit == "definition" else "a"
        expected = f"{double} may not be led while you hold {held} tile with a {double[0]} that is no double"
        assert why(state, f"play {double}") == expected
        with pytest.raises(IllegalActionError, match=expected):
            play(state, f"play {double}")


def test_d5_a_barred_double_may_be_played_later() -> None:
    """The limit is one of the lead: in the line 2-2 may be joined with 2-6 still in hand."""
    state = position(["2-2 2-6", "1-1"], "6-2")
    assert legal(state) == ["play 2-2 right", "play 2-6 left", "play 2-6 right"]


def test_d7_a_discard_with_a_fitting_tile_is_illegal() -> None:
    """Whoever can play may put down neither that tile nor another one."""
    state = position(["1-3 4-4", "5-5"], "5-6 6-3")
    assert legal(state) == ["play 1-3 right"]
    for tile in ("1-3", "4-4"):
        reason = f"{tile} may not be discarded while a tile of yours fits an end (5 and 3)"
        assert why(state, f"discard {tile}") == reason
        with pytest.raises(IllegalActionError):
            play(state, f"discard {tile}")


@pytest.mark.parametrize(
    ("case", "left", "leader", "scores"),
    [
        ("d8", (6, 10, 2, 15), 2, (-1, -2, 6, -3)),
        ("d9", (10, 2, 2, 15), 2, (-2, -1, 6, -3)),
        ("d10", (0, 0, 0, 0), 2, (-2, -1, 6, -3)),
        ("d10", (0, 0, 0, 0), 0, (6, -3, -2, -1)),
        ("d10", (0, 0, 0, 0), 3, (-3, -2, -1, 6)),
    ],
)
def test_d8_d9_d10_deals_played_out(
    case: str, left: tuple[int, ...], leader: int, scores: tuple[int, ...]
) -> None:
    """The lowest wins 6, the others lose 3, 2 and 1 by their pips; nearness to the leader breaks ties."""
    assert score(left, leader, None, "plus_two") == (scores.index(6), scores), case


@pytest.mark.parametrize("pay", ["plus_two", "doubled"])
def test_d11_a_failed_settlement_pays_for_all(pay: str) -> None:
    """A settler with 7 where another has 2 loses 12 to it, and the two others lose nothing."""
    assert score((7, 2, 11, 14), 0, 0, pay) == (1, (-12, 12, 0, 0))


@pytest.mark.parametrize("settlement", ["auto", "declared"])
def test_d12_a_last_tile_settles_nothing(settlement: str) -> None:
    """The last seat's last tile ends the deal as any other."""
    down = ["", "2-2", "", "6-6"]
    state = position(["1-1"], "1-3", leader=1, down=down, options={"settlement": settlement})
    assert play(state, "play 1-1 left") == ["0 play 1-1 left"]
    assert state.to_act() == CHANCE
    assert state.totals() == (-1, -2, 6, -3)
    assert view.deal_end(state).settler is None


@pytest.mark.parametrize("empty", [1, 2, 3])
def test_d12_nor_does_a_play_while_another_seat_has_no_tile(empty: int) -> None:
    """Each of the others has to hold a tile; one without counts neither as able nor as unable."""
    hands = ["1-1 4-4", "5-5", "5-5", "6-6"]
    hands[empty] = ""
    state = position(hands, "1-3 3-1")
    assert play(state, "play 1-1 left") == ["0 play 1-1 left"]
    assert state.to_act() == (2 if empty == 1 else 1)


def test_d12_the_players_own_last_tile_may_settle() -> None:
    """The player may have no tile left: its own hand is not asked for."""
    hands = ["1-1", "5-5", "5-5", "6-6"]
    state = position(hands, "1-3 3-1", options={"settlement": "declared"})
    assert play(state, "play 1-1 left") == ["0 play 1-1 left", "0 asked"]
    assert legal(state) == ["settle", "continue"]
    assert play(state, "continue") == ["0 continue"]
    assert (state.to_act(), legal(state)) == (1, ["discard 5-5"])


def test_d13_the_set_has_24_tiles_and_177_pips() -> None:
    """Each double is there twice, 2-6 and 3-6 once, the other five tiles twice."""
    state = dealt(range(24))
    whole = [GAME.text.action(512 + tile).removeprefix("discard ") for tile in pieces(state)]
    assert len(whole) == 24
    once = {tile for tile in whole if whole.count(tile) == 1}
    assert once == {"2-6", "3-6"}
    doubles = {f"{n}-{n}" for n in range(1, 7)}
    assert set(whole) == once | doubles | {"5-6", "4-6", "1-6", "1-5", "1-3"}
    assert sum(int(tile[0]) + int(tile[2]) for tile in whole) == 177
