"""What a finished deal is worth."""

from collections.abc import Sequence

from referee.games.block_dominoes.line import SEATS


def settle(pips: Sequence[int], out: int | None, block_score: str) -> tuple[int | None, tuple[int, ...]]:
    """Returns the winner of a deal, None for a drawn one, and what each seat scores.

    `pips` are what is left in each hand; `out` is the seat that played its last tile, None for a
    block.
    """
    least = min(pips)
    winner = out
    if winner is None and list(pips).count(least) == 1:
        winner = list(pips).index(least)
    if winner is None:
        return None, (0,) * SEATS
    won = sum(pips) - pips[winner]
    if out is None and block_score == "others_minus_own":
        won -= pips[winner]
    return winner, tuple(won if seat == winner else 0 for seat in range(SEATS))
