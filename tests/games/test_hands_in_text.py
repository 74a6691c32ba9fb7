"""The hands of every game in text: pieces as actions name them."""

import random

import pytest

from referee.games.base import Outcome
from tests.games.helpers import Sitting, sittings


@pytest.mark.parametrize("sitting", list(sittings()), ids=str)
def test_a_hand_in_text_has_the_pieces_of_the_table(sitting: Sitting) -> None:
    """Each hand has as many pieces as the table shows of it, all of them different or of one set."""
    state = sitting.game.new(sitting.seats, sitting.game.info.resolve(dict(sitting.options)))
    chance = state.chance()
    order = list(range(chance.size))
    random.Random(5).shuffle(order)
    state.start_deal(Outcome(tuple(size // 2 for size in chance.draws), tuple(order)))
    text = sitting.game.text
    shown = [line for line in text.table(state) if " hand " in line]
    for seat, line in enumerate(shown):
        hand = text.hand(state, seat)
        assert hand
        assert f" hand {' '.join(hand)}" in line
    assert len(shown) == sitting.seats
