"""Actions of Guan Pai as numbers, what they are read as, and why one is refused.

An action is 0 for a pass, else `kind << 52 | cards`: the cards as bits, and the kind that is named, 0
for none. It is named in the legal list only where it changes what can follow or what is doubled.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from referee.games import cards
from referee.games.base import Action
from referee.games.guan_pai.forms import (
    AIRPLANE,
    AIRPLANE_WITH_WINGS,
    BOMB,
    KINDS,
    NOTHING,
    Reading,
    answered,
    led,
    readings,
    usable,
)
from referee.games.guan_pai.hand import Hand, codes_of, counts, lowest_suits
from referee.games.guan_pai.weights import CARDS, TYPE_SHIFT

PASS: Final = 0


class Demand(NamedTuple):
    """What is to be beaten; `kind` is `NOTHING` in the lead."""

    kind: int
    length: int
    rank: int


def named(hand: Hand) -> str:
    """Returns cards in text."""
    return " ".join([cards.NAMES[code] for code in codes_of(hand)])


def found(action: Action, hand: Hand, demand: Demand, low_straight: str) -> tuple[Reading, ...]:
    """Returns what the cards of a play may be read as now, whatever kind the action names."""
    played = action & CARDS
    return usable(readings(counts(played), played == hand, low_straight), *demand)


def read(action: Action, hand: Hand, demand: Demand, low_straight: str) -> Reading:
    """Returns what a legal play of this hand counts as."""
    played = action & CARDS
    return _read(counts(played), action >> TYPE_SHIFT, played == hand, demand, low_straight)


@lru_cache(maxsize=1 << 14)
def _read(numbers: int, kind: int, last: bool, demand: Demand, low_straight: str) -> Reading:  # noqa: FBT001  cached by place
    ways = usable(readings(numbers, last, low_straight), *demand)
    if kind:
        ways = tuple([way for way in ways if way.kind == kind])
    if len(ways) == 1:
        return ways[0]
    return led(ways) if demand.kind == NOTHING else answered(ways, demand.kind)


def normal(
    action: Action, hand: Hand, demand: Demand, low_straight: str, legal: tuple[Action, ...]
) -> Action:
    """Returns a play of held cards as the legal list has it; one that it does not have as it is."""
    kind = action >> TYPE_SHIFT
    suits = lowest_suits(hand, counts(action & CARDS))
    ways = found(action, hand, demand, low_straight)
    if kind and all(way.kind != kind for way in ways):
        return action
    if suits in legal:
        return suits
    listed = [way for way in ways if way.kind << TYPE_SHIFT | suits in legal]
    if not listed:
        return action
    if kind:
        # A kind that is not in the list is as good as the one that is: the hand ends with it.
        same = [way for way in listed if way.kind == kind] or [way for way in listed if way.kind != BOMB]
    else:
        same = [led(tuple(listed)) if demand.kind == NOTHING else answered(tuple(listed), demand.kind)]
    return same[0].kind << TYPE_SHIFT | suits


def why_not(action: Action, hand: Hand, demand: Demand, low_straight: str) -> str:
    """Says why a play is none, or does not beat what is to be beaten; empty if it is and does."""
    played = action & CARDS
    missing = played & ~hand
    if missing:
        return f"you do not hold {named(missing)}"
    text = named(played)
    ways = readings(counts(played), played == hand, low_straight)
    if not ways:
        return f"{text} is no combination" + ("" if played == hand else " while you hold other cards")
    kind = action >> TYPE_SHIFT
    if kind and all(way.kind != kind for way in ways):
        return f"{text} is no {KINDS[kind - 1]}"
    ways = usable(ways, *demand)
    if kind:
        ways = tuple([way for way in ways if way.kind == kind])
    return "" if ways else f"{text} does not beat {described(demand)}"


def described(demand: Demand) -> str:
    """Returns what is to be beaten in words: `a straight of 5 cards up to 7`."""
    kind, length, rank = demand
    name = KINDS[kind - 1]
    if kind == AIRPLANE_WITH_WINGS:
        return f"an {name} of {length} triples up to {cards.RANKS[rank]}"
    if length:
        return f"a{'n' * (kind == AIRPLANE)} {name} of {length} cards up to {cards.RANKS[rank]}"
    return f"a {name} of {cards.RANKS[rank]}"
