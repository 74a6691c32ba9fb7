"""L1, L5, L14: two worlds that agree on all that a viewer may know look the same to it, in every game."""

import random
from collections.abc import Callable, Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games import REGISTRY, names
from referee.games.base import TABLE, Action, Event, Game, State
from tests.games.helpers import Sitting, random_sitting, sittings
from tests.games.worlds import Pair, pairs, pool

Tell = Callable[[Game, State, Sequence[Event], int], list[object]]

POSITIONS = 80
every_sitting = pytest.mark.parametrize("sitting", list(sittings()), ids=str)
every_game = pytest.mark.parametrize("game", REGISTRY, ids=names())


_found: dict[str, list[Pair]] = {}


def found(sitting: Sitting) -> list[Pair]:
    """Returns the pairs of a table; they are searched once."""
    if str(sitting) not in _found:
        _found[str(sitting)] = list(pairs(sitting, 1, POSITIONS))
    return _found[str(sitting)]


@cache
def tried(game: Game) -> list[Action]:
    """Returns actions that a viewer names where they may not be legal."""
    return pool(game)


def tell(game: Game, state: State, events: Sequence[Event], viewer: int) -> list[object]:
    """Returns everything that may be told to the viewer at one step, as it would be sent."""
    view, wire, text = game.view, game.wire, game.text
    seen = [view.redact(event, viewer) for event in events]
    told: list[object] = [wire.event(event) for event in seen]
    told += [text.event(event) for event in seen]
    told += [wire.public(view.public(state)), state.to_act(), state.totals(), state.deal_result()]
    if viewer != TABLE:
        told.append(wire.private(view.private(state, viewer)))
        if state.to_act() == viewer:
            told += asked(game, state)
    return told


def asked(game: Game, state: State) -> list[object]:
    """Returns what the seat to act is told: what it may do, and why it may not do anything else."""
    listed = state.legal_actions()
    told: list[object] = [game.wire.action(action) for action in listed]
    told += [game.text.action(action) for action in (*listed, state.default_action())]
    for action in tried(game):
        normal = state.normalise(action)
        told.append("legal" if normal in listed else state.why_illegal(normal))
    return told


def transcript(pair: Pair, number: int, teller: Tell) -> list[list[object]]:
    """Returns what the viewer is told, step by step, in one of the two worlds."""
    state, world, game = pair.begin(), pair.worlds[number], pair.sitting.game
    told = [teller(game, state, state.start_deal(world.outcome), pair.viewer)]
    for action in world.actions:
        events = state.apply(action)
        told.append(teller(game, state, events, pair.viewer))
    return told


@every_sitting
def test_l1_l5_l14_paired_worlds_look_the_same(sitting: Sitting) -> None:
    """Every byte told to the viewer is equal at each step, refusals included."""
    for pair in found(sitting):
        assert transcript(pair, 0, tell) == transcript(pair, 1, tell)
    viewers = {pair.viewer for pair in found(sitting)}
    assert len(found(sitting)) > POSITIONS / 3
    assert len(viewers) > min(3, sitting.seats / 2)


@every_game
@settings(max_examples=25)
@given(st.randoms(use_true_random=False))
def test_l1_l5_l14_also_with_any_options(game: Game, rng: random.Random) -> None:
    """The same at tables of any size with any options, as far as pairs can be found there."""
    for pair in pairs(random_sitting(game, rng), rng.randrange(1_000), 4):
        assert transcript(pair, 0, tell) == transcript(pair, 1, tell)


@every_game
def test_l1_the_pairs_of_a_game_reach_every_kind_of_question(game: Game) -> None:
    """Some viewer is asked, somewhere, for each kind of action that the game has."""
    met: set[str] = set()
    every = {game.text.action(action).split()[0] for action in pool(game, 10_000)}
    for sitting in sittings():
        for pair in found(sitting) if sitting.game is game else []:
            state = pair.begin()
            state.start_deal(pair.worlds[1].outcome)
            for action in pair.worlds[1].actions:
                if state.to_act() == pair.viewer:
                    met |= {game.text.action(one).split()[0] for one in state.legal_actions()}
                state.apply(action)
    assert met >= every


# What the comparison has to catch


def leak_in_public(game: Game, state: State, events: Sequence[Event], viewer: int) -> list[object]:
    """Tells something of all hands, as a careless view might."""
    return [*tell(game, state, events, viewer), hash(str(state.snapshot())) % 1_000]


def leak_in_private(game: Game, state: State, events: Sequence[Event], viewer: int) -> list[object]:
    """Tells another seat's hand, as a slip in a seat number might."""
    seats = len(state.totals())
    other = game.wire.private(game.view.private(state, (viewer + 1) % seats))
    return [*tell(game, state, events, viewer), other]


def leak_in_a_count(game: Game, state: State, events: Sequence[Event], viewer: int) -> list[object]:
    """Tells how many choices the seat to act has, as the size of a message might."""
    return [*tell(game, state, events, viewer), len(state.legal_actions())]


def leak_in_a_default(game: Game, state: State, events: Sequence[Event], viewer: int) -> list[object]:
    """Tells what would be played for the seat to act."""
    default = game.text.action(state.default_action()) if state.to_act() >= 0 else ""
    return [*tell(game, state, events, viewer), default]


def leak_in_a_reason(game: Game, state: State, events: Sequence[Event], viewer: int) -> list[object]:
    """Tells the viewer what the seat to act could not do, as a refusal of an act out of turn might."""
    told = [state.why_illegal(state.normalise(action)) for action in tried(game)]
    return [*tell(game, state, events, viewer), *told]


def leak_in_events(game: Game, state: State, events: Sequence[Event], viewer: int) -> list[object]:
    """Tells events as they were, as a path that goes past the view might."""
    return [*tell(game, state, events, viewer), *events]


LEAKS = (leak_in_public, leak_in_private, leak_in_a_count, leak_in_a_default, leak_in_a_reason)


@every_game
@pytest.mark.parametrize("leak", LEAKS)
def test_l1_l5_l14_the_comparison_catches_planted_leaks(game: Game, leak: Tell) -> None:
    """A hand, a count, a choice or a hint of another seat's makes some pair of worlds differ."""
    some = found(Sitting(game, game.info.min_seats, {}))
    assert any(transcript(pair, 0, leak) != transcript(pair, 1, leak) for pair in some)


@every_game
def test_l5_the_comparison_catches_events_that_were_not_redacted(game: Game) -> None:
    """Where a game has events that not all may know, telling them as they were is seen."""
    some = [pair for sitting in sittings() if sitting.game is game for pair in found(sitting)]
    hidden = any(is_hidden(game, event) for pair in some for event in heard(pair))
    caught = any(transcript(pair, 0, leak_in_events) != transcript(pair, 1, leak_in_events) for pair in some)
    assert caught == hidden


def is_hidden(game: Game, event: Event) -> bool:
    """Says whether a spectator knows less of an event than there is."""
    return game.view.redact(event, TABLE) != event


def heard(pair: Pair) -> list[Event]:
    """Returns the events of the last deal of a pair."""
    state, world = pair.begin(), pair.worlds[0]
    events = state.start_deal(world.outcome)
    for action in world.actions:
        events += state.apply(action)
    return events
