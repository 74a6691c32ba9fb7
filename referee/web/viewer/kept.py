"""Keeps what was used lately, up to a total weight."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """What was used lately, by key; the longest unused goes when the weight of all is too much."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._weight = 0
        self._kept: OrderedDict[K, tuple[int, V]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Returns what is kept under a key, or None."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[1]

    def put(self, key: K, value: V, weight: int) -> V:
        """Keeps something, if it is not heavier than all that may be kept; returns it."""
        if weight > self._limit:
            return value
        self._weight += weight - self._kept.pop(key, (0, value))[0]
        self._kept[key] = weight, value
        while self._weight > self._limit:
            _, (gone, _) = self._kept.popitem(last=False)
            self._weight -= gone
        return value
