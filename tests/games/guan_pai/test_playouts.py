"""Whole deals of Guan Pai: against the second implementation, and what holds in each of them."""

import random
from itertools import combinations

import pytest

from referee.errors import IllegalActionError
from referee.games.base import Event, Outcome
from referee.games.guan_pai.forms import KINDS
from referee.games.guan_pai.hand import DECK, codes_of
from referee.games.guan_pai.rules import State
from referee.games.info import OptionValue
from tests.games.guan_pai.positions import GAME, legal
from tests.games.guan_pai.reference import PIECES, Deal
from tests.games.helpers import Step, random_playout, start


def some_options(rng: random.Random) -> dict[str, OptionValue]:
    """Returns any values for all options; the deal is the only one."""
    words = {option.name: rng.choice(option.choices) for option in GAME.info.options if option.choices}
    return {**words, "deals": 1, "cap": rng.choice((5, 50, 100, 1_000)), "base": rng.choice((1, 3))}


def some_order(rng: random.Random) -> list[int]:
    """Returns an order of the cards: any, or one with few ranks in each hand, for many combinations."""
    if rng.random() < 0.5:
        return rng.sample(range(48), 48)
    turn = rng.randrange(48)
    order = [*range(turn, 48), *range(turn)]
    for _ in range(rng.randrange(5, 40)):
        one, other = rng.sample(range(48), 2)
        order[one], order[other] = order[other], order[one]
    return order


@pytest.mark.parametrize("deals", [15, pytest.param(2_000, marks=pytest.mark.soak)])
def test_m11_the_second_implementation_agrees(deals: int) -> None:
    """In many deals with any options both list, tell, play by default and score the same."""
    rng = random.Random(11)
    for _ in range(deals):
        options, order = some_options(rng), some_order(rng)
        state, deal = start(GAME, options), Deal(order, options)
        state.start_deal(Outcome((), tuple(order)))
        long = rng.random() < 0.4
        while state.to_act() >= 0:
            listed = deal.legal()
            assert (state.to_act(), legal(state)) == (deal.seat, listed)
            assert GAME.text.action(state.default_action()) == deal.default()
            text = max(listed, key=len) if long and rng.random() < 0.7 else rng.choice(listed)
            action = state.as_played(GAME.text.parse_action(text))
            assert [GAME.text.event(event) for event in state.apply(action)] == deal.play(text)
        assert state.totals() == deal.scores()


def test_the_reference_has_the_pieces_in_the_same_order() -> None:
    """The order of a deal means the same to both."""
    state = start(GAME)
    assert isinstance(state, State)
    state.start_deal(Outcome((), tuple(range(48))))
    hands = [[GAME.text.action(1 << card)[5:] for card in codes_of(hand)] for hand in state.hands]
    assert hands == [PIECES[:16], PIECES[16:32], PIECES[32:]]
    assert hands[0][0] == "3D"
    assert hands[2][-4:] == ["AC", "AH", "AS", "2S"]


def test_r1_no_card_is_lost_or_doubled() -> None:
    """After each action of 600 deals the hands and what was played are the 48 cards, each once."""

    def check(step: Step) -> None:
        state = step.state
        assert isinstance(state, State)
        piles = [*state.hands, *state.played]
        assert sum(pile.bit_count() for pile in piles) == 48
        assert sorted(card for pile in piles for card in codes_of(pile)) == list(DECK)
        for hand, played in zip(state.hands, state.played, strict=True):
            assert (hand | played).bit_count() == 16

    for seed in range(100):
        random_playout(GAME, seed, on_step=check)


def test_r2_r15_a_deal_ends_with_an_empty_hand_and_only_then() -> None:
    """Whoever is to act has a legal action; one hand is empty exactly when the deal has ended."""

    def check(step: Step) -> None:
        state = step.state
        assert isinstance(state, State)
        empty = [seat for seat in range(3) if not state.hands[seat]]
        if state.to_act() >= 0:
            assert (empty, state.winner) == ([], None)
            assert state.legal_actions()
        else:
            assert empty == [step.seat] == [state.winner]
            assert [event.kind for event in step.events] == ["play"]
            assert sum(state.totals()) == 0

    for seed in range(60):
        random_playout(GAME, seed, {"topping": "forbid", "must_beat": "true"}, check)


def test_r6_a_trick_ends_with_the_second_pass_in_a_row() -> None:
    """Passes are counted anew after each play, and the trick goes to the seat that played last."""
    passes, last = 0, -1

    def check(step: Step) -> None:
        nonlocal passes, last
        if step.action is None:
            passes = 0
            return
        if step.action:
            passes, last = 0, step.seat
            assert [event.kind for event in step.events] == ["play"]
            return
        passes += 1
        ended = passes == 2
        assert step.events[1:] == ([Event("trick", -1, last)] if ended else [])
        if ended:
            passes = 0
            assert step.state.to_act() == last

    for seed in range(100):
        random_playout(GAME, seed, on_step=check)


@pytest.mark.parametrize("deals", [6, pytest.param(300, marks=pytest.mark.soak)])
def test_m11_everything_unlisted_is_refused(deals: int) -> None:
    """Of all choices of up to five cards in hand just those of the list are accepted, whatever the suits."""
    rng = random.Random(12)
    for _ in range(deals):
        state = start(GAME, some_options(rng))
        assert isinstance(state, State)
        state.start_deal(Outcome((), tuple(some_order(rng))))
        while state.to_act() >= 0:
            try_all(state, rng)
            state.apply(rng.choice(state.legal_actions()))


def try_all(state: State, rng: random.Random) -> None:
    """Tries some hundred choices of cards, each with the ranks of a listed play or not."""
    before, listed = state.snapshot(), state.legal_actions()
    ranks = {tuple(card >> 2 for card in codes_of(action & (1 << 52) - 1)) for action in listed}
    hand = codes_of(state.hands[state.to_act()])
    choices = [choice for size in range(1, 6) for choice in combinations(hand, size)]
    for choice in rng.sample(choices, min(len(choices), 150)):
        action = sum(1 << card for card in choice)
        accepted = state.normalise(action) in listed
        legal_ranks = tuple(card >> 2 for card in choice) in ranks
        assert accepted == (legal_ranks and (0 in choice or not state.must_d3))
        if accepted:
            event = state.copy().apply(state.as_played(action))[0]
            assert event.value & (1 << 52) - 1 == action
        else:
            with pytest.raises(IllegalActionError):
                state.apply(action)
    assert state.snapshot() == before


def test_the_same_orders_and_choices_give_the_same_match() -> None:
    """P8: nothing that ran before has a part in a match."""
    ends = [random_playout(GAME, 5).snapshot() for _ in range(2)]
    assert ends[0] == ends[1]


def test_every_kind_is_played_in_random_deals() -> None:
    """Deals rich in combinations have plays of every kind; a triple with one is rare, and left out."""
    rng = random.Random(3)
    kinds: set[int] = set()
    for _ in range(300):
        state = start(GAME, {"deals": 1})
        assert isinstance(state, State)
        state.start_deal(Outcome((), tuple(some_order(rng))))
        while state.to_act() >= 0:
            state.apply(rng.choice(state.legal_actions()[-6:]))
            kinds.update(turn.kind for turn in state.trick)
    assert kinds >= {*range(12)} - {KINDS.index("triple_with_one") + 1}
