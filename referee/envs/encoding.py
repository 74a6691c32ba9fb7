"""What an encoding is: ids for the actions of a game, and a vector for what a seat sees.

An encoding knows the values of its game's view and nothing else, so that what is hidden stays so.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from referee.games.base import Action

Vector = NDArray[np.float32]
Path = tuple[int, ...]
Value = TypeVar("Value")


class Field(NamedTuple):
    """A part of the vector: `size` numbers, each in `low`..`high`."""

    name: str
    size: int
    low: float = 0.0
    high: float = 1.0


class Layout:
    """The fields of a vector, one after the other."""

    def __init__(self, *fields: Field) -> None:
        """Places each field behind the one before it."""
        self.fields = fields
        self.start: dict[str, int] = {}
        self.size = 0
        for field in fields:
            self.start[field.name] = self.size
            self.size += field.size

    def low(self) -> Vector:
        """Returns the least value of every number."""
        return np.array([field.low for field in self.fields for _ in range(field.size)], np.float32)

    def high(self) -> Vector:
        """Returns the greatest value of every number."""
        return np.array([field.high for field in self.fields for _ in range(field.size)], np.float32)


class Row:
    """A vector in the making: all zeros, until fields are put into it."""

    def __init__(self, layout: Layout) -> None:
        """Begins with zeros."""
        self.values = [0.0] * layout.size
        self._start = layout.start

    def put(self, name: str, values: Sequence[float], scale: float = 1.0) -> None:
        """Fills a field, or its beginning, with values, each divided by the scale."""
        start = self._start[name]
        self.values[start : start + len(values)] = [value / scale for value in values]

    def mark(self, name: str, place: int) -> None:
        """Puts a 1 at a place of a field."""
        self.values[self._start[name] + place] = 1.0

    def add(self, name: str, place: int, value: float) -> None:
        """Adds to the number at a place of a field."""
        self.values[self._start[name] + place] += value


class Encoding(Protocol):
    """The ids and the vector of one game, for a number of seats and options."""

    ids: int
    """How many ids there are; each of 0..ids-1 means the same at all times, seen from any seat."""
    layout: Layout

    def paths(self, public: Any, private: Any, legal: Sequence[Action]) -> Sequence[Path]:
        """Returns the ids by which the seat to act chooses each legal action: one id for each step.

        Most games take a single step. No path begins with another one.
        """

    def describe(self, number: int) -> str:
        """Returns what an id means, in the words of the game's canonical text where it has them."""

    def observe(self, seat: int, public: Any, private: Any, chosen: Path) -> list[float]:
        """Returns what a seat sees; `chosen` are the ids of a choice that it has begun."""


def from_own(values: Sequence[Value], seat: int) -> Sequence[Value]:
    """Returns a value for each seat, own seat first and then in turn order."""
    return (*values[seat:], *values[:seat])
