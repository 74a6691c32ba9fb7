"""All choices of k bots in an order that mixes opponents and balances seats, one at a time.

The bots stand in a circle, in an order drawn from the seed. A table is a choice of k places on the
circle; turning it by one place at a time gives its *orbit*, in which every bot sits once in every
seat. A *lap* is the series of all orbits: every k bots meet once in it. The next lap turns every
table by one seat, and after k laps the order around the table changes too.

After every lap each pair of bots has met equally often, and after every k laps each bot has sat in
each seat equally often. Where the number of bots and k share no divisor, the counts of one bot and
seat differ by at most 1 from those of any other after any number of tables.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count as numbers
from math import comb, factorial, gcd

_GOLDEN = 0.6180339887498949


def tables(bots: Sequence[str], seats: int, seed: int, *, rotates: bool = False) -> Iterator[tuple[str, ...]]:
    """Yields the bots of one table after the other in the order of their seats, without end.

    With `rotates` every table is played from all its seats, so that each lap has a new order around it.
    """
    rng = random.Random(seed)  # noqa: S311 - repeatable by intent, and no secret
    circle = list(bots)
    rng.shuffle(circle)
    for number in numbers():
        for chosen in _lap(len(circle), seats, number, rng.random(), rotates=rotates):
            yield tuple(circle[place] for place in chosen)


def choices(parties: Iterable[str], seats: int) -> int:
    """Returns how many tables there are without two of one party, given the party of each bot."""
    ways = [1] + [0] * seats
    for size in Counter(parties).values():
        for seat in range(seats, 0, -1):
            ways[seat] += ways[seat - 1] * size
    return ways[seats]


def _lap(count: int, seats: int, number: int, start: float, *, rotates: bool) -> Iterator[tuple[int, ...]]:
    """Returns every choice of places once, orbit by orbit, whole orbits before short ones."""
    for whole in (True, False):
        for chosen in _orbits(count, seats, start):
            if (_period(chosen, count) == count) is whole:
                yield from _turns(chosen, count, number, rotates=rotates)


def _turns(chosen: tuple[int, ...], count: int, number: int, *, rotates: bool) -> Iterator[tuple[int, ...]]:
    """Returns the tables of one orbit in one lap.

    A table that comes to itself after fewer turns than there are bots has a short orbit; the laps
    then share the whole turn between them, and the order of seats stays until it is complete. Where
    tables rotate there is no seat to balance, and each lap has the next order around the table.
    """
    period = _period(chosen, count)
    share = 1 if rotates else count // period
    around, seat = (number, 0) if rotates else divmod(number // share, len(chosen) // share)
    order = _arrange(chosen, around, seat)
    for turn in range(number % share * period, (number % share + 1) * period):
        yield tuple((place + turn) % count for place in order)


def _arrange(chosen: tuple[int, ...], around: int, seat: int) -> tuple[int, ...]:
    """Returns the places in the order `around` of all orders around a table, turned by `seat` seats."""
    rest = list(chosen[1:])
    around %= factorial(len(rest))
    order = [chosen[0]]
    while rest:
        at, around = divmod(around, factorial(len(rest) - 1))
        order.append(rest.pop(at))
    return tuple(order[seat:] + order[:seat])


def _orbits(count: int, seats: int, start: float) -> Iterator[tuple[int, ...]]:
    """Returns one choice of places for each orbit, in an order that mixes them evenly.

    All choices that hold place 0 are numbered; steps of the golden section that share no divisor
    with their number visit each once, far from the one before. The least turn stands for its orbit.
    """
    size = comb(count - 1, seats - 1)
    step = max(1, round(size * _GOLDEN))
    while gcd(step, size) != 1:
        step += 1
    at = int(size * start)
    for _ in range(size):
        at = (at + step) % size
        chosen = (0, *(1 + place for place in _choice(at, count - 1, seats - 1)))
        if chosen == _least_turn(chosen, count):
            yield chosen


def _choice(number: int, count: int, size: int) -> tuple[int, ...]:
    """Returns the choice of `size` out of 0..count-1 with this number in lexicographic order."""
    chosen: list[int] = []
    for place in range(count):
        with_it = comb(count - place - 1, size - len(chosen) - 1) if len(chosen) < size else 0
        if number < with_it:
            chosen.append(place)
        else:
            number -= with_it
    return tuple(chosen)


def _least_turn(chosen: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Returns the least of the turns of a choice that hold place 0."""
    return min(tuple(sorted((place - first) % count for place in chosen)) for first in chosen)


def _period(chosen: tuple[int, ...], count: int) -> int:
    """Returns after how many turns a choice of places comes to itself."""
    places = set(chosen)
    turns = (first for first in range(1, count + 1) if count % first == 0)
    return next(turn for turn in turns if {(place + turn) % count for place in chosen} == places)
