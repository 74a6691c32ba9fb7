"""Which plays are listed: everything that small hands allow, and how long a list gets."""

import random

import pytest

from referee.games import cards
from referee.games.guan_pai.forms import KINDS, LOW_STRAIGHTS
from referee.games.guan_pai.hand import DECK
from tests.games.guan_pai import reference
from tests.games.guan_pai.positions import GAME, legal, of_ranks, position, put

LONGEST_HAND = "3456789999TTTTJQ"
"""The hand with the longest list that climbing from many thousand random hands found."""


def some_hand(rng: random.Random, size: int) -> list[int]:
    """Returns a random hand, often of few ranks, so that it has combinations."""
    low = rng.randrange(10)
    near = [card for card in DECK if low <= card >> 2 <= low + 3]
    pool = near if rng.random() < 0.7 and len(near) >= size else list(DECK)
    return rng.sample(pool, size)


def some_demand(rng: random.Random) -> tuple[str, int, str]:
    """Returns a combination that may be there to beat: its kind, length and rank."""
    kind = rng.choice([kind for kind in KINDS if kind != "triple_with_one"])
    length = {
        "straight": rng.randrange(5, 8),
        "pair_run": 2 * rng.randrange(2, 4),
        "airplane": 3 * rng.randrange(2, 4),
        "airplane_with_wings": rng.randrange(2, 4),
    }.get(kind, 0)
    return kind, length, rng.choice("3456789TJQKA")


def expected(hand: list[int], option: str, demand: tuple[str, int, str] | None) -> list[str]:
    """Returns what the second implementation lists."""
    deal = reference.Deal(range(48), {"low_straight": option})
    names = [cards.NAMES[card] for card in hand]
    deal.hands = [names, ["3S", "2S"], ["3S", "2S"]]
    deal.seat = 0
    if demand:
        contest = "wings" if demand[0] == "airplane_with_wings" else demand[0]
        deal.top = (contest, demand[1], reference.value(demand[2]))
    return deal.legal()


@pytest.mark.parametrize("hands", [400, pytest.param(30_000, marks=pytest.mark.soak)])
def test_r7_m11_small_hands_have_every_play(hands: int) -> None:
    """Of hands of up to nine cards everything that beats or can be led is listed, in order, and no more."""
    rng = random.Random(7)
    for _ in range(hands):
        hand = some_hand(rng, rng.randint(1, 9))
        option = rng.choice(LOW_STRAIGHTS)
        for demand in (None, some_demand(rng), some_demand(rng)):
            state = position(
                [" ".join(cards.NAMES[card] for card in hand), "3S 2S", "3S 2S"],
                options={"low_straight": option},
                beat=demand,
            )
            assert legal(state) == expected(hand, option, demand), (hand, demand, option)


@pytest.mark.parametrize("hands", [4, pytest.param(400, marks=pytest.mark.soak)])
def test_m11_whole_hands_have_every_play(hands: int) -> None:
    """The same for hands of 16 cards that are rich in airplanes."""
    rng = random.Random(16)
    for _ in range(hands):
        low = rng.randrange(7)
        hand = rng.sample([card for card in DECK if low <= card >> 2 <= low + 5], 16)
        for demand in (None, some_demand(rng)):
            names = " ".join(cards.NAMES[card] for card in hand)
            state = position([names, "3S 2S", "3S 2S"], beat=demand)
            assert legal(state) == expected(hand, "a2345", demand)


def test_the_longest_list_stays_within_a_turn() -> None:
    """The longest list that was found has 415 entries, each there once; it fits into one message."""
    (hand, *others) = of_ranks(LONGEST_HAND, "6", "6")
    state = position([hand, *others])
    listed = state.legal_actions()
    assert len(listed) == len(set(listed)) == 415
    assert sum(len(GAME.wire.action(action)) + 4 for action in listed) < 16_384


@pytest.mark.parametrize(
    ("hand", "beat", "entries"),
    [
        ("AAA44", None, ["triple", "bomb"]),
        ("AAA", None, ["triple", "bomb"]),
        ("AAA44", ("triple", 0, "K"), ["triple", "bomb"]),
        ("AAA", ("triple", 0, "K"), ["triple", "bomb"]),
        ("AAA", ("triple_with_two", 0, "K"), ["triple_with_two", "bomb"]),
        ("AAA4", ("triple_with_two", 0, "K"), [""]),
        ("AAA44", ("pair", 0, "K"), [""]),
        ("AAA44", ("bomb", 0, "K"), [""]),
        ("AAA44", ("single", 0, "2"), [""]),
    ],
)
def test_three_aces_are_listed_as_they_may_be_read(
    hand: str, beat: tuple[str, int, str] | None, entries: list[str]
) -> None:
    """A bare AAA has an entry for a triple and one for a bomb where both may be played."""
    state = position(of_ranks(hand, "6", "6"), beat=beat)
    aces = "play AC AH AS"
    found = [text for text in legal(state) if text == aces or text.startswith(f"{aces} as")]
    assert found == [f"{aces} as {kind}" if kind else aces for kind in entries]


def test_five_triples_in_a_row_are_listed_as_both() -> None:
    """With one more card they can be led as an airplane or with wings; as the last hand it is one play."""
    both = position(of_ranks("333444555666777A", "8", "8"))
    whole = position(of_ranks("333444555666777", "8", "8"))
    for state, kinds in ((both, ["airplane", "airplane_with_wings"]), (whole, [""])):
        long = [text for text in legal(state) if text.count(" ") >= 15 and " AC" not in text]
        assert [text.partition(" as ")[2] for text in long] == kinds
    put(both, "333444555666777")
    assert KINDS[both.trick[-1].kind - 1] == "airplane_with_wings"
