"""Block dominoes in canonical text: `play 6-6`, `play 2-5 left`, `1 passed`."""

from collections.abc import Sequence
from typing import Final

from referee.games import tiles
from referee.games.base import Action, Event
from referee.games.block_dominoes.line import ACTIONS, tiles_of
from referee.games.block_dominoes.rules import State
from referee.games.line import LEFT, NO_END, RIGHT
from referee.games.words import Words

_ENDS: Final = {NO_END: "", LEFT: " left", RIGHT: " right"}
_TEXT: Final = {action: f"play {tiles.text(action >> 2)}{_ENDS[action & 3]}" for action in ACTIONS}


def _turned(action: Action) -> str:
    """Returns the text of an action with its tile written the other way round."""
    low, high = tiles.halves(action >> 2)
    return f"play {high}-{low}{_ENDS[action & 3]}"


_ACTION: Final = {text: action for action in ACTIONS for text in (_TEXT[action], _turned(action))}
_WORDS: Final = Words(_ACTION, "play 6-6 or play 2-5 left")


def action(action: Action) -> str:
    """Returns the canonical text of any action, legal or not."""
    return _TEXT[action]


def parse_action(text: str) -> Action:
    """Returns the action, or raises `MalformedActionError` that names the first bad byte, from 0."""
    return _WORDS.parse(text)


def event(event: Event) -> str:
    """Returns a line for people, with the seat first: `1 passed`; `opener 2` begins a deal."""
    if event.kind == "play":
        return f"{event.seat} {_TEXT[event.value]}"
    return f"{event.seat} passed" if event.kind == "passed" else f"opener {event.value}"


whole: Final = event
"""Returns the line with what `event` hides, which is nothing."""


def table(state: State) -> Sequence[str]:
    """Returns the whole table, hands included, as lines for people; for finished matches only."""
    line = " ".join(map(tiles.text, state.line)) or "empty"
    lines = [f"deal {state.deal}", f"line {line}"]
    for seat, hand in enumerate(state.hands):
        mark = ">" if seat == state.seat else " "
        held = " ".join(map(tiles.text, tiles_of(hand))) or "none"
        lines.append(f"{mark} seat {seat} total {state.total[seat]:>4} hand {held}")
    return lines


def hand(state: State, seat: int) -> Sequence[str]:
    """Returns the pieces that a seat holds, each as an action names it; for finished matches only."""
    return tuple(map(tiles.text, tiles_of(state.hands[seat])))
