"""Blocks of duplicate play, and how many of them a schedule has."""

from collections.abc import Sequence
from itertools import chain

from referee.errors import SettingError
from referee.tournament.formats.base import Field
from referee.tournament.formats.settings import GauntletSettings, RoundRobinSettings


def sittings(table: Sequence[str], field: Field) -> tuple[tuple[str, ...], ...]:
    """Returns the matches of one table: itself, or where tables rotate all turns of it."""
    if field.duplicate != "rotate":
        return (tuple(table),)
    return tuple(tuple(chain(table[turn:], table[:turn])) for turn in range(len(table)))


def size(field: Field) -> int:
    """Returns how many matches one table takes."""
    return field.seats if field.duplicate == "rotate" else 1


def refuse_same_seat(field: Field, name: str) -> None:
    """Raises `SettingError` where a format cannot have all its bots play from one seat."""
    if field.duplicate == "same_seat":
        raise SettingError(
            "tournament.duplicate",
            f"{name} has no same_seat blocks, since its bots meet each other;"
            " take rotate, or a gauntlet or a challenge against house bots",
        )


def laps(settings: RoundRobinSettings | GauntletSettings, field: Field) -> int:
    """Returns how many laps are asked for, 0 where a number of matches is; raises `SettingError`."""
    if min(settings.laps, settings.matches) < 0:
        raise SettingError("format", "laps and matches cannot be below 0")
    if settings.laps and settings.matches:
        raise SettingError("format.matches", "laps and matches are both given; take one")
    if settings.matches:
        return 0
    return settings.laps or (1 if field.duplicate == "rotate" else field.seats)
