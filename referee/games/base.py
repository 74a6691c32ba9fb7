"""What a game is, to the code that runs matches.

A game is pure: values in, values out; no clock, no randomness, no I/O. Chance acts explicitly: a
state whose `to_act()` is `CHANCE` says with `chance()` what has to be drawn, the caller draws it
and calls `start_deal()`. A state spans a whole match, deal after deal, until `to_act()` is `TERMINAL`.

Actions are whole numbers with a meaning that only the game knows; its `text` and `wire` modules
translate. The legal list is the only source of legality: an action is normalised, and is legal iff
its normal form is in the list. What is applied and recorded is the action `as_played`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeAlias

from referee.errors import RulesError
from referee.games.info import GameInfo, Options

CHANCE = -1
"""Whose turn it is when a deal has to be drawn."""
TERMINAL = -2
"""Whose turn it is when the match is over."""
TABLE = -1
"""The seat of an event that is about nobody, and the viewer who is a spectator."""

Action: TypeAlias = int


class Chance(NamedTuple):
    """What has to be drawn for a deal.

    `draws` are the sizes of uniform numbers to draw first, each 0..size-1; then the `size` pieces
    of the set are put in a random order.
    """

    draws: tuple[int, ...]
    size: int

    def check(self, outcome: "Outcome") -> None:
        """Raises `RulesError` for an outcome that was not to be drawn."""
        drawn = len(outcome.draws) == len(self.draws) and all(
            0 <= draw < size for draw, size in zip(outcome.draws, self.draws, strict=True)
        )
        if not drawn or len(outcome.order) != self.size or _pieces(self.size).difference(outcome.order):
            below = f"; draws below {', '.join(map(str, self.draws))}" if self.draws else ", and no draws"
            raise RulesError(f"a deal needs the pieces 0..{self.size - 1} in an order{below}")


@cache
def _pieces(size: int) -> frozenset[int]:
    return frozenset(range(size))


class Outcome(NamedTuple):
    """What was drawn for a deal: the numbers, then the order of the pieces 0..size-1."""

    draws: tuple[int, ...]
    order: tuple[int, ...]


class Event(NamedTuple):
    """One thing that happened at the table, with the whole truth; `view.redact` hides parts of it.

    `kind` is a word of the game's canonical text, `seat` whom it is about or `TABLE`, `value` what
    the game makes of it (an action, a tile, a seat).
    """

    kind: str
    seat: int
    value: int = 0


class DealResult(NamedTuple):
    """The result of a finished deal: what it added to the totals, and the totals after it."""

    deal: int
    scores: tuple[int, ...]
    totals: tuple[int, ...]


class State(Protocol):
    """The full truth of a match in progress. Mutable; `copy` is exact and independent."""

    deal: int
    """Counts deals from 1; 0 before the first."""

    def to_act(self) -> int:
        """Returns the seat to act, `CHANCE` or `TERMINAL`."""

    def chance(self) -> Chance:
        """Returns what has to be drawn; only when `to_act()` is `CHANCE`."""

    def start_deal(self, outcome: Outcome) -> list[Event]:
        """Gives out the pieces and returns what happened."""

    def legal_actions(self) -> tuple[Action, ...]:
        """Returns the legal actions of the seat to act in canonical order; never empty then."""

    def normalise(self, action: Action) -> Action:
        """Returns the action in the form that the legal list uses."""

    def as_played(self, action: Action) -> Action:
        """Returns an action, the normal form of which is listed, as it is applied and recorded.

        That is its normal form, but for what the player was free to choose: in a card game the suits
        of equal ranks. A listed action comes back as it is.
        """

    def why_illegal(self, action: Action) -> str:
        """Says why a normalised action is not legal, from what the seat to act may know."""

    def apply(self, action: Action) -> list[Event]:
        """Plays a legal action, given `as_played`, and returns what happened, the action first."""

    def default_action(self) -> Action:
        """Returns the legal action that is played for a seat that does not choose."""

    def deal_result(self) -> DealResult | None:
        """Returns the result of the last finished deal, or None before it."""

    def totals(self) -> tuple[int, ...]:
        """Returns the match total of each seat."""

    def adjudicated(self) -> bool:
        """Says whether a cap of the rules, and not their goal, ended the match."""

    def copy(self) -> "State":
        """Returns an independent state that equals this one."""

    def snapshot(self) -> dict[str, Any]:
        """Returns the whole state in values that JSON can hold, keys in a fixed order."""


class View(Protocol):
    """The only builder of what a seat or a spectator may see."""

    def public(self, state: Any) -> Any:
        """Returns what everybody sees."""

    def private(self, state: Any, seat: int) -> Any:
        """Returns what only this seat sees besides."""

    def redact(self, event: Event, viewer: int) -> Event:
        """Returns the event as the viewer (a seat or `TABLE`) may know it."""

    def deal_end(self, state: Any) -> Any:
        """Returns what everybody sees of the deal that just ended."""


class Wire(Protocol):
    """Translates view values and actions to and from the game's protobuf messages.

    All bytes are serialised messages of `referee.v1`: they concatenate, and may be kept and shared.
    """

    def public(self, public: Any) -> bytes:
        """Returns an `Observation` with the public part only."""

    def private(self, private: Any) -> bytes:
        """Returns an `Observation` with the private part only; public + private is the whole."""

    def action(self, action: Action) -> bytes:
        """Returns an `Action`."""

    def parse_action(self, message: Any) -> Action:
        """Returns the action of an `Action` message, or raises `MalformedActionError`."""

    def event(self, event: Event) -> bytes:
        """Returns a `GameEvent` for a redacted event."""

    def deal_end(self, deal_end: Any) -> bytes:
        """Returns a `DealEnd`."""


class Text(Protocol):
    """Translates actions and events to and from canonical text."""

    def action(self, action: Action) -> str:
        """Returns the canonical text of any action, legal or not."""

    def parse_action(self, text: str) -> Action:
        """Returns the action, or raises `MalformedActionError` that names the first bad byte."""

    def event(self, event: Event) -> str:
        """Returns a line for people, with the seat first: `1 passed`."""

    def whole(self, event: Event) -> str:
        """Returns the line with what `event` hides, `1 drew 3-5`; for finished matches only."""

    def table(self, state: Any) -> Sequence[str]:
        """Returns the whole table as lines for people; for finished matches only."""

    def hand(self, state: Any, seat: int) -> Sequence[str]:
        """Returns the pieces that a seat holds, each as an action names it; for finished matches only."""


@dataclass(frozen=True, slots=True)
class Game:
    """One game of the registry: facts, rules, view, wire and text."""

    info: GameInfo
    new: "NewState"
    restore: "RestoreState"
    view: View
    wire: Wire
    text: Text


class NewState(Protocol):
    """Makes a match before its first deal."""

    def __call__(self, seats: int, options: Options) -> State:
        """Returns the state; `options` are resolved ones."""


class RestoreState(Protocol):
    """Makes a match from a snapshot."""

    def __call__(self, snapshot: Mapping[str, Any]) -> State:
        """Returns a state that equals the one that was snapshot."""


def ranks(totals: Sequence[int], *, lower_is_better: bool) -> tuple[int, ...]:
    """Returns the place of each seat: 1 + the number of seats with a better total."""
    sign = 1 if lower_is_better else -1
    keys = [sign * total for total in totals]
    return tuple(1 + sum(other < key for other in keys) for key in keys)
