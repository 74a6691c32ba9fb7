"""What a format is: rounds of pairings, made one at a time as they are asked for.

A format knows entrants by their names in the tournament. It is a pure function of its settings and
of what came of earlier rounds: asked again it gives the same pairings with the same numbers.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from referee.errors import SettingError
from referee.match.config import DuplicateKind
from referee.tournament import owners


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes part, by the name in the tournament.

    Attributes:
        owner: whose bot it is; never two bots of one owner sit at a rated table. Empty for its own.
        house: a house bot, which has no owner and may sit beside any other.
    """

    name: str
    owner: str = ""
    house: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """What all formats have to know: who plays, at tables of how many seats, by which rules.

    Attributes:
        seed: orders the pairings; it has nothing to do with the deals.
        rated: whether the results count, so that owners are kept apart.
        duplicate: every pairing is a block of this kind; None for single matches.
    """

    entrants: tuple[Entrant, ...]
    seats: int
    seed: int = 0
    rated: bool = True
    duplicate: DuplicateKind | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the entrants in their order."""
        return tuple(entrant.name for entrant in self.entrants)

    @property
    def parties(self) -> dict[str, str]:
        """By name the party of an entrant: two of one party never sit at one table."""
        return {entrant.name: self._party(entrant) for entrant in self.entrants}

    def check(self) -> None:
        """Raises `SettingError` for a field that no format can take."""
        for name, times in Counter(self.names).items():
            if times > 1:
                raise SettingError(
                    "bots", f"bot {name!r} is named twice; each bot can stand in a tournament once"
                )
        if not 2 <= self.seats <= len(self.entrants):
            raise SettingError(
                "bots",
                f"{len(self.entrants)} bots do not fill a table of {self.seats} seats; name more bots",
            )

    def _party(self, entrant: Entrant) -> str:
        return owners.party(entrant.name, entrant.owner if self.rated else "", house=entrant.house)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Who meets whom.

    Attributes:
        index: its number in the tournament from 0; a number may stay without a pairing.
        round: the round from 0.
        sittings: the matches that it takes, each with the entrant of every seat. One, or all matches
            of a block of duplicate play, which share their deals.
        kind: how the block is duplicate; None for a single match.
    """

    index: int
    round: int
    sittings: tuple[tuple[str, ...], ...]
    kind: DuplicateKind | None = None

    @property
    def entrants(self) -> frozenset[str]:
        """All who sit in any of its matches."""
        return frozenset(name for sitting in self.sittings for name in sitting)


@dataclass(frozen=True, slots=True)
class Bye:
    """An entrant has nobody to play in a round."""

    round: int
    entrant: str


@dataclass(frozen=True, slots=True)
class Meeting:
    """What came of a pairing.

    Attributes:
        points: placement points by entrant, the mean over a block; empty if it was given up.
        at_fault: those who did not show up, so that it was given up.
    """

    pairing: Pairing
    points: Mapping[str, float]
    at_fault: Collection[str] = ()


Past: TypeAlias = Sequence[Meeting | Bye]
"""All that came of earlier rounds, in any order."""


class Format(Protocol):
    """A schedule. Formats whose pairings do not depend on results have one round."""

    @property
    def rounds(self) -> int:
        """How many rounds there are."""

    def total(self) -> int:
        """Returns how many matches there are in all rounds, byes left out, if nobody leaves."""

    def pairings(self, number: int, past: Past = (), gone: Collection[str] = ()) -> Iterator[Pairing | Bye]:
        """Yields the pairings of a round (from 0), byes first.

        `past` is all that came of the rounds before it, with their byes. `gone` are entrants who have
        left: where rounds depend on results they are not paired, else whoever plays the schedule
        leaves out the pairings that hold them. A round is asked for once and its answer is kept:
        another `past` or `gone`, after a match was made void or a bot left, can give another answer.
        Raises `TooFewError` where those who are left fill no table.
        """
