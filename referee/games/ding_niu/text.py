"""Ding Niu in canonical text: `play 1-3`, `play 3-3 left`, `discard 2-2`, `1 discarded`."""

from collections.abc import Sequence
from typing import Final

from referee.games import tiles
from referee.games.base import Action, Event
from referee.games.ding_niu.hand import tiles_of
from referee.games.ding_niu.line import ACTIONS, CONTINUE, DISCARD, SETTLE
from referee.games.ding_niu.rules import State
from referee.games.line import LEFT, NO_END, RIGHT
from referee.games.tiles import Tile
from referee.games.words import Words

_ENDS: Final = {NO_END: "", LEFT: " left", RIGHT: " right"}
_ANSWERS: Final = {SETTLE: "settle", CONTINUE: "continue"}


def _written(action: Action, *, turned: bool) -> str:
    """Returns the text of an action, if wanted with its tile written the other way round."""
    if action >= SETTLE:
        return _ANSWERS[action]
    if action >= DISCARD:
        return f"discard {_tile(action - DISCARD, turned=turned)}"
    return f"play {_tile(action >> 2, turned=turned)}{_ENDS[action & 3]}"


def _tile(tile: Tile, *, turned: bool) -> str:
    low, high = tiles.halves(tile)
    return f"{high}-{low}" if turned else f"{low}-{high}"


_TEXT: Final = {action: _written(action, turned=False) for action in ACTIONS}
_ACTION: Final = {_written(action, turned=turned): action for action in ACTIONS for turned in (False, True)}
_WORDS: Final = Words(_ACTION, "play 1-3, play 3-3 left or discard 2-2")


def action(action: Action) -> str:
    """Returns the canonical text of any action, legal or not."""
    return _TEXT[action]


def parse_action(text: str) -> Action:
    """Returns the action, or raises `MalformedActionError` that names the first bad byte, from 0."""
    return _WORDS.parse(text)


def event(event: Event) -> str:
    """Returns a line for people, with the seat first: `1 discarded`; `leader 2` begins a deal."""
    kind, seat, value = event
    if kind == "leader":
        return f"leader {value}"
    return f"{seat} {_TEXT[value]}" if value else f"{seat} {kind}"


whole: Final = event
"""Returns the line with what `event` hides, which is nothing."""


def table(state: State) -> Sequence[str]:
    """Returns the whole table, hands included, as lines for people; for finished matches only."""
    line = " ".join(map(tiles.text, state.line)) or "empty"
    lines = [f"deal {state.deal} dealer {state.dealer} leader {state.leader}", f"line {line}"]
    for seat, (hand, down) in enumerate(zip(state.hands, state.discards, strict=True)):
        mark = ">" if seat == state.seat else " "
        held = " ".join(map(tiles.text, tiles_of(hand))) or "none"
        put = " ".join(map(tiles.text, down)) or "none"
        lines.append(f"{mark} seat {seat} total {state.total[seat]:>4} hand {held} face down {put}")
    return lines


def hand(state: State, seat: int) -> Sequence[str]:
    """Returns the pieces that a seat holds, each as an action names it; for finished matches only."""
    return tuple(map(tiles.text, tiles_of(state.hands[seat])))
