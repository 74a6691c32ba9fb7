"""The worked examples G1..G23 of the rules."""

import pytest

from referee.errors import IllegalActionError
from referee.games.base import CHANCE
from referee.games.guan_pai.rules import State
from referee.games.guan_pai.scoring import losses, scores
from tests.games.guan_pai.positions import GAME, is_legal, legal, of_ranks, position, put, ranks, why

REST = "35789"
"""Cards that keep a hand from being its last one."""


def facing(led: str, hand: str, *more: str) -> State:
    """Returns the position in which a seat with this hand answers what was led."""
    state = position(of_ranks(led + "JJ", hand, *more, *["6"] * (1 - len(more))))
    put(state, led)
    return state


def test_g1_equal_never_beats() -> None:
    """On a king another king is illegal; an ace and the 2 are legal."""
    state = facing("K", "KA23")
    assert not is_legal(state, "K")
    assert is_legal(state, "A")
    assert is_legal(state, "2")
    assert why(state, ranks(state, "K")) == "KC does not beat a single of K"


def test_g2_only_the_triple_counts() -> None:
    """444 with two kings beats 333 with 4 and 7, and not the other way round."""
    assert is_legal(facing("33347", "444KK5"), "444KK")
    assert not is_legal(facing("44478", "333KK5"), "333KK")


def test_g3_a_bare_triple_is_of_its_own_kind() -> None:
    """On 333, with many cards left, only a higher triple or a bomb follows."""
    state = facing("333", "4445555789")
    texts = [text for text in legal(state) if text != "pass"]
    found = {"".join(card[0] for card in text.split()[1:]) for text in texts}
    assert {"444", "555", "5555"} < found
    assert {len(text) for text in found} == {3, 4, 5}
    assert all(text in {"444", "555"} or text.count("5") == 4 for text in found)
    assert not is_legal(state, "44478")


def test_g4_a_triple_with_one_is_a_last_hand_only() -> None:
    """333 with a 4 is illegal with nine cards in hand; as the last four cards it wins."""
    state = position(of_ranks("3334" + REST, "66", "77"))
    assert not is_legal(state, "3334")
    assert why(state, ranks(state, "3334")) == "3D 3C 3H 4D is no combination while you hold other cards"
    state = position(of_ranks("3334", "66", "77"))
    put(state, "3334")
    assert state.deal_result() is not None
    assert state.winner == 0


def test_g5_a_last_triple_with_one_beats_a_triple_with_two() -> None:
    """On 444 with 7 and 8, the last four cards 5559 win; 3339 is illegal."""
    state = facing("44478", "5559")
    put(state, "5559")
    assert state.winner == 1
    state = facing("44478", "3339")
    assert legal(state) == ["pass"]


def test_g6_a_last_bare_triple_beats_a_triple_with_two() -> None:
    """On 555 with 7 and 8, the last three cards 666 win; with more cards in hand they are illegal."""
    state = facing("55578", "666", "4")
    put(state, "666")
    assert state.winner == 1
    assert state.trick[-1].kind == GAME.text.parse_action("play 3D as triple_with_two") >> 52
    assert not is_legal(facing("55578", "666" + REST, "4"), "666")


def test_g7_a_straight_has_the_length_of_the_one_it_beats() -> None:
    """On 34567, 45678 is legal and 456789 is not."""
    state = facing("34567", "456789")
    assert is_legal(state, "45678")
    assert not is_legal(state, "456789")
    assert why(state, ranks(state, "456789")).endswith("does not beat a straight of 5 cards up to 7")


def test_g8_a2345_is_the_lowest_straight() -> None:
    """34567 beats A2345, and A2345 beats no straight."""
    state = position(of_ranks("345A299", "34567T", "T"))
    put(state, "345A2")
    assert state.trick[-1].rank == 2
    assert is_legal(state, "34567")
    state = position(of_ranks("3456799", "345A2T", "T"))
    put(state, "34567")
    assert legal(state) == ["pass"]


@pytest.mark.parametrize("cards", ["34562", "JQKA2", "QKA23", "TJQKA2"])
def test_g9_the_2_is_in_no_other_straight(cards: str) -> None:
    """23456, JQKA2 and straights around the corner are no combinations."""
    state = position(of_ranks(cards + "88", "66", "77"))
    assert not is_legal(state, cards)


def test_g10_a_pair_run_has_the_size_of_the_one_it_beats() -> None:
    """On 3344, 5566 is legal and 445566 is not."""
    state = facing("3344", "445566" + "9")
    assert is_legal(state, "5566")
    assert not is_legal(state, "445566")


def test_g11_three_triples_with_six_wings_can_be_led() -> None:
    """333444555 with 667899 is a legal lead."""
    state = position(of_ranks("333444555667899" + "K", "66", "77"))
    assert is_legal(state, "333444555667899")


def test_g12_fewer_wings_are_a_last_hand_only() -> None:
    """333444 with 778 is legal with nine cards in hand, and illegal with twelve."""
    assert is_legal(position(of_ranks("333444778", "66", "99")), "333444778")
    assert not is_legal(position(of_ranks("333444778" + "9TJ", "66", "99")), "333444778")


def test_g13_four_with_two_is_no_bomb() -> None:
    """On a single 2, 3333 with 4 and 7 is illegal, and the bare quad is legal."""
    state = facing("2", "333347")
    assert not is_legal(state, "333347")
    assert is_legal(state, "3333")


def test_g14_a_kicker_does_not_count() -> None:
    """55553 beats the bomb 4444 with a 6."""
    state = facing("44446", "555538")
    assert is_legal(state, "55553")
    put(state, "55553")
    assert list(state.bombs) == [1, 1, 0]


def test_g15_nothing_beats_three_aces() -> None:
    """AAA beats KKKK, and no bomb beats AAA."""
    state = position(of_ranks("KKKK3", "AAA4", "QQQQ5"))
    put(state, "KKKK", "AAA")
    assert legal(state) == ["pass"]


def test_g16_three_aces_with_a_kicker_are_a_bomb() -> None:
    """AAA with a 7 is legal on a pair of queens with nine cards in hand."""
    state = facing("QQ", "AAA7" + REST)
    assert is_legal(state, "AAA7")
    put(state, "AAA7")
    assert list(state.bombs) == [0, 1, 0]


@pytest.mark.parametrize(
    ("case", "left", "bombs", "paid"),
    [
        ("g17", (16, 7, 0), 0, (-48, -7, 55)),
        ("g18", (3, 12, 0), 0, (-5, -24, 29)),
        ("g19", (16, 5, 0), 1, (-96, -10, 106)),
        ("g20", (16, 15, 0), 2, (-100, -100, 200)),
    ],
)
def test_g17_g18_g19_g20_the_losers_pay_by_their_cards(
    case: str, left: tuple[int, ...], bombs: int, paid: tuple[int, ...]
) -> None:
    """What a deal is worth, with bombs and the cap."""
    assert scores(losses(left, 2, bombs, -1, 100), 2, 1) == paid, case


def test_g21_who_does_not_top_pays_for_the_third_seat() -> None:
    """O leads 5 holding a king while N has one card; N goes out on it: O -31, T 0, N +31."""
    state = position(of_ranks("5K446688", "9", "34567TTJJQQK"))
    put(state, "5")
    assert state.fault == 0
    put(state, "9")
    assert state.to_act() == CHANCE
    assert state.totals() == (-31, 31, 0)


def test_g22_a_pair_is_no_fault() -> None:
    """O leads 55 instead: no fault, and it pays for nobody when N goes out on its king later."""
    state = position(of_ranks("556K", "2", "34567TTJJQQ8"))
    put(state, "55")
    assert state.fault == -1
    put(state, "pass", "pass", "K", "2")
    assert state.totals() == (-5, 29, -24)


def test_g23_wings_are_read_as_what_beats() -> None:
    """3334445556 on 333444 with 5678 counts as 444555 with 3336, and beats it."""
    state = position(of_ranks("9", "3334445556T", "9"), seat=1, beat=("airplane_with_wings", 2, "4"))
    put(state, "3334445556")
    assert (state.trick[-1].rank, state.demand) == (2, (9, 2, 2))
    state = position(of_ranks("9", "3334445556T", "9"), seat=1, beat=("airplane_with_wings", 2, "5"))
    assert not is_legal(state, "3334445556")


def test_a_refused_play_changes_nothing() -> None:
    """Whatever is illegal raises, and the state stays as it was."""
    state = facing("K", "KA23")
    before = state.snapshot()
    with pytest.raises(IllegalActionError, match=r"^KC does not beat a single of K$"):
        state.apply(GAME.text.parse_action("play KC"))
    with pytest.raises(IllegalActionError, match=r"^you do not hold 9D$"):
        state.apply(GAME.text.parse_action("play 9D"))
    assert state.snapshot() == before
