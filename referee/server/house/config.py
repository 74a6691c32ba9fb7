"""What an operator decides about matches against house bots. Times are whole microseconds."""

from collections import Counter
from dataclasses import dataclass, field

from referee.errors import UsageError
from referee.match.config import SECOND, Penalties, TimeControl
from referee.store.bots import HOUSE_BOTS


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeRules:
    """Practice of bots against house bots.

    Attributes:
        levels: those that can be asked for; none switches practice off.
        per_hour: how many matches of practice a bot may have in an hour.
        matches: how many run at a time, of all bots.
    """

    levels: tuple[str, ...] = HOUSE_BOTS
    per_hour: int = 60
    matches: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleRules:
    """Matches of people against house bots: unrated, of every game, with time to think.

    Attributes:
        levels: those that can be asked for; none seats no people.
        per_hour: how many matches one person may begin in an hour.
        matches: how many run at a time, of all people.
        per_address: how many seats the people of one address may hold on the site at a time.
        away: how long a seat is kept for somebody who gives no sign of life.
        time_control: ten minutes for each turn, and no reserve.
        penalties: more refused answers than a bot may give, since people mistype.
    """

    levels: tuple[str, ...] = HOUSE_BOTS
    per_hour: int = 60
    matches: int = 8
    per_address: int = 4
    away: int = 300 * SECOND
    time_control: TimeControl = field(
        default_factory=lambda: TimeControl(base=600 * SECOND, bank=0, start=60 * SECOND)
    )
    penalties: Penalties = field(default_factory=lambda: Penalties(retries=20))

    def check(self) -> None:
        """Raises `UsageError` for rules that cannot be."""
        check_levels("people", self.levels)
        self.time_control.check()
        self.penalties.check()
        for name in ("per_hour", "matches", "per_address", "away"):
            if getattr(self, name) <= 0:
                raise UsageError(f"people: {name} has to be more than 0")


def check_levels(where: str, levels: tuple[str, ...]) -> None:
    """Raises `UsageError` where a level is no house bot, or is named twice."""
    for level, count in Counter(levels).items():
        if level not in HOUSE_BOTS:
            raise UsageError(f"{where}: {level!r} is no house bot: {', '.join(HOUSE_BOTS)}")
        if count > 1:
            raise UsageError(f"{where}: house bot {level} is named twice")
