"""Mexican Train in canonical text: `play 8-12 on 0`, `play 6-9 on public`, `stop`, `1 drew`."""

from collections.abc import Sequence
from typing import Final

from referee.games import tiles
from referee.games.base import TABLE, Action, Event
from referee.games.mexican_train.rules import State
from referee.games.mexican_train.table import FROM_BONEYARD, PLAYS, PUBLIC, STOP, UNKNOWN, tiles_of
from referee.games.words import Words

_TRAINS: Final = (*map(str, range(PUBLIC)), "public")
_TEXT: Final = {
    **{action: f"play {tiles.text(action >> 4)} on {_TRAINS[action & 15]}" for action in PLAYS},
    STOP: "stop",
}


def _turned(action: Action) -> str:
    """Returns the text of a play with its tile written the other way round."""
    low, high = tiles.halves(action >> 4)
    return f"play {high}-{low} on {_TRAINS[action & 15]}"


_ACTION: Final = {text: action for action, text in _TEXT.items()} | {
    _turned(action): action for action in PLAYS
}
_WORDS: Final = Words(_ACTION, "play 8-12 on 0, play 6-9 on public or stop")


def action(action: Action) -> str:
    """Returns the canonical text of any action, legal or not."""
    return _TEXT[action]


def parse_action(text: str) -> Action:
    """Returns the action, or raises `MalformedActionError` that names the first bad byte, from 0."""
    return _WORDS.parse(text)


def event(event: Event) -> str:
    """Returns a line for people, with the seat first: `1 drew`, whichever tile that was; `blocked`."""
    kind, seat, value = event
    if kind in {"play", "stop"}:
        return f"{seat} {_TEXT[value]}"
    if kind == "engine":
        return f"{seat} engine {tiles.text(value & FROM_BONEYARD - 1)}"
    return kind if seat == TABLE else f"{seat} {kind}"


def whole(happened: Event) -> str:
    """Returns the line with the drawn tile, and where the engine was; for finished matches only."""
    line = event(happened)
    if happened.kind == "drew" and happened.value != UNKNOWN:
        return f"{line} {tiles.text(happened.value)}"
    if happened.kind == "engine" and happened.value >= FROM_BONEYARD:
        return f"{line} from the boneyard"
    return line


def table(state: State) -> Sequence[str]:
    """Returns the whole table, hands included, as lines for people; for finished matches only."""
    centre = tiles.text(state.centre)
    lines = [f"deal {state.deal}", f"engine {centre} of seat {state.owner}", _train(state, PUBLIC)]
    for seat, hand in enumerate(state.hands):
        mark = ">" if seat == state.seat else " "
        held = " ".join(map(tiles.text, tiles_of(hand))) or "none"
        lines.extend((f"{mark} seat {seat} total {state.total[seat]:>4} hand {held}", _train(state, seat)))
    lines.append(f"boneyard {' '.join(map(tiles.text, state.boneyard)) or 'empty'}")
    return lines


def hand(state: State, seat: int) -> Sequence[str]:
    """Returns the pieces that a seat holds, each as an action names it; for finished matches only."""
    return tuple(map(tiles.text, tiles_of(state.hands[seat])))


def _train(state: State, train: int) -> str:
    laid = " ".join(map(tiles.text, state.trains[train])) or "not started"
    marker = " marker" if train != PUBLIC and state.marked >> train & 1 else ""
    return f"  train {_TRAINS[train]}{marker}: {laid}"
