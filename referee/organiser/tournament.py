"""A tournament as it is planned: all that makes it what it is, and how it is carried out."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.engine.entrants import Entry
from referee.games.info import OptionValue
from referee.match.config import DuplicateKind, Penalties, TimeControl
from referee.server.config import ArenaConfig
from referee.tournament import owners
from referee.tournament.formats.base import Entrant, Field, Pairing
from referee.tournament.formats.settings import RoundRobinSettings, Settings
from referee.tournament.sequential import Hypotheses


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """When a tournament ends before its schedule does; only `matches` applies before `least` deal groups.

    Attributes:
        matches: after so many matches; 0 for no such limit.
        certain: when the intervals of no two neighbours in the table overlap.
        width: when no interval of mean placement points is wider; 0 for no such limit.
        sprt: when each candidate of a gauntlet was found better than the field, or not; None for never.
    """

    least: int = 20
    matches: int = 0
    certain: bool = False
    width: float = 0.0
    sprt: Hypotheses | None = None

    def __bool__(self) -> bool:
        return bool(self.matches or self.certain or self.width or self.sprt)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """How a tournament is carried out; it changes no pairing and no result.

    Attributes:
        concurrency: matches at once; 0 leaves one core to the bots.
        share: the most of the running matches that one bot may sit in, 0 to 1; a bot may always sit in one.
        attempts: how often a pairing is tried in one run before it is given up.
        no_shows: after how many matches in a row that it did not come to a bot is withdrawn.
        start_failures: after how many attempts in a row that could not start the tournament pauses.
    """

    concurrency: int = 0
    share: float = 1.0
    attempts: int = 3
    no_shows: int = 3
    start_failures: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """All that is known of a tournament before it begins.

    Attributes:
        bots: all who take part; one without a command is registered and dials in by itself.
        seed: derives all deals, which then prove nothing; None for deals that can be proved.
        order: orders the pairings.
        headed: whether its matches belong to a table of its own; else to that of all single matches.
        copies: whether copies of one bot may meet; such a match is unrated.
        watch_delay: how many plies late spectators hear of a match.
    """

    name: str
    game: str
    options: Mapping[str, OptionValue]
    seats: int
    bots: tuple[Entry, ...]
    format: Settings = field(default_factory=RoundRobinSettings)
    duplicate: DuplicateKind | None = None
    rated: bool = True
    anonymous: bool = False
    seed: int | None = None
    order: int = 0
    time_control: TimeControl = field(default_factory=TimeControl)
    penalties: Penalties = field(default_factory=Penalties)
    stop: Stop = field(default_factory=Stop)
    running: Running = field(default_factory=Running)
    headed: bool = True
    copies: bool = False
    watch_delay: int = ArenaConfig().watch_delay

    @property
    def field(self) -> Field:
        """The tournament as formats see it."""
        return Field(
            entrants=tuple(Entrant(bot.name, bot.owner, bot.house) for bot in self.bots),
            seats=self.seats,
            seed=self.order,
            rated=self.rated and not self.copies,
            duplicate=self.duplicate,
        )

    @property
    def by_name(self) -> dict[str, Entry]:
        """The bots by their names."""
        return {bot.name: bot for bot in self.bots}

    def is_fresh(self, bot: Entry) -> bool:
        """Says whether a bot is started anew for each match, so that it never knows a deal."""
        if self.duplicate == "same_seat":
            return bot.house
        return self.duplicate == "rotate"

    def pairing_id(self, index: int) -> str:
        """Returns the id of a pairing, the same whenever the tournament goes on."""
        return f"{self.name}/{index}"

    def deals(self, pairing: Pairing) -> int | None:
        """Returns the number from which the deals of a pairing are derived, or None."""
        if self.seed is None:
            return None
        digest = hashlib.sha256(f"{self.seed}/{pairing.index}".encode()).digest()
        return int.from_bytes(digest[:6])

    def counts(self, pairing: Pairing) -> bool:
        """Says whether the matches of a pairing are rated: never with two bots of one owner at a table.

        House bots have no owner, unless copies of one bot may meet.
        """
        parties = {bot.name: bot.owner for bot in self.bots} if self.copies else self.field.parties
        return self.rated and all(owners.are_apart(sitting, parties) for sitting in pairing.sittings)


def order_of(name: str) -> int:
    """Returns the order of pairings of a tournament that names none: the same for the same name."""
    return int.from_bytes(hashlib.sha256(f"order of {name}".encode()).digest()[:4])
