"""Strength by OpenSkill's Plackett-Luce model: many contestants at once, with ties.

The model is made for strict orders. Given equal ranks, OpenSkill can raise a seat in third place
above two that share the first. So a tie is rated as what it leaves open: the mean of the updates for
the strict orders that it stands for. Then a better place never ends below a worse one from an equal
start, and equal contestants who tie get equal updates.

Who meets whom moves a scale as a whole: with every weak newcomer that comes and goes it drifts.
Anchors hold it. An anchor is rated as everybody else until its deviation is `SETTLED`; from then on
it stays where it is, and others are measured against it. So a rating of today means what it meant a
year ago, and a match moves nobody who has not played it.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, permutations, product
from math import factorial, fsum, prod
from typing import Generic, TypeVar

from openskill.models import PlackettLuce, PlackettLuceRating

_MODEL = PlackettLuce()

_ALL_ORDERS = 120
"""Where ties leave more orders open than this, only turns of the tied seats are taken."""

SETTLED = 2.5
"""The deviation at which an anchor is known well enough to stay: after some hundred matches."""

Contestant = TypeVar("Contestant", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Rating:
    """A belief about a strength: mean 25 and deviation 25/3 before the first match."""

    mean: float
    deviation: float

    @property
    def ordinal(self) -> float:
        """The strength that is almost certainly there: mean - 3 deviations; may be negative."""
        return self.mean - 3 * self.deviation


class Ratings(Generic[Contestant]):
    """Ratings that grow with every match; the order of matches matters, the order of seats does not.

    `is_anchor` says who holds the scale; without it nobody does.
    """

    def __init__(self, is_anchor: Callable[[Contestant], bool] = lambda _: False) -> None:
        self._beliefs: dict[Contestant, PlackettLuceRating] = {}
        self._is_anchor = is_anchor

    def rate(self, ranks: Mapping[Contestant, int]) -> None:
        """Takes the places of one match."""
        # Players in an order of their own give the same sums, to the last bit, for every seating.
        contestants = sorted(ranks, key=lambda contestant: (ranks[contestant], repr(contestant)))
        beliefs = {contestant: self._beliefs.get(contestant) or _MODEL.rating() for contestant in contestants}
        updates: dict[Contestant, list[PlackettLuceRating]] = {contestant: [] for contestant in contestants}
        tied = [list(group) for _, group in groupby(contestants, key=ranks.__getitem__)]
        for order in _strict_orders(tied):
            for contestant, team in zip(order, _MODEL.rate([[beliefs[p]] for p in order]), strict=True):
                updates[contestant].append(team[0])
        for contestant, found in updates.items():
            if not self._stays(contestant):
                self._beliefs[contestant] = found[0] if len(found) == 1 else _mean(found)

    def get(self, contestant: Contestant) -> Rating | None:
        """Returns the rating of a contestant, or None before its first match."""
        found = self._beliefs.get(contestant)
        return None if found is None else Rating(found.mu, found.sigma)

    def _stays(self, contestant: Contestant) -> bool:
        found = self._beliefs.get(contestant)
        return found is not None and found.sigma <= SETTLED and self._is_anchor(contestant)


def _mean(updates: Sequence[PlackettLuceRating]) -> PlackettLuceRating:
    return _MODEL.rating(
        fsum(update.mu for update in updates) / len(updates),
        fsum(update.sigma for update in updates) / len(updates),
    )


def _strict_orders(tied: Sequence[Sequence[Contestant]]) -> Iterator[tuple[Contestant, ...]]:
    """Yields the orders, best first, that the groups of tied contestants stand for."""
    few = prod(factorial(len(group)) for group in tied) <= _ALL_ORDERS
    choices = [list(permutations(group)) if few else _turns(group) for group in tied]
    return (tuple(contestant for group in order for contestant in group) for order in product(*choices))


def _turns(group: Sequence[Contestant]) -> list[tuple[Contestant, ...]]:
    """Returns orders in which each contestant has each position equally often, and each way round."""
    return [
        (*line[at:], *line[:at]) for line in (tuple(group), tuple(reversed(group))) for at in range(len(line))
    ]
