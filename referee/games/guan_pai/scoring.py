"""What a finished deal is worth."""

from collections.abc import Sequence
from typing import Final

from referee.games.guan_pai.hand import SEATS, SIZE

WHOLE: Final = 3 * SIZE
"""What a hand of which nothing was played pays."""
LEAST: Final = 5


def price(left: int) -> int:
    """Returns what a loser with so many cards left pays, in cards."""
    if left == SIZE:
        return WHOLE
    if left >= 10:
        return 2 * left
    return max(LEAST, left)


def losses(left: Sequence[int], winner: int, bombs: int, offender: int, cap: int) -> list[int]:
    """Returns what each seat pays, in cards.

    Each bomb doubles. The offender, if there is one (else -1), also pays what the third seat would pay
    without bombs, and the third seat only the rest.
    """
    paid = [0 if seat == winner else price(left[seat]) << bombs for seat in range(SEATS)]
    if offender >= 0:
        third = SEATS - winner - offender
        share = price(left[third])
        paid[offender] += share
        paid[third] -= share
    return [min(cards, cap) for cards in paid]


def scores(paid: Sequence[int], winner: int, base: int) -> tuple[int, ...]:
    """Returns what each seat scores: the winner gets what the others pay."""
    won = sum(paid)
    return tuple([base * (won if seat == winner else -paid[seat]) for seat in range(SEATS)])
