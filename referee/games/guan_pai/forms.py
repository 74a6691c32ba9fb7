"""What cards can be read as: the kinds of combinations, and which beats which.

A multiset of ranks is a whole number with one nibble for each rank. Its readings are all that it can
count as; most have one, some several, and what is no combination has none. Readings of one kind and
length differ in their rank alone, so that only the highest of them is told.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from referee.games.guan_pai.hand import ACE, RANKS, TWO

KINDS: Final = (
    "single",
    "pair",
    "triple",
    "triple_with_one",
    "triple_with_two",
    "straight",
    "pair_run",
    "airplane",
    "airplane_with_wings",
    "four_with_two",
    "bomb",
)
NOTHING: Final = 0
"""The kind to beat where there is none: the seat leads."""
(
    SINGLE,
    PAIR,
    TRIPLE,
    TRIPLE_WITH_ONE,
    TRIPLE_WITH_TWO,
    STRAIGHT,
    PAIR_RUN,
    AIRPLANE,
    AIRPLANE_WITH_WINGS,
    FOUR_WITH_TWO,
    BOMB,
) = range(1, len(KINDS) + 1)

SHORTEST_STRAIGHT: Final = 5
LOW_STRAIGHTS: Final = ("a2345", "ace_low", "natural_low")
"""The words of option `low_straight`."""


class Reading(NamedTuple):
    """One thing that cards count as.

    `kind` is what it is called and `against` the kind that it competes in: a triple with one competes
    with triples with two. `length` is what has to be equal besides: the cards of a straight, a pair run
    or an airplane, the triples of an airplane with wings, else 0. `rank` decides.
    """

    kind: int
    against: int
    length: int
    rank: int


def _straights(low_straight: str) -> dict[tuple[int, ...], int]:
    """Returns the top rank of every straight by its ranks in ascending order."""
    line = (ACE, TWO, *range(ACE + 1))
    found: dict[tuple[int, ...], int] = {}
    for start in range(len(line)):
        for stop in range(start + SHORTEST_STRAIGHT, len(line) + 1):
            ranks = line[start:stop]
            if len(set(ranks)) == len(ranks) and _allowed(start, len(ranks), low_straight):
                found[tuple(sorted(ranks))] = ranks[-1]
    return found


def _allowed(start: int, length: int, low_straight: str) -> bool:
    """Says whether an option knows a straight by where it starts: at the ace, the 2, or above."""
    if start == 0:
        return low_straight != "a2345" or length == SHORTEST_STRAIGHT
    return start > 1 or low_straight == "natural_low"


STRAIGHTS: Final = {word: _straights(word) for word in LOW_STRAIGHTS}


@lru_cache(maxsize=1 << 14)
def readings(numbers: int, last: bool, low_straight: str) -> tuple[Reading, ...]:  # noqa: FBT001  cached by place
    """Returns all that a multiset counts as; `last` says that it is the whole hand that remains."""
    held = tuple(numbers >> 4 * rank & 15 for rank in range(RANKS))
    ranks = tuple(rank for rank, number in enumerate(held) if number)
    if len(ranks) == 1:
        return tuple(_of_one_rank(ranks[0], held[ranks[0]], last=last))
    found = [*_of_one_number(held, ranks, low_straight), *_with_company(held, last=last)]
    return (*found, *_with_wings(held, last=last))


def _of_one_rank(rank: int, number: int, *, last: bool) -> Iterator[Reading]:
    """Yields the readings of equal cards."""
    if number <= TRIPLE:
        yield Reading(number, number, 0, rank)
    if number == 3 and last:
        yield Reading(TRIPLE_WITH_TWO, TRIPLE_WITH_TWO, 0, rank)
    if number == 4 or (number == 3 and rank == ACE):
        yield Reading(BOMB, BOMB, 0, rank)


def _of_one_number(held: tuple[int, ...], ranks: tuple[int, ...], low_straight: str) -> Iterator[Reading]:
    """Yields the readings of several ranks with equally many cards each."""
    number = held[ranks[0]]
    size = number * len(ranks)
    if number > 3 or any(held[rank] != number for rank in ranks):
        return
    if number == 1:
        top = STRAIGHTS[low_straight].get(ranks)
        if top is not None:
            yield Reading(STRAIGHT, STRAIGHT, size, top)
    elif ranks[-1] - ranks[0] == len(ranks) - 1 and ranks[-1] <= ACE:
        kind = PAIR_RUN if number == 2 else AIRPLANE
        yield Reading(kind, kind, size, ranks[-1])


def _with_company(held: tuple[int, ...], *, last: bool) -> Iterator[Reading]:
    """Yields the readings of a triple or a quad with one or two other cards."""
    size, most = sum(held), max(held)
    main = held.index(most)
    if most == 4 and size == 5:
        yield Reading(BOMB, BOMB, 0, main)
    elif most == 4 and size == 6:
        yield Reading(FOUR_WITH_TWO, FOUR_WITH_TWO, 0, main)
    elif most == 3 and size == 5:
        yield Reading(TRIPLE_WITH_TWO, TRIPLE_WITH_TWO, 0, main)
    elif most == 3 and size == 4 and main == ACE:
        yield Reading(BOMB, BOMB, 0, ACE)
    elif most == 3 and size == 4 and last:
        yield Reading(TRIPLE_WITH_ONE, TRIPLE_WITH_TWO, 0, main)


def _with_wings(held: tuple[int, ...], *, last: bool) -> Iterator[Reading]:
    """Yields the highest reading as an airplane with wings for each number of triples."""
    size = sum(held)
    for triples in range(2, size // 3 + 1):
        if not wings_fit(triples, size - 3 * triples, last=last):
            continue
        for top in range(ACE, triples - 2, -1):
            if min(held[top - triples + 1 : top + 1]) >= 3:
                yield Reading(AIRPLANE_WITH_WINGS, AIRPLANE_WITH_WINGS, triples, top)
                break


def wings_fit(triples: int, wings: int, *, last: bool) -> bool:
    """Says whether so many triples may have so many wings."""
    return (triples <= 3 and wings == 2 * triples) or (last and 0 <= wings < 2 * triples)


def beats(reading: Reading, kind: int, length: int, rank: int) -> bool:
    """Says whether a reading beats a combination of this kind, length and rank."""
    if reading.against == kind:
        return reading.length == length and reading.rank > rank
    return reading.kind == BOMB


def led(found: tuple[Reading, ...]) -> Reading:
    """Returns how cards are read that are led: a bomb first, then the highest rank, then the later kind."""
    return max(found, key=lambda reading: (reading.kind == BOMB, reading.rank, reading.kind, reading.length))


def answered(found: tuple[Reading, ...], kind: int) -> Reading:
    """Returns how cards are read that beat a combination of this kind: as that, then highest first."""
    return max(found, key=lambda reading: (reading.against == kind, reading.rank))


def usable(found: tuple[Reading, ...], kind: int, length: int, rank: int) -> tuple[Reading, ...]:
    """Returns the readings that may be played: all that there are in the lead, else those that beat."""
    if kind == NOTHING:
        return found
    return tuple([reading for reading in found if beats(reading, kind, length, rank)])
