"""The duty before the last card, and what a deal is worth."""

import random

import pytest

from referee.games.base import Outcome
from referee.games.guan_pai.rules import State, restore
from referee.games.guan_pai.scoring import losses, price, scores
from referee.games.info import OptionValue
from tests.games.guan_pai.positions import GAME, legal, of_ranks, play, position, put, ranks, why
from tests.games.helpers import start


def topping(hand: str, option: str, *, led: str = "") -> State:
    """Returns the position of a seat whose next one has one card, in the lead or on what was led."""
    if not led:
        return position(of_ranks(hand, "8", "334455"), options={"topping": option})
    state = position(of_ranks("8", "334455", hand), seat=1, options={"topping": option})
    snapshot = state.snapshot()
    snapshot["demand"] = [1, 0, "3456789TJQKA2".index(led)]
    snapshot["trick"] = [[1, 1, 1, snapshot["demand"][2]]]
    snapshot["seat"] = 2
    return restore(snapshot)


@pytest.mark.parametrize(
    ("hand", "led", "cards", "fault"),
    [
        ("57K", "", "5", True),
        ("57K", "", "7", True),
        ("57K", "", "K", False),
        ("557K", "", "55", False),
        ("KK7", "", "K", False),
        ("57K", "6", "7", True),
        ("57K", "6", "K", False),
        ("57K", "6", "pass", True),
        ("57K", "K", "pass", False),
        ("57K", "A", "pass", False),
        ("6666K", "A", "pass", False),
        ("6666K", "A", "6666", False),
        ("6666K", "Q", "6666", False),
    ],
)
def test_topping_faults(hand: str, led: str, cards: str, fault: bool) -> None:  # noqa: FBT001
    """A fault is recorded under `penalty`, illegal under `forbid`, and nothing under `off`."""
    for option in ("penalty", "forbid", "off"):
        state = topping(hand, option, led=led)
        text = cards if cards == "pass" else ranks(state, cards)
        listed = text in legal(state)
        assert listed == (not fault or option != "forbid")
        if not listed:
            assert "play your highest single" in why(state, text)
            assert text == "pass" or why(state, f"{text} as single") == why(state, text)
            continue
        seat = state.to_act()
        play(state, text)
        if state.to_act() >= 0:
            assert state.fault == (seat if fault and option == "penalty" else -1)


def test_a_fault_is_no_fault_when_the_next_seat_has_two_cards() -> None:
    """The duty is on only before a seat with exactly one card."""
    state = position(of_ranks("57K", "88", "334455"))
    put(state, "5")
    assert state.fault == -1


def test_a_fault_counts_only_if_the_next_action_wins() -> None:
    """When the next seat passes, or is beaten first, the fault is forgotten."""
    state = position(of_ranks("57K", "3", "99K"))
    put(state, "5")
    assert state.fault == 0
    put(state, "pass")
    assert state.fault == -1
    put(state, "pass", "K", "pass", "pass", "7")
    assert state.totals() == (10, -5, -5)


def test_a_pass_that_ends_the_trick_can_be_a_punished_fault() -> None:
    """The seat that passes on a single it could top pays when the leader goes out with its next one."""
    state = position(of_ranks("56", "789", "334455AA"), totals=(0, 0, 0))
    put(state, "5", "pass", "pass")
    assert state.fault == 2
    put(state, "6")
    assert state.totals() == (13, 0, -13)


def test_who_cannot_top_does_not_pay() -> None:
    """With `off` nobody pays for another, and without a fault each pays for itself."""
    state = position(of_ranks("56", "789", "334455AA"), options={"topping": "off"})
    put(state, "5", "pass", "pass", "6")
    assert state.totals() == (13, -5, -8)


def test_must_beat_and_forbid_leave_a_way_out() -> None:
    """With both, the highest single is the only single, and somebody who cannot beat passes."""
    options: dict[str, OptionValue] = {"must_beat": "true", "topping": "forbid"}
    state = position(of_ranks("8", "334455", "9QK"), seat=2, options=options, beat=("single", 0, "T"))
    assert legal(state) == ["play KD"]
    state = position(of_ranks("8", "334455", "9QK"), seat=2, options=options, beat=("single", 0, "A"))
    assert legal(state) == ["pass"]


# Scores


def test_what_a_loser_pays_by_its_cards() -> None:
    """16 cards are 48, 10 to 15 count twice, 6 to 9 once, and fewer as 5."""
    assert [price(left) for left in range(1, 17)] == [
        *[5] * 5,
        *[6, 7, 8, 9],
        *[20, 22, 24, 26, 28, 30],
        48,
    ]


@pytest.mark.parametrize(
    ("left", "bombs", "offender", "cap", "base", "paid"),
    [
        ((7, 0, 12), 0, 0, 100, 1, (-31, 31, 0)),
        ((7, 0, 12), 1, 0, 100, 1, (-38, 62, -24)),
        ((7, 0, 12), 2, 0, 100, 1, (-52, 124, -72)),
        ((7, 0, 16), 2, 0, 100, 1, (-76, 176, -100)),
        ((16, 0, 16), 1, 0, 100, 1, (-100, 148, -48)),
        ((16, 0, 15), 2, 0, 1_000, 3, (-666, 936, -270)),
        ((16, 0, 16), 0, -1, 20, 10, (-200, 400, -200)),
        ((1, 0, 5), 0, -1, 100, 1, (-5, 10, -5)),
    ],
)
def test_bombs_faults_cap_and_base_come_in_this_order(
    left: tuple[int, ...], bombs: int, offender: int, cap: int, base: int, paid: tuple[int, ...]
) -> None:
    """Doubling first, then the third seat's price without bombs, then the cap, then the base."""
    assert scores(losses(left, 1, bombs, offender, cap), 1, base) == paid


@pytest.mark.parametrize(("scope", "total"), [("all", (40, -20, -20)), ("winner", (20, -10, -10))])
def test_whose_bombs_double(scope: str, total: tuple[int, ...]) -> None:
    """With `winner` the bombs of the losers do not count."""
    state = position(of_ranks("3KKKK4", "555578", "66"), options={"bomb_scope": scope})
    put(state, "3", "5555", "pass", "KKKK", "pass", "pass", "4")
    assert state.totals() == total
    assert GAME.view.deal_end(state).bombs == (2 if scope == "all" else 1)


@pytest.mark.parametrize(("kind", "total"), [("triple", (10, -5, -5)), ("bomb", (20, -10, -10))])
def test_three_aces_as_the_last_hand_double_as_a_bomb_only(kind: str, total: tuple[int, ...]) -> None:
    """How a bare AAA is read decides what the deal is worth."""
    state = position(of_ranks("AAA", "77", "66"))
    put(state, f"AAA as {kind}")
    assert state.totals() == total


def test_three_aces_led_without_a_word_are_a_bomb() -> None:
    """In the lead a bomb comes first; on a triple of kings AAA is a triple unless it is said to be a bomb."""
    state = position(of_ranks("AAA4", "77", "66"))
    put(state, "AAA")
    assert list(state.bombs) == [1, 0, 0]
    for text, bombs in (("AAA", 0), ("AAA as triple", 0), ("AAA as bomb", 1)):
        state = position(of_ranks("KKK4", "AAA7", "66"))
        put(state, "KKK", text)
        assert state.bombs[1] == bombs


def test_the_most_actions_of_a_deal() -> None:
    """Hands that are led card by card, and taken over as late as can be, make 134 actions and no more."""
    state = start(GAME)
    assert isinstance(state, State)
    state.start_deal(Outcome((), tuple(random.Random(1).sample(range(48), 48))))
    first = state.to_act()
    leaders = [first, (first + 2) % 3, (first + 1) % 3]
    actions = 0
    while state.to_act() >= 0:
        may_pass = state.legal_actions()[-1] == 0
        last = state.hands[leaders[0]].bit_count() == 1
        if may_pass and last and [state.to_act()] == leaders[1:2]:
            del leaders[0]
        if state.to_act() == leaders[0]:
            state.apply([one for one in state.legal_actions() if one.bit_count() == 1][-1])
        else:
            state.apply(0)
        actions += 1
    assert actions == GAME.info.bounds(GAME.info.resolve({})).plies == 134


@pytest.mark.parametrize(
    ("options", "low", "high"),
    [
        ({}, -100, 200),
        ({"base": 7, "cap": 30}, -210, 420),
        ({"cap": 10_000}, -10_000, 20_000),
        ({"cap": 10_000, "bomb_scope": "winner"}, -816, 1_632),
        ({"cap": 10_000, "bomb_scope": "winner", "topping": "off"}, -768, 1_536),
    ],
)
def test_bounds_of_a_deal(options: dict[str, OptionValue], low: int, high: int) -> None:
    """A seat loses the cap at most, and no more than four bombs of one hand can make it."""
    bounds = GAME.info.bounds(GAME.info.resolve(options))
    assert (bounds.low, bounds.high) == (low, high)
