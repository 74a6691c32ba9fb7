"""The oracle of paired worlds holds nothing hidden, and all that the rules tell."""

import random

import pytest

from referee.games.base import TABLE, Event
from referee.games.mexican_train.rules import State
from referee.games.mexican_train.table import BIT, tiles_of
from tests.games.mexican_train.knowledge import known
from tests.games.mexican_train.positions import position, started

DREW = Event("drew", 1, 0x25)


def middle(seed: int) -> State:
    """Returns a deal some actions after its beginning."""
    rng = random.Random(seed)
    state, _ = started(rng.sample(range(91), 91), 4)
    for _ in range(rng.randrange(5, 40)):
        if state.to_act() >= 0:
            state.apply(rng.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("viewer", [TABLE, 0, 1, 2, 3])
def test_l1_hidden_tiles_may_change_places_unnoticed(viewer: int) -> None:
    """Tiles of two other hands, or of one and the boneyard, may be swapped; the boneyard may be shuffled."""
    for seed in range(20):
        state = middle(seed)
        if state.to_act() < 0 or state.drawn is not None:
            continue
        one, other = [seat for seat in range(4) if seat != viewer][:2]
        before = known(state, [], viewer)
        twin = state.copy()
        first, second = tiles_of(state.hands[one])[0], tiles_of(state.hands[other])[0]
        twin.hands[one] ^= BIT[first] | BIT[second]
        twin.hands[other] ^= BIT[first] | BIT[second]
        assert known(twin, [], viewer) == before
        assert known(twin, [], one) != known(state, [], one)
        twin = state.copy()
        twin.boneyard = tuple(reversed(state.boneyard))
        assert all(known(twin, [], seat) == known(state, [], seat) for seat in range(-1, 4))
        if state.boneyard:
            twin.hands[one] ^= BIT[first] | BIT[state.boneyard[0]]
            twin.boneyard = (first, *state.boneyard[1:])
            assert known(twin, [], viewer) == before


def test_l5_a_draw_is_known_to_its_owner_alone() -> None:
    """Others know that there was one; who waits with it holds it unseen."""
    state = position(["0-1", "0-2 2-5"], {"0": "12-2"}, seat=1)
    other = DREW._replace(value=0x36)
    assert known(state, [DREW], 1) != known(state, [other], 1)
    for viewer in (TABLE, 0):
        assert known(state, [DREW], viewer) == known(state, [other], viewer)
        assert known(state, [DREW], viewer) != known(state, [], viewer)
    twin = state.copy()
    state.drawn, twin.drawn = 0x25, 0x02
    assert known(state, [], 0) == known(twin, [], 0)
    assert known(state, [], 1) != known(twin, [], 1)


def test_l1_all_that_the_table_shows_is_known() -> None:
    """A marker, a tile on a train, a count or a duty that differs can be told by everybody."""
    state = middle(3)
    for name, value in (
        ("marked", state.marked ^ 1),
        ("owner", (state.owner + 1) % 4),
        ("passes", state.passes + 1),
        ("double", 8),
        ("further", not state.further),
        ("due", state.due + 1),
        ("boneyard", state.boneyard[1:]),
        ("trains", [(0x11,), *state.trains[1:]]),
        ("total", (1, 2, 3, 4)),
    ):
        twin = state.copy()
        setattr(twin, name, value)
        assert all(known(twin, [], viewer) != known(state, [], viewer) for viewer in range(-1, 4)), name


def test_l1_hands_are_known_when_the_deal_has_ended() -> None:
    """All see all hands then."""
    state = position(["0-1", "0-2"], {}, seat=-1)
    twin = position(["0-1", "0-3"], {}, seat=-1)
    assert known(state, [], TABLE) != known(twin, [], TABLE)
