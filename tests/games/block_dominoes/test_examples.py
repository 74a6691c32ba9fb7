"""The worked examples B1..B11 of the rules."""

import pytest

from referee.errors import IllegalActionError
from referee.games.base import CHANCE, TERMINAL, DealResult, Outcome, ranks
from referee.games.block_dominoes import rules, view
from referee.games.block_dominoes.scoring import settle
from tests.games.block_dominoes.positions import GAME, legal, line, play, position, why

B1_HANDS = (
    "1-3 1-4 1-5 2-6 3-4 3-6 4-5",
    "0-5 1-6 2-2 2-4 3-5 4-6 5-5",
    "0-1 0-2 0-4 1-1 1-2 4-4 5-6",
    "0-0 0-3 0-6 2-3 2-5 3-3 6-6",
)
B1_MOVES = (
    "1 2-4@4, 2 1-2@2, 3 0-3@3, 0 1-3@1, 1 3-5@3, 2 0-2@0, 3 2-5@2, 0 1-5@5, 1 0-5@5, 2 1-1@1, 3 0-6@0, "
    "0 3-6@6, 1 1-6@1, 2 5-6@6, 3 3-3@3, 0 4-5@5, 1 4-6@4, 2 pass, 3 6-6@6, 0 2-6@6, 1 2-2@2, 2 pass, 3 2-3@3"
)


def test_b1_a_whole_deal_ends_blocked() -> None:
    """The deal runs seat by seat as written, passes included, and seat 3 scores 28 for the block."""
    state = position(B1_HANDS)
    waiting = play(state, "play 3-4")[1:]
    for move in B1_MOVES.split(", "):
        seat, _, what = move.partition(" ")
        if what == "pass":
            assert waiting.pop(0) == f"{seat} passed"
            continue
        assert waiting == []
        assert state.to_act() == int(seat)
        tile, _, number = what.partition("@")
        left, right = state.line[0] >> 4, state.line[-1] & 15
        assert int(number) in (left, right)
        text = f"play {tile} {'left' if int(number) == left else 'right'}"
        event, *waiting = play(state, text)
        assert event == f"{seat} {text}"
    assert waiting == ["0 passed", "1 passed", "2 passed", "3 passed"]
    assert (line(state)[0], line(state)[-1]) == ("2", "2")
    end = view.deal_end(state)
    assert [sum((code >> 4) + (code & 15) for code in seat.hand) for seat in end.hands] == [5, 10, 13, 0]
    assert (end.winner, end.blocked) == (3, True)
    assert end.hands[3].hand == (0x00,)
    assert state.deal_result() == DealResult(2, (0, 0, 0, 28), (0, 0, 0, 28))


def test_b2_deal_1_is_opened_with_6_6_alone() -> None:
    """In deal 1 the holder of 6-6 is to act, and any other tile is illegal."""
    state = rules.new(4, GAME.info.resolve({}))
    state.start_deal(Outcome((), tuple(range(28))))
    assert state.to_act() == 3
    assert legal(state) == ["play 6-6"]
    before = state.snapshot()
    with pytest.raises(IllegalActionError, match=r"^deal 1 has to be opened with 6-6$"):
        state.apply(GAME.text.parse_action("play 5-5"))
    assert state.snapshot() == before


def test_b3_an_opening_shows_its_lower_number_at_the_left() -> None:
    """A later deal that is opened with 2-5 has the ends 2 and 5."""
    state = position(["2-5 0-0", "2-2", "5-5", "2-4"])
    play(state, "play 2-5")
    assert legal(state) == ["play 2-2 left"]
    play(state, "play 2-2 left")
    assert line(state) == "2-2 2-5"


@pytest.mark.parametrize(("end", "shown"), [("left", "5-3 3-4 4-5"), ("right", "3-4 4-5 5-3")])
def test_b4_a_tile_that_fits_both_ends_goes_where_it_is_named(end: str, shown: str) -> None:
    """With ends 3 and 5, 3-5 on the left makes 5 and 5, on the right 3 and 3."""
    state = position(["3-5 0-0", "0-1", "0-2", "0-3"], "3-4 4-5")
    assert legal(state) == ["play 3-5 left", "play 3-5 right"]
    play(state, f"play 3-5 {end}")
    assert line(state) == shown


def test_b5_a_seat_that_can_play_is_asked() -> None:
    """With ends 2 and 3 a hand with 2-6 does not pass."""
    state = position(["0-2 0-0", "2-6 0-1", "0-3 1-1", "1-2 5-5"], "0-3")
    assert play(state, "play 0-2 left") == ["0 play 0-2 left"]
    assert state.to_act() == 1
    assert legal(state) == ["play 2-6 left"]


def test_b6_a_tie_for_the_lowest_is_a_draw() -> None:
    """A block with 7, 7, 12 and 20 pips scores nothing."""
    assert settle((7, 7, 12, 20), None, "others") == (None, (0, 0, 0, 0))


def test_b6_the_opener_of_a_drawn_deal_opens_again() -> None:
    """After a draw the seat that opened it opens, with any tile."""
    state = position(["1-1", "0-2", "3-3 1-2", "5-5"], seat=2)
    play(state, "play 3-3")
    assert state.to_act() == CHANCE
    assert view.deal_end(state).winner is None
    assert state.start_deal(Outcome((), tuple(range(28))))[0].value == 2
    assert len(state.legal_actions()) == 7


@pytest.mark.parametrize(
    ("case", "pips", "block_score", "scores"),
    [
        ("b7", (4, 9, 9, 16), "others", (34, 0, 0, 0)),
        ("b8", (3, 10, 10, 11), "others", (31, 0, 0, 0)),
        ("b8", (3, 10, 10, 11), "others_minus_own", (28, 0, 0, 0)),
    ],
)
def test_b7_b8_the_lowest_hand_scores_a_block(
    case: str, pips: tuple[int, ...], block_score: str, scores: tuple[int, ...]
) -> None:
    """The lowest hand scores the pips of the others, less its own where the option says so."""
    assert settle(pips, None, block_score) == (0, scores), case


def test_b9_the_target_ends_the_match() -> None:
    """With totals 92, 40, 10, 0 seat 0 wins 8 pips: 100, and the match is over."""
    state = position(["1-6", "0-2", "0-1", "0-5"], "6-6", totals=(92, 40, 10, 0))
    play(state, "play 1-6 left")
    assert state.to_act() == TERMINAL
    assert state.totals() == (100, 40, 10, 0)
    assert ranks(state.totals(), lower_is_better=False) == (1, 2, 3, 4)
    assert not state.adjudicated()


def test_b10_going_out_comes_before_a_block() -> None:
    """A last tile that also kills both ends wins the deal by going out, and nobody passes."""
    state = position(["2-3", "0-0", "1-1", "0-1"], "3-2 2-4 4-3", options={"block_score": "others_minus_own"})
    assert play(state, "play 2-3 left") == ["0 play 2-3 left"]
    end = view.deal_end(state)
    assert (end.winner, end.blocked) == (0, False)
    assert state.totals() == (3, 0, 0, 0)


@pytest.mark.parametrize("end", ["left", "right"])
def test_r4_b11_equal_ends_are_one_placement(end: str) -> None:
    """With ends 4 and 4, 1-4 is listed once, accepted at either end and laid at the left."""
    state = position(["1-4 0-0", "1-1 0-1"], "4-2 2-4")
    assert legal(state) == ["play 1-4 left"]
    assert play(state, f"play 1-4 {end}")[0] == "0 play 1-4 left"
    assert line(state) == "1-4 4-2 2-4"


def test_r4_b11_both_ends_lead_to_the_same_state() -> None:
    """Whichever of two equal ends is named, the state after it is the same."""
    one, other = (position(["1-4 0-0", "1-1 0-1"], "4-2 2-4") for _ in range(2))
    play(one, "play 1-4 left")
    play(other, "play 4-1 right")
    assert one.snapshot() == other.snapshot()


def test_reasons_use_the_ends_and_the_own_hand() -> None:
    """Each way to be illegal has its own fixed words."""
    state = position(["2-3 0-0 1-5 6-6", "1-2"], "2-5 5-3")
    assert why(state, "play 3-5 left") == "you do not hold 3-5"
    assert why(state, "play 1-5 left") == "1-5 fits neither end (2 and 3)"
    assert why(state, "play 2-3") == "name the end: play 2-3 left or play 2-3 right"
    state = position(["0-2 3-4"], "2-5 5-3")
    assert why(state, "play 0-2 right") == "0-2 does not fit the right end (3)"
    assert why(state, "play 3-4 left") == "3-4 does not fit the left end (2)"
    state = position(["0-2 3-4"])
    assert why(state, "play 0-2 left") == "the line is empty: open with play 0-2, without an end"
    assert why(state, "play 0-3") == "you do not hold 0-3"
    state = position(["0-2 6-6"], must=True, deal=5)
    assert why(state, "play 0-2") == "deal 5 has to be opened with 6-6"
    assert why(state, "play 6-6 left") == "the line is empty: open with play 6-6, without an end"
