"""The house bots at Guan Pai: what they choose, and what they work out."""

import random

import pytest

from referee.bot import Turn
from referee.games import cards
from referee.games.base import Outcome, State
from referee.games.guan_pai import rules
from referee.games.guan_pai.hand import EVERY_CARD
from referee.v1 import game_pb2
from referee.v1 import play_service_pb2 as play
from sample_bots.house import guan_pai as house
from tests.games.guan_pai.positions import GAME, of_ranks, position, put
from tests.games.helpers import start

MANY = "33445566778899"
"""A hand that is far from its end."""


def ask(state: State) -> Turn:
    """Returns the turn of the seat to act; cards that nobody holds were played before."""
    assert isinstance(state, rules.State)
    state = state.copy()
    state.played[0] |= EVERY_CARD & ~sum((*state.hands, *state.played))
    turn, seat = play.Turn(), state.to_act()
    view, wire = GAME.view, GAME.wire
    turn.observation.ParseFromString(
        wire.public(view.public(state)) + wire.private(view.private(state, seat))
    )
    for action in state.legal_actions():
        turn.legal_actions.add().ParseFromString(wire.action(action))
    return Turn(turn, play.MatchStarted(game="guan_pai", seat=seat))


def chosen(state: State, choose: object) -> str:
    """Returns the ranks that a bot plays, `pass` for a pass."""
    assert callable(choose)
    text = GAME.text.action(state.legal_actions()[choose(ask(state))])
    return text if text == "pass" else "".join(card[0] for card in text.split(" as ")[0].split()[1:])


def answering(led: str, hand: str, other: str, rest: int = 3) -> State:
    """Returns the position in which seat 1 answers what seat 0 led and keeps `rest` cards more."""
    state = position(of_ranks(led + "JJQQKKTT"[:rest], hand, other))
    put(state, led)
    return state


# Normal


def test_normal_leads_the_longest_of_its_lowest_cards() -> None:
    """A low straight goes before a high pair and before its own single cards."""
    assert chosen(position(of_ranks("34567KK", MANY, "9TJQ")), house.normal) == "34567"
    assert chosen(position(of_ranks("3KA", "44556677", "9TJQ")), house.normal) == "3"


def test_normal_beats_with_the_lowest() -> None:
    """Of the cards that beat it plays the lowest, and no bomb while nobody is near the end."""
    assert chosen(answering("7", "8K5555A", "66778899", 6), house.normal) == "8"
    assert chosen(answering("2", "8K5555A", "66778899", 6), house.normal) == "pass"


def test_normal_bombs_near_the_end() -> None:
    """With two cards left in front of it a bomb is played."""
    assert chosen(answering("2", "8K5555A", "66778899", 2), house.normal) == "5555"


@pytest.mark.parametrize("choose", [house.normal, house.expert])
def test_both_top_before_a_seat_with_one_card(choose: object) -> None:
    """On a single it is the highest one; in the lead a single only if it is the highest."""
    assert chosen(answering("7", "8TKA", "9", 6), choose) == "A"
    assert chosen(position(of_ranks("367K", "9", "TJQ")), choose) == "K"


@pytest.mark.parametrize("choose", [house.normal, house.expert])
def test_both_go_out_when_they_can(choose: object) -> None:
    """The last hand is played whatever else is legal."""
    assert chosen(position(of_ranks("4445", MANY[:2], "9TJQ")), choose) == "4445"
    assert chosen(answering("44478", "5559", "9TJQ", 5), choose) == "5559"


# Expert


def test_expert_leads_no_single_before_a_seat_with_one_card() -> None:
    """A pair cannot be the last card of anybody."""
    assert chosen(position(of_ranks("355K", "9", "TJQ778")), house.expert) == "55"


def test_expert_plays_its_sure_card_first() -> None:
    """With the 2 and a low pair the 2 keeps the lead, and the pair goes out."""
    assert chosen(position(of_ranks("332", "4566789TJQ", "4578999TJQK")), house.expert) == "2"


def test_expert_does_not_break_its_combinations() -> None:
    """On a low single it plays the card that belongs to nothing."""
    assert chosen(answering("3", "45678TTQ", "4566779JJ", 8), house.expert) == "Q"


def test_expert_repeats_itself() -> None:
    """Equal turns have equal answers: the imagined worlds follow from what is seen."""
    state = start(GAME)
    state.start_deal(Outcome((), tuple(random.Random(1).sample(range(48), 48))))
    assert len({chosen(state, house.expert) for _ in range(4)}) == 1


@pytest.mark.parametrize(
    ("ranks", "shape", "bomb"),
    [
        ("7", (1, 1, 4, 0), False),
        ("33347", (3, 1, 0, 2), False),
        ("33335", (4, 1, 0, 1), True),
        ("333357", (4, 1, 0, 2), False),
        ("345A2", (1, 5, 2, 0), False),
        ("34567", (1, 5, 4, 0), False),
        ("3344", (2, 2, 1, 0), False),
        ("3334445678", (3, 2, 1, 4), False),
        ("KAAA", (4, 1, 11, 1), True),
        ("33AAA", (3, 1, 11, 2), False),
    ],
)
def test_plays_are_taken_apart(ranks: str, shape: tuple[int, ...], bomb: bool) -> None:  # noqa: FBT001
    """A play is told by its equal cards, its row, its top and what goes along."""
    (hand,) = of_ranks(ranks)
    made = house.made_of([cards.CODES[name] for name in hand.split()], 0)
    assert (made.shape, made.is_bomb) == (shape, bomb)


def test_hidden_cards_are_all_that_is_not_seen() -> None:
    """What is in the own hand or was played is not with the others."""
    state = position(of_ranks("347", "56", "66"))
    put(state, "3", "5", "pass")
    view, wire = GAME.view, GAME.wire
    seen = game_pb2.Observation.FromString(wire.public(view.public(state)))
    hidden = house.hidden_cards(seen.guan_pai.public, view.private(state, 0).hand)
    assert hidden == (3, 3, 3, 4, 3, 4, 4, 4, 4, 4, 4, 3, 1)


def test_plans_prefer_few_plays_and_sure_ones() -> None:
    """A straight costs less than its cards, wings cost nothing, and a card that nobody beats costs little."""
    odds = house.plan.Odds((2,) * 11 + (2, 1), (12, 13))
    plan = house.plan.Plan(odds)

    def cost(ranks: str) -> float:
        return float(plan.cost(tuple(ranks.count(rank) for rank in cards.RANKS)))

    assert cost("3456789") < cost("356789JQ")
    assert cost("33357") == cost("333") < cost("357")
    assert cost("3333K") < cost("3336K")


@pytest.mark.parametrize("seed", range(40))
def test_imagined_deals_come_to_an_end(seed: int) -> None:
    """Whatever the hands are, a deal is played out; no hand gets a card or owes one."""
    order = random.Random(seed).sample(range(48), 48)
    pieces = [card for card in range(52) if card not in {44, 48, 49, 50}]
    hands = [list(house.by_rank([pieces[at] for at in order[start : start + 16]])) for start in (0, 16, 32)]
    sizes = [16, 16, 16]
    winner, bombs = house.worlds.play_out(hands, sizes, seed % 3, None, 0)
    assert [sum(hand) for hand in hands] == sizes
    assert [seat for seat in range(3) if not sizes[seat]] == [winner]
    assert min(min(hand) for hand in hands) == 0
    assert 0 <= bombs <= 12
