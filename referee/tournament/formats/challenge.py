"""Challenge: matches against house bots of one level, for ranking points (see `leaderboard`).

Every entrant that is no house bot plays the same number of matches. It is a gauntlet whose field is the
house bots of one table: how often a bot has sat in each seat differs by at most 1 at any time, and in
`same_seat` play all entrants have the same deals.
"""

from collections.abc import Collection, Iterator

from referee.errors import SettingError
from referee.tournament.formats.base import Field, Pairing, Past
from referee.tournament.formats.gauntlet import Gauntlet
from referee.tournament.formats.settings import ChallengeSettings, GauntletSettings
from referee.tournament.house import LEVELS


class Challenge:
    """Every entrant against the house bots of one level, in one round.

    The house bots are entrants too, whose owner is their level: one for each seat of a table but one.
    """

    rounds = 1

    def __init__(self, settings: ChallengeSettings, field: Field) -> None:
        """Raises `SettingError` for settings or a field that make no schedule."""
        if settings.level not in LEVELS:
            raise SettingError("format.level", f"level {settings.level!r} is none of {', '.join(LEVELS)}")
        if settings.matches < 1:
            raise SettingError("format.matches", "a challenge has at least 1 match for each bot")
        challengers = tuple(one.name for one in field.entrants if not one.house)
        house = [one.owner for one in field.entrants if one.house]
        if house != [settings.level] * (field.seats - 1):
            raise SettingError(
                "bots",
                f"a challenge at {field.seats} seats takes {field.seats - 1} house bots of level"
                f" {settings.level} and no others, not {', '.join(house) or 'none'}",
            )
        tables = settings.matches * len(challengers)
        matches = tables * (field.seats if field.duplicate == "rotate" else 1)
        self._gauntlet = Gauntlet(GauntletSettings(challengers, matches=matches), field)

    def total(self) -> int:
        """Returns how many matches there are."""
        return self._gauntlet.total()

    def pairings(self, number: int, past: Past = (), gone: Collection[str] = ()) -> Iterator[Pairing]:
        """Yields all pairings, those with entrants who have left among them; it has one round."""
        return self._gauntlet.pairings(number, past, gone)
