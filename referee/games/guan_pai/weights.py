"""Plays with their place in the canonical order, as one number.

While a list is made a play is `value = order * 2^56 + action`: sorted values are actions in canonical
order, the low 56 bits of a value are the action. The order of a play is the sum of the orders of its
ranks, so values of disjoint cards add up like the cards themselves: fewer cards come first, then those
with more of the lowest rank, and so on.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from referee.games.base import Action
from referee.games.guan_pai.forms import AIRPLANE, LOW_STRAIGHTS, PAIR_RUN, STRAIGHT, STRAIGHTS
from referee.games.guan_pai.hand import ACE, LOWEST, NIBBLE, RANKS, Hand

TYPE_SHIFT: Final = 52
"""Where the kind that an action names begins; its cards are the bits below."""
CARDS: Final = (1 << TYPE_SHIFT) - 1
ACTION: Final = (1 << 56) - 1

_ORDER_SHIFT: Final = 56
_SIZE_SHIFT: Final = 108


def _weight(rank: int, number: int) -> int:
    return (number << _SIZE_SHIFT) - (number << _ORDER_SHIFT + 4 * (RANKS - 1 - rank))


WEIGHT: Final = tuple(tuple(_weight(rank, number) for number in range(5)) for rank in range(RANKS))
"""The order of so many cards of a rank, by rank and number."""
RANK_OF: Final = {1 << bit: bit >> 2 for bit in range(4 * RANKS)}
"""The rank of a card by its bit."""
NIBBLE_AT: Final = {1 << bit: NIBBLE[bit >> 2] for bit in range(4 * RANKS)}
"""All bits of the rank of a card by its bit."""
SINGLE_VALUE: Final = {1 << bit: (1 << bit) + WEIGHT[bit >> 2][1] for bit in range(4 * RANKS)}
"""The value of a single by its bit."""


def value_of(hand: Hand) -> int:
    """Returns the value of all cards of a hand played at once."""
    value, rest, rank = hand, hand, 0
    while rest:
        value += WEIGHT[rank][(rest & 15).bit_count()]
        rest >>= 4
        rank += 1
    return value


def low_value(hand: Hand, rank: int, number: int) -> int:
    """Returns the value of the so many lowest suits of a rank."""
    return (LOWEST[hand >> 4 * rank & 15][number] << 4 * rank) + WEIGHT[rank][number]


class Window(NamedTuple):
    """Consecutive ranks that can be played together, equally many cards of each."""

    need: int
    """The ranks, each as the lowest bit of its nibble."""
    nibbles: int
    """All bits of the ranks."""
    weight: int
    length: int
    top: int


def _window(ranks: tuple[int, ...], number: int, top: int) -> Window:
    return Window(
        sum(1 << 4 * rank for rank in ranks),
        sum(NIBBLE[rank] for rank in ranks),
        sum(WEIGHT[rank][number] for rank in ranks),
        number * len(ranks),
        top,
    )


def _runs(number: int) -> tuple[Window, ...]:
    """Returns every run of two or more pairs or triples: consecutive ranks up to the ace."""
    return tuple(
        _window(tuple(range(start, top + 1)), number, top)
        for top in range(1, ACE + 1)
        for start in range(top)
        if number * (top - start + 1) <= 16
    )


_WINDOWS: Final = {
    **{
        (STRAIGHT, word): tuple(_window(ranks, 1, top) for ranks, top in STRAIGHTS[word].items())
        for word in LOW_STRAIGHTS
    },
    (PAIR_RUN, ""): _runs(2),
    (AIRPLANE, ""): _runs(3),
}


@lru_cache(maxsize=1 << 14)
def windows(kind: int, there: int, low_straight: str = "") -> tuple[Window, ...]:
    """Returns the straights, pair runs or airplanes of ranks of which enough cards are there."""
    return tuple([window for window in _WINDOWS[kind, low_straight] if window.need & there == window.need])


def actions_of(values: list[int]) -> tuple[Action, ...]:
    """Returns the actions of values in canonical order."""
    values.sort()
    return tuple([value & ACTION for value in values])
