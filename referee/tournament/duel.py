"""Two bots against each other in blocks of matches that share their deals.

Both play every hand of a block from every seat that the other plays it from, so what is left of the
luck of the deal is the same for both.
"""

from collections.abc import Iterable, Sequence


def sittings(seats: int, index: int, new: str, old: str, third: str) -> list[tuple[str, ...]]:
    """Returns the matches of block `index`, each with the bot of every seat.

    At an even table the two take every other seat, and change places once. An odd one has a seat for
    a third bot, and is turned through all seats; who sits behind whom changes from block to block.
    """
    first, second = (old, new) if index % 2 else (new, old)
    table = [first, second] * (seats // 2) + [third] * (seats % 2)
    return [(*table[at:], *table[:at]) for at in range(matches(seats))]


def matches(seats: int) -> int:
    """Returns how many matches a block has."""
    return seats if seats % 2 else 2


def difference(block: Iterable[Sequence[tuple[str, float]]], new: str, old: str) -> float:
    """Returns the mean placement points of the new bot less those of the old one.

    `block` has for each match the bot and the points of every seat.
    """
    points: dict[str, list[float]] = {new: [], old: []}
    for match in block:
        for bot, earned in match:
            if bot in points:
                points[bot].append(earned)
    return sum(points[new]) / len(points[new]) - sum(points[old]) / len(points[old])
