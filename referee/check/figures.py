"""How long a bot thought about its turns."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from referee.check.journal import Journal


class Think(msgspec.Struct, frozen=True, kw_only=True):
    """Think times of the turns of one game, in microseconds: from when a turn is told to its answer.

    The way there and back on this machine is in them, some 0.3 to 1 ms.
    """

    turns: int
    p50: int
    p90: int
    p99: int
    max: int


def think(journals: Iterable[Journal]) -> dict[str, Think]:
    """Returns the think times by game."""
    times: defaultdict[str, list[int]] = defaultdict(list)
    for journal in journals:
        for match, question in journal.questions():
            if question.think is not None:
                times[match.game].append(question.think)
    return {game: _summary(sorted(found)) for game, found in times.items()}


def _summary(times: Sequence[int]) -> Think:
    return Think(
        turns=len(times),
        p50=_percentile(times, 50),
        p90=_percentile(times, 90),
        p99=_percentile(times, 99),
        max=times[-1],
    )


def _percentile(times: Sequence[int], share: int) -> int:
    """Returns the least time that at least so many of a hundred do not exceed."""
    return times[max(0, -(-len(times) * share // 100) - 1)]
