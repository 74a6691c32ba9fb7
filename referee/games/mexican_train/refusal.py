"""Why an action is refused, in words that tell its seat nothing new."""

from referee.games import tiles
from referee.games.base import TERMINAL, Action
from referee.games.mexican_train.position import Position
from referee.games.mexican_train.table import ACTIONS, BIT, PUBLIC, STOP


def why_illegal(state: Position, action: Action) -> str:
    """Says why an action is not legal, from what lies on the table and the own hand alone."""
    if state.seat < 0:
        return "the match is over" if state.seat == TERMINAL else "no deal is being played"
    if action not in ACTIONS:
        return "there is no such action"
    running = bool(state.due and state.trains[state.seat])
    if action == STOP:
        return "a first turn begins with a tile" if state.due else "only a run of a first turn can be stopped"
    tile, train = action >> 4, action & 15
    name = tiles.text(tile)
    if train >= len(state.hands) and train != PUBLIC:
        return f"there is no seat {train}, and no train of it"
    if not state.hands[state.seat] & BIT[tile]:
        return f"you do not hold {name}"
    barred = _barred(state, train)
    if barred:
        return barred
    if state.drawn not in {None, tile}:
        return f"{tiles.text(state.drawn or 0)}, which you drew, has to be played"
    again = "; play another tile or stop" if running else ""
    return f"{name} does not fit {_train(train)}, which ends in {state.ends[train]}{again}"


def _barred(state: Position, train: int) -> str:
    """Says why nothing may be played on a train now; empty if something may."""
    seat = state.seat
    if state.due and train != seat:
        return f"a first turn is played on the own train, {seat}"
    if state.double is not None and train != state.double:
        number = state.ends[state.double]
        return f"the double {number}-{number} on {_train(state.double)} has to be covered first"
    if train in {seat, PUBLIC, state.double}:
        return ""
    if not state.marked >> train & 1:
        return f"{_train(train)} has no marker"
    return "" if state.trains[train] else f"{_train(train)} has not been started"


def _train(train: int) -> str:
    return "the public train" if train == PUBLIC else f"the train of seat {train}"
