"""Guan Pai in canonical text: `play 3D 3C 3H 4S 7D`, `play AC AH AS as bomb`, `pass`, `1 pass`."""

from collections.abc import Callable, Sequence
from typing import Final

from referee.errors import MalformedActionError
from referee.games import cards
from referee.games.base import Action, Event
from referee.games.guan_pai.forms import KINDS
from referee.games.guan_pai.hand import DECK
from referee.games.guan_pai.reading import PASS, named
from referee.games.guan_pai.rules import State
from referee.games.guan_pai.weights import CARDS, TYPE_SHIFT
from referee.games.words import malformed

_BIT: Final = {cards.NAMES[code]: 1 << code for code in DECK}
_TYPE: Final = {kind: number << TYPE_SHIFT for number, kind in enumerate(KINDS, 1)}


def action(action: Action) -> str:
    """Returns the canonical text of any action, legal or not."""
    if action == PASS:
        return "pass"
    text = f"play {named(action & CARDS)}"
    kind = action >> TYPE_SHIFT
    return f"{text} as {KINDS[kind - 1]}" if kind else text


def parse_action(text: str) -> Action:
    """Returns the action, or raises `MalformedActionError` that names the first bad byte, from 0.

    Cards may stand in any order.
    """
    if text == "pass":
        return PASS
    words = text.split(" ")
    kind = 0
    if len(words) > 3 and words[-2] == "as":
        kind = _TYPE.get(words[-1], -1)
        del words[-2:]
    found = 0
    for word in words[1:]:
        bit = _BIT.get(word, 0)
        if not bit or found & bit:
            raise _refused(text)
        found |= bit
    if kind < 0 or words[0] != "play" or not found:
        raise _refused(text)
    return kind | found


def _refused(text: str) -> MalformedActionError:
    return malformed(text, _first_bad(text), "play 3D 3C, or pass")


def _first_bad(text: str) -> int:
    """Returns where a text leaves the last way to go on to an action; its length if none is left."""
    at = _common(text, 0, ("pass", "play "))
    left = dict(_BIT)
    while text[:at].startswith("play ") and text[at - 1] == " ":
        follow = [*left] if at == 5 else [*left, *[f"as {kind}" for kind in KINDS]]
        end = _common(text, at, follow)
        if text[at:end] not in left:
            return end
        del left[text[at:end]]
        at = end + 1 if text[end : end + 1] == " " else end
    return at


def _common(text: str, start: int, words: Sequence[str]) -> int:
    """Returns how far a text from `start` on agrees with the best of some words."""
    end = start
    while end < len(text) and any(word.startswith(text[start : end + 1]) for word in words):
        end += 1
    return end


def _said(event: Event) -> str:
    return f"{event.seat} {action(event.value)}"


_EVENT: Final[dict[str, Callable[[Event], str]]] = {
    "play": _said,
    "pass": _said,
    "trick": lambda event: f"trick to {event.value}",
    "leader": lambda event: f"leader {event.value}",
}


def event(event: Event) -> str:
    """Returns a line for people: `1 pass`, `trick to 2`; `leader 0` begins a deal."""
    return _EVENT[event.kind](event)


whole: Final = event
"""Returns the line with what `event` hides, which is nothing."""


def table(state: State) -> Sequence[str]:
    """Returns the whole table, hands included, as lines for people; for finished matches only."""
    lines = [f"deal {state.deal} leader {state.leader}"]
    lines.append(
        "trick " + (", ".join(f"{turn.seat} {action(turn.action)}" for turn in state.trick) or "none")
    )
    for seat, hand in enumerate(state.hands):
        mark = ">" if seat == state.seat else " "
        lines.append(f"{mark} seat {seat} total {state.total[seat]:>5} hand {named(hand) or 'none'}")
    return lines


def hand(state: State, seat: int) -> Sequence[str]:
    """Returns the pieces that a seat holds, each as an action names it; for finished matches only."""
    return tuple(named(state.hands[seat]).split())
