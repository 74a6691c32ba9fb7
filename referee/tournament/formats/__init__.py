"""The formats of tournaments: pure, lazy schedules of who meets whom."""

from referee.tournament.formats.base import Field, Format
from referee.tournament.formats.challenge import Challenge
from referee.tournament.formats.gauntlet import Gauntlet
from referee.tournament.formats.round_robin import RoundRobin
from referee.tournament.formats.settings import (
    ChallengeSettings,
    GauntletSettings,
    RoundRobinSettings,
    Settings,
)
from referee.tournament.formats.swiss import Swiss

__all__ = ["make"]


def make(settings: Settings, field: Field) -> Format:
    """Returns the schedule of a tournament; raises `SettingError` where there can be none."""
    match settings:
        case RoundRobinSettings():
            return RoundRobin(settings, field)
        case GauntletSettings():
            return Gauntlet(settings, field)
        case ChallengeSettings():
            return Challenge(settings, field)
        case _:
            return Swiss(settings, field)
