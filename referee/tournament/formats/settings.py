"""The settings of each format, as an organiser writes them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class RoundRobinSettings:
    """All meet all.

    Either a number of `laps`, in each of which every choice of bots meets once, or a number of
    `matches`, of which blocks of duplicate play take whole ones. With neither (both 0) there are as
    many laps as balance seats exactly: one for each seat, or one where every table rotates.
    """

    laps: int = 0
    matches: int = 0


@dataclass(frozen=True, slots=True)
class GauntletSettings:
    """Some meet all others: each of `candidates` plays against the rest, never against another candidate.

    `laps` and `matches` as in a round robin.
    """

    candidates: tuple[str, ...]
    laps: int = 0
    matches: int = 0


@dataclass(frozen=True, slots=True)
class SwissSettings:
    """Those with like scores meet, in a fixed number of rounds; `bye` is what a bye is worth, 0 to 1."""

    rounds: int
    bye: float = 0.5


@dataclass(frozen=True, slots=True)
class ChallengeSettings:
    """Each bot plays `matches` matches against house bots of one `level` alone, which fill its tables."""

    level: str
    matches: int = 10


Settings: TypeAlias = RoundRobinSettings | GauntletSettings | SwissSettings | ChallengeSettings
"""The settings of any format."""

SETTINGS: Mapping[str, type[Settings]] = {
    "round_robin": RoundRobinSettings,
    "gauntlet": GauntletSettings,
    "swiss": SwissSettings,
    "challenge": ChallengeSettings,
}
"""The formats by the names that they have in a tournament file."""
