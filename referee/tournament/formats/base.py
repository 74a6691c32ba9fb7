"""What a format is: rounds of pairings, made one at a time as they are asked for.

A format knows entrants by their names in the tournament. It is a pure function of its settings and
of the results of earlier rounds: asked again it gives the same pairings with the same numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from referee.match.config import DuplicateKind


@dataclass(frozen=True, slots=True)
class Pairing:
    """Who meets whom.

    Attributes:
        index: its number in the tournament from 0.
        round: the round from 0.
        sittings: the matches that it takes, each with the entrant of every seat. One, or all matches
            of a block of duplicate play, which share their deals.
        kind: how the block is duplicate; None for a single match.
    """

    index: int
    round: int
    sittings: tuple[tuple[str, ...], ...]
    kind: DuplicateKind | None = None


@dataclass(frozen=True, slots=True)
class Bye:
    """An entrant has nobody to play in a round."""

    round: int
    entrant: str


@dataclass(frozen=True, slots=True)
class Meeting:
    """What came of a pairing: placement points by entrant, the mean over a block; empty if unplayed."""

    pairing: Pairing
    points: Mapping[str, float]


class Format(Protocol):
    """A schedule. Formats whose pairings do not depend on results have one round."""

    @property
    def rounds(self) -> int:
        """How many rounds there are."""

    def total(self) -> int:
        """Returns how many matches there are in all rounds, byes left out."""

    def pairings(self, number: int, before: Sequence[Meeting] = ()) -> Iterator[Pairing | Bye]:
        """Yields the pairings of a round (from 0), byes first.

        `before` are the meetings of all rounds before it; entrants who have left since are not among
        those who are paired if the format was made without them.
        """
