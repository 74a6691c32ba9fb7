"""P13: matches that are put away and taken up again at every turn, against those that never were."""

import json
import random

import pytest

from referee.games import find, names
from referee.games.base import CHANCE, TERMINAL
from referee.match.table import state_hash
from tests.games.helpers import random_sitting, shuffled

MATCHES = 50
"""Matches of each game: 200 in all."""
DEALS = 2
"""After so many deals a match is left."""


@pytest.mark.parametrize("name", names())
def test_p13_two_hundred_matches_go_on_from_a_snapshot_at_every_turn(name: str) -> None:
    """Restored at every turn, a match has the legal list, the hash and the end of one that never was."""
    rng = random.Random(f"P13 {name}")
    turns = 0
    for _ in range(MATCHES):
        sitting = random_sitting(find(name), rng)
        whole, broken = sitting.start(), sitting.start()
        while whole.to_act() != TERMINAL and whole.deal <= DEALS:
            broken = sitting.game.restore(json.loads(json.dumps(broken.snapshot())))
            assert state_hash(broken) == state_hash(whole)
            if whole.to_act() == CHANCE:
                outcome = shuffled(whole, rng)
                assert broken.start_deal(outcome) == whole.start_deal(outcome)
                continue
            legal = whole.legal_actions()
            assert (broken.to_act(), broken.legal_actions()) == (whole.to_act(), legal)
            action = rng.choice(legal)
            assert broken.apply(action) == whole.apply(action)
            turns += 1
    assert turns > 20 * MATCHES
