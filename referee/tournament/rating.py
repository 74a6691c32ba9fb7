"""Strength by OpenSkill's Plackett-Luce model: many players at once, ties as equal places."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from openskill.models import PlackettLuce, PlackettLuceRating

_MODEL = PlackettLuce()

Player = TypeVar("Player", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Rating:
    """A belief about a strength: mean 25 and deviation 25/3 before the first match."""

    mean: float
    deviation: float

    @property
    def ordinal(self) -> float:
        """The strength that is almost certainly there: mean - 3 deviations; may be negative."""
        return self.mean - 3 * self.deviation


class Ratings(Generic[Player]):
    """Ratings that grow with every match; the order of matches matters, the order of seats does not."""

    def __init__(self) -> None:
        self._ratings: dict[Player, PlackettLuceRating] = {}

    def rate(self, ranks: Mapping[Player, int]) -> None:
        """Takes the places of one match."""
        # Seats in an order of their own give the same sums, to the last bit, for every seating.
        players = sorted(ranks, key=lambda player: (ranks[player], repr(player)))
        teams = [[self._ratings.get(player) or _MODEL.rating()] for player in players]
        rated = _MODEL.rate(teams, ranks=[float(ranks[player]) for player in players])
        self._ratings.update((player, team[0]) for player, team in zip(players, rated, strict=True))

    def get(self, player: Player) -> Rating | None:
        """Returns the rating of a player, or None before its first match."""
        found = self._ratings.get(player)
        return Rating(found.mu, found.sigma) if found else None
