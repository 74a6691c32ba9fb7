"""Places and placement points of a match, from totals and forfeits."""

from collections.abc import Sequence

from referee.games.base import ranks
from referee.match.conduct import Conduct
from referee.match.events import Place


def places(totals: Sequence[int], forfeits: Sequence[int], *, lower_is_better: bool) -> tuple[int, ...]:
    """Returns the rank of each seat; forfeited seats come last, the last to forfeit first.

    `forfeits` are the seats in the order in which they forfeited.
    """
    standing = [seat for seat in range(len(totals)) if seat not in forfeits]
    ordered = ranks([totals[seat] for seat in standing], lower_is_better=lower_is_better)
    result = [0] * len(totals)
    for seat, rank in zip(standing, ordered, strict=True):
        result[seat] = rank
    for rank, seat in enumerate(reversed(forfeits), start=len(standing) + 1):
        result[seat] = rank
    return tuple(result)


def points(rank_by_seat: Sequence[int], forfeits: Sequence[int] = ()) -> tuple[float, ...]:
    """Returns (k - mean rank of the tied places) / (k - 1) for each seat, 0 for a forfeited one."""
    count = len(rank_by_seat)

    def one(seat: int) -> float:
        rank = rank_by_seat[seat]
        mean = rank + (rank_by_seat.count(rank) - 1) / 2
        return 0.0 if seat in forfeits or count == 1 else (count - mean) / (count - 1)

    rank_by_seat = list(rank_by_seat)
    return tuple(one(seat) for seat in range(count))


def outcome(
    totals: Sequence[int], conduct: Conduct, *, lower_is_better: bool, counts: bool
) -> tuple[Place, ...]:
    """Returns the end of a match for every seat; without rank and points where it does not count."""
    rank: Sequence[int] = [0] * len(totals)
    earned: Sequence[float] = [0.0] * len(totals)
    if counts:
        rank = places(totals, conduct.forfeits, lower_is_better=lower_is_better)
        earned = points(rank, conduct.forfeits)
    return tuple(
        Place(
            seat=seat,
            rank=rank[seat],
            score=totals[seat],
            points=earned[seat],
            forfeited=seat in conduct.forfeits,
            strikes=conduct.strikes[seat],
            faults=dict(sorted(conduct.faults[seat].items())),
        )
        for seat in range(len(totals))
    )
