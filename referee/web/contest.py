"""What the site shows of a tournament, a ladder, or a round robin of the command line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from referee.tournament.decision import Decision, Rulings

TOURNAMENT: Final = "tournament"
LADDER: Final = "ladder"
RUN: Final = "round robin"
SERIES: Final = "series of matches"
"""Matches that bear a name of which nothing else is known here."""


class Scheduled(NamedTuple):
    """A pairing: its number and round, both counted from 0, and who sits in each of its matches."""

    number: int
    round: int
    sittings: Sequence[Sequence[str]]


class Present(NamedTuple):
    """A bot that is connected."""

    bot: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """What a file says, and what was decided since.

    Attributes:
        kind: `TOURNAMENT`, `LADDER`, `RUN` or `SERIES`.
        games: what is played.
        settings: what its file says, each with a heading, in words.
        anonymous: whether seats are told each other's names only at the end.
        entrants: the ids of the bots by their names in the schedule.
        rounds: how many rounds there are; 0 where nobody knows.
        total: matches of the whole schedule, None where it has no end.
        accepted: matches that were accepted.
        settled: these, and those of pairings that were given up.
        rulings: what the decisions come to.
        decisions: the decisions about bots and matches, the newest first. Who did not come to a pairing
            of an anonymous contest is left out until it is settled: the same bots play it again.
        no_shows: how many attempts a bot missed, as far as that is told.
        opened: when it was begun, in microseconds since the Unix epoch; 0 for not yet.
        playing: whether some process plays it now.
        left: how long it may take to the end, in microseconds, as the last matches went; None where
            that cannot be told.
        problem: why its file cannot be read, or why it stands still.
        running: how many of its matches are played by this server.
        present: for the ladder of this server: the bots that are connected.
    """

    name: str
    kind: str
    games: Sequence[str] = ()
    settings: Sequence[tuple[str, str]] = ()
    anonymous: bool = True
    entrants: Mapping[str, str] = field(default_factory=dict)
    rounds: int = 0
    total: int | None = None
    accepted: int = 0
    settled: int = 0
    rulings: Rulings = field(default_factory=Rulings)
    decisions: Sequence[Decision] = ()
    no_shows: Mapping[str, int] = field(default_factory=dict)
    opened: int = 0
    playing: bool = False
    left: int | None = None
    problem: str = ""
    running: int = 0
    present: Sequence[Present] | None = None

    @property
    def given_up(self) -> int:
        """How many pairings were given up."""
        return sum(pairing not in self.rulings.accepted for pairing in self.rulings.unplayed)
