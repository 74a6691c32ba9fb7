"""The plays of Guan Pai in steps: first what is played, then the wings, one rank at a time.

There are far too many plays for an id each. So the first id tells the kind, the length, the rank that
decides, and how many wings there are; then each wing is an id for its rank, lowest ranks first.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from referee.envs.encoding import Path
from referee.games import cards
from referee.games.base import Action
from referee.games.guan_pai.forms import (
    AIRPLANE,
    AIRPLANE_WITH_WINGS,
    BOMB,
    FOUR_WITH_TWO,
    KINDS,
    LOW_STRAIGHTS,
    NOTHING,
    PAIR,
    PAIR_RUN,
    SINGLE,
    STRAIGHT,
    STRAIGHTS,
    TRIPLE,
    TRIPLE_WITH_ONE,
    TRIPLE_WITH_TWO,
    wings_fit,
)
from referee.games.guan_pai.hand import ACE, RANKS, SIZE, TWO, counts
from referee.games.guan_pai.reading import PASS, Demand, read
from referee.games.guan_pai.weights import CARDS


class Core(NamedTuple):
    """What the first step of a play tells; `length` is that of its reading."""

    kind: int
    length: int
    rank: int
    wings: int


_RANKS_OF: Final = {
    (len(ranks), top): ranks for word in LOW_STRAIGHTS for ranks, top in STRAIGHTS[word].items()
}
"""The ranks of every straight that some option has, by its length and its top."""


def _cores() -> Iterator[Core]:
    """Yields whatever a first step can be, a pass first."""
    yield Core(NOTHING, 0, 0, 0)
    yield from (Core(SINGLE, 0, rank, 0) for rank in range(RANKS))
    yield from (Core(kind, 0, rank, 0) for kind in (PAIR, TRIPLE) for rank in range(TWO))
    yield from (Core(TRIPLE_WITH_ONE, 0, rank, 1) for rank in range(ACE))
    yield from (Core(TRIPLE_WITH_TWO, 0, rank, wings) for wings in (0, 2) for rank in range(TWO))
    yield from (Core(STRAIGHT, length, top, 0) for length, top in sorted(_RANKS_OF))
    for kind, each in ((PAIR_RUN, 2), (AIRPLANE, 3)):
        for groups in range(2, SIZE // each + 1):
            yield from (Core(kind, each * groups, top, 0) for top in range(groups - 1, TWO))
    for triples in range(2, SIZE // 3 + 1):
        for wings in range(SIZE - 3 * triples + 1):
            if wings_fit(triples, wings, last=True):
                yield from (Core(AIRPLANE_WITH_WINGS, triples, top, wings) for top in range(triples - 1, TWO))
    yield from (Core(FOUR_WITH_TWO, 0, rank, 2) for rank in range(ACE))
    yield from (Core(BOMB, 0, rank, wings) for wings in (0, 1) for rank in range(TWO))


CORES: Final = tuple(_cores())
_CORE: Final = {core: number for number, core in enumerate(CORES)}
WING: Final = len(CORES)
"""The id of a wing of the lowest rank; those of the higher ranks follow."""
IDS: Final = WING + RANKS
_PASS: Final = (0,)

_EACH: Final = {
    SINGLE: 1,
    PAIR: 2,
    TRIPLE: 3,
    TRIPLE_WITH_ONE: 3,
    TRIPLE_WITH_TWO: 3,
    STRAIGHT: 1,
    PAIR_RUN: 2,
    AIRPLANE: 3,
    AIRPLANE_WITH_WINGS: 3,
    FOUR_WITH_TWO: 4,
    BOMB: 4,
}
"""How many cards of each of its ranks a kind has, wings apart; of aces three are a bomb."""


def _ranks(core: Core) -> tuple[int, ...]:
    """Returns the ranks of a play, wings apart."""
    if core.kind == STRAIGHT:
        return _RANKS_OF[core.length, core.rank]
    groups = core.length // _EACH[core.kind] if core.kind in {PAIR_RUN, AIRPLANE} else max(core.length, 1)
    return tuple(range(core.rank - groups + 1, core.rank + 1))


def _held_by(core: Core) -> int:
    if core.kind == NOTHING:
        return 0
    each = 3 if core.kind == BOMB and core.rank == ACE else _EACH[core.kind]
    return sum(each << 4 * rank for rank in _ranks(core))


HELD_BY: Final = tuple(map(_held_by, CORES))
"""How many cards of each rank a first step has, one nibble for each rank, by its id."""
_SIZE_OF: Final = {
    core._replace(wings=0): sum(held >> 4 * rank & 15 for rank in range(RANKS))
    for core, held in zip(CORES, HELD_BY, strict=True)
}


@lru_cache(maxsize=1 << 15)
def _steps(numbers: int, core: Core) -> Path:
    """Returns the ids of a play with so many cards of each rank; the core leaves the wings out."""
    size = sum(numbers >> 4 * rank & 15 for rank in range(RANKS))
    first = _CORE[core._replace(wings=size - _SIZE_OF[core])]
    wings = numbers - HELD_BY[first]
    return (first, *(WING + rank for rank in range(RANKS) for _ in range(wings >> 4 * rank & 15)))


def path(action: Action, hand: int, demand: Demand, low_straight: str) -> Path:
    """Returns the ids of a legal play or pass of a hand, as the rules read it."""
    if action == PASS:
        return _PASS
    kind, _, length, rank = read(action, hand, demand, low_straight)
    return _steps(counts(action & CARDS), Core(kind, length, rank, 0))


def describe(number: int) -> str:
    """Returns what an id means: `pair K`, `straight of 5 up to 7`, `bomb A with 1 wing`, `wing 3`."""
    if number >= WING:
        return f"wing {cards.RANKS[number - WING]}"
    kind, length, rank, wings = CORES[number]
    if kind == NOTHING:
        return "pass"
    what = f"{KINDS[kind - 1]} of {length} up to" if length else KINDS[kind - 1]
    company = f" with {wings} wing{'s' * (wings > 1)}" if wings else ""
    return f"{what} {cards.RANKS[rank]}{company}"
