"""What is drawn for a deal, and whose the tiles are then."""

from collections.abc import Sequence
from typing import Final

from referee.games.base import Chance, Outcome
from referee.games.ding_niu.hand import BIT, COPY, HELD, KINDS, ONCE, SEATS

HAND: Final = 6
PIECES: Final = tuple(tile for tile in KINDS for _ in range(1 if tile in ONCE else 2))
"""The set in canonical order."""

_FIRST: Final = Chance(draws=(SEATS,), size=len(PIECES))
_LATER: Final = Chance(draws=(), size=len(PIECES))


def chance(*, first: bool) -> Chance:
    """Returns what has to be drawn: the dealer of the first deal, and the order of the 24 pieces."""
    return _FIRST if first else _LATER


def hands(outcome: Outcome, *, first: bool) -> list[int]:
    """Returns the hands by seat; raises `RulesError` for an outcome that was not to be drawn."""
    chance(first=first).check(outcome)
    order = outcome.order
    return [_hand(order[at : at + HAND]) for at in range(0, len(PIECES), HAND)]


_BITS: Final = tuple(
    BIT[tile] << COPY if at and PIECES[at - 1] == tile else BIT[tile] for at, tile in enumerate(PIECES)
)
"""The bit of each piece: the second of two equal ones has that of a second copy."""


def _hand(pieces: Sequence[int]) -> int:
    """Returns the hand of these pieces; a second copy without the first is as good as that."""
    held = sum(map(_BITS.__getitem__, pieces))
    first, second = held & HELD, held >> COPY
    return first | second | (first & second) << COPY
