"""What a finished deal is worth."""

from collections.abc import Sequence
from typing import Final

from referee.games import tiles
from referee.games.ding_niu.hand import SEATS, pips_of
from referee.games.tiles import Tile

NORMAL: Final = (6, -1, -2, -3)
SUCCESS: Final = {"plus_two": (12, -3, -4, -5), "doubled": (12, -2, -4, -6)}
FAILURE: Final = 12


def pips(hands: Sequence[int], discards: Sequence[Sequence[Tile]]) -> list[int]:
    """Returns by seat the pips of what is in hand and face down."""
    return [
        sum([tiles.pips(tile) for tile in down]) + pips_of(hand)
        for hand, down in zip(hands, discards, strict=True)
    ]


def standing(left: Sequence[int], leader: int) -> tuple[int, ...]:
    """Returns the seats from first to last by the pips they are left with.

    Of the lowest ones the seat nearest to the leader in turn order is first; of the others that are
    equal the nearer one is placed worse.
    """
    by_turn = [(leader + turns) % SEATS for turns in range(SEATS)]
    first = min(by_turn, key=left.__getitem__)
    others = [seat for seat in reversed(by_turn) if seat != first]
    return first, *sorted(others, key=left.__getitem__)


def score(
    left: Sequence[int], leader: int, settler: int | None, settlement_pay: str
) -> tuple[int, tuple[int, ...]]:
    """Returns the winner of a deal and what each seat scores.

    `left` are the pips that each seat has discarded and still holds; `settler` is the seat that
    settled, None for a deal that was played to its end.
    """
    places = standing(left, leader)
    pay = NORMAL if settler is None else SUCCESS[settlement_pay]
    scores = [0] * SEATS
    if settler is None or settler == places[0]:
        for seat, points in zip(places, pay, strict=True):
            scores[seat] = points
    else:
        scores[settler], scores[places[0]] = -FAILURE, FAILURE
    return places[0], tuple(scores)
