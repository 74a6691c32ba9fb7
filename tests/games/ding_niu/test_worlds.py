"""L1, L5, L14 where options meet: pairs of worlds as in tests/games/test_paired_worlds.py."""

from collections.abc import Callable, Iterator, Sequence

import pytest

from referee.games.base import TABLE, Event, State
from referee.games.ding_niu.line import ACTIONS
from referee.games.info import Options
from tests.games.ding_niu.positions import GAME
from tests.games.helpers import Sitting
from tests.games.worlds import Pair, pairs

Tell = Callable[[State, Sequence[Event], int], list[object]]

OPTIONS: list[Options] = [
    {"revoke": "extra_discard", "settlement": "declared"},
    {"revoke": "extra_discard", "settlement": "off", "lead_limit": "off"},
    {"revoke": "extra_discard", "lead": "winner", "lead_limit": "definition"},
    {"settlement": "declared", "settlement_pay": "doubled", "lead": "winner"},
]


def found(options: Options) -> list[Pair]:
    """Returns pairs of worlds under these options."""
    return list(pairs(Sitting(GAME, 4, options), 5, 40))


def tell(state: State, events: Sequence[Event], viewer: int) -> list[object]:
    """Returns everything that may be told to the viewer at one step, every refusal included."""
    seen = [GAME.view.redact(event, viewer) for event in events]
    told: list[object] = [(GAME.wire.event(event), GAME.text.event(event)) for event in seen]
    told += [GAME.wire.public(GAME.view.public(state)), state.to_act(), state.totals(), state.deal_result()]
    if viewer == TABLE:
        return told
    told.append(GAME.wire.private(GAME.view.private(state, viewer)))
    if state.to_act() == viewer:
        listed = state.legal_actions()
        told += [GAME.wire.action(action) for action in listed]
        told += [state.why_illegal(state.normalise(action)) for action in ACTIONS if action not in listed]
        told.append(state.default_action())
    return told


def transcript(pair: Pair, number: int, teller: Tell) -> Iterator[list[object]]:
    """Yields what the viewer is told at each step in one of the two worlds."""
    state, world = pair.begin(), pair.worlds[number]
    yield teller(state, state.start_deal(world.outcome), pair.viewer)
    for action in world.actions:
        yield teller(state, state.apply(action), pair.viewer)


def differ(pair: Pair, teller: Tell) -> bool:
    """Says whether the viewer could tell the two worlds apart."""
    return list(transcript(pair, 0, teller)) != list(transcript(pair, 1, teller))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_l1_l5_l14_worlds_look_the_same_where_options_meet(options: Options) -> None:
    """Every byte told to the viewer is equal at each step, whatever was put face down."""
    looked = found(options)
    assert not any(differ(pair, tell) for pair in looked)
    assert len(looked) > 15
    other_choices = [pair for pair in looked if pair.worlds[0].actions != pair.worlds[1].actions]
    assert other_choices, "some discard of somebody else was another tile"


def leak_in_discards(state: State, events: Sequence[Event], viewer: int) -> list[object]:
    """Tells the next seat's tiles face down, as a slip in a seat number might."""
    return [*tell(state, events, viewer), GAME.view.private(state, (viewer + 1) % 4).discards]


def leak_in_a_settlement(state: State, events: Sequence[Event], viewer: int) -> list[object]:
    """Tells how many tiles in all hands fit the line, as a hint of the next settlement might."""
    snapshot = state.snapshot()
    ends = {snapshot["line"][0] >> 4, snapshot["line"][-1] & 15} if snapshot["line"] else set()
    fit = sum(tile >> 4 in ends or tile & 15 in ends for hand in snapshot["hands"] for tile in hand)
    return [*tell(state, events, viewer), fit]


def leak_in_an_order(state: State, events: Sequence[Event], viewer: int) -> list[object]:
    """Tells who is first by pips now, as a running score might."""
    snapshot = state.snapshot()
    pips = [sum(hand + down) for hand, down in zip(snapshot["hands"], snapshot["discards"], strict=True)]
    return [*tell(state, events, viewer), pips.index(min(pips))]


@pytest.mark.parametrize("leak", [leak_in_discards, leak_in_a_settlement, leak_in_an_order])
@pytest.mark.parametrize("options", OPTIONS[:2], ids=str)
def test_l1_l5_the_comparison_catches_planted_leaks(options: Options, leak: Tell) -> None:
    """A tile face down, what fits, or who is first makes some pair of worlds differ."""
    assert any(differ(pair, leak) for pair in found(options))


def test_l5_whether_a_seat_could_follow_is_told_by_what_it_does_alone() -> None:
    """Until a seat acts, worlds in which it can follow and in which it cannot look alike to others."""
    told = 0
    for pair in pairs(Sitting(GAME, 4, {"settlement": "off"}), 6, 60):
        ends = [pair.begin(), pair.begin()]
        for state, world in zip(ends, pair.worlds, strict=True):
            state.start_deal(world.outcome)
            for action in world.actions:
                state.apply(action)
        one, other = (fitting(state) for state in ends)
        told += one != other and ends[0].to_act() != pair.viewer
    assert told > 3


def fitting(state: State) -> bool:
    """Says whether the seat to act can play a tile."""
    return any(GAME.text.action(action).startswith("play") for action in state.legal_actions())
