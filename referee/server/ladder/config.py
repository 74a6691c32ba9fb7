"""What an operator decides about a ladder. Times are whole microseconds."""

from collections import Counter
from dataclasses import dataclass, field

from referee.errors import UsageError
from referee.match.config import SECOND
from referee.server.config import OpenTable
from referee.server.house.config import PracticeRules, check_levels
from referee.store.bots import HOUSE_BOTS
from referee.tournament.matchmaking import HouseBot, Matchmaking
from referee.tournament.names import SHORT, SHORT_TOLD


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRules:
    """The house bots of a ladder.

    Attributes:
        levels: those that fill tables.
        wait: how long somebody waits before a house bot sits down in a free seat.
        matches: how many matches a process of a house bot plays at a time.
    """

    levels: tuple[str, ...] = HOUSE_BOTS
    wait: int = 20 * SECOND
    matches: int = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderConfig:
    """All settings of a ladder; its time control and penalties are those of the server.

    Attributes:
        name: its name in headers, standings and pairings.
        tables: the games, each with options and seats.
        digest: the SHA-256 of its file in hexadecimal, for the first line of its decisions.
        rated: whether results count.
        anonymous: whether the seats are told each other's names only at the end.
        concurrency: how many of its matches run at a time.
        share: the part of them that one bot may be in, and always one match.
        versions: how many new versions of a bot are taken within 24 hours.
        attempts: how often a pairing is tried that is spoiled by no fault of its bots.
        near, widen, patience, repeat: how rating and waiting decide who meets; see `Matchmaking`.
    """

    name: str
    tables: tuple[OpenTable, ...]
    digest: str = ""
    rated: bool = True
    anonymous: bool = True
    concurrency: int = 16
    share: float = 0.5
    versions: int = 3
    attempts: int = 3
    near: float = 4.0
    widen: float = 0.25
    patience: int = 60 * SECOND
    repeat: float = 1.0
    house: HouseRules = HouseRules()
    practice: PracticeRules = field(default_factory=PracticeRules)

    def check(self) -> None:
        """Raises `UsageError` or `OptionError` for a ladder that cannot be."""
        if not SHORT.fullmatch(self.name):
            raise UsageError(f"ladder {self.name!r}: a name is {SHORT_TOLD}")
        if not self.tables:
            raise UsageError(f"ladder {self.name}: name at least one game")
        for table in self.tables:
            table.size()
        twice = [game for game, count in Counter(table.game for table in self.tables).items() if count > 1]
        if twice:
            raise UsageError(
                f"ladder {self.name}: {twice[0]} is named twice; one ladder has one table of a game"
            )
        for table in self.tables:
            self.rules(table.size()).check()
        for levels in (self.house.levels, self.practice.levels):
            check_levels(f"ladder {self.name}", levels)

    def rules(self, seats: int, house: tuple[HouseBot, ...] = ()) -> Matchmaking:
        """Returns the rules by which tables of so many seats are made."""
        return Matchmaking(
            seats=seats,
            places=self.concurrency,
            share=self.share,
            near=self.near,
            widen=self.widen,
            patience=self.patience,
            house=house,
            house_after=self.house.wait,
            repeat=self.repeat,
        )
