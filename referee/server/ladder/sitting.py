"""A running match of a ladder, and those that an earlier server left running."""

from collections.abc import Mapping
from dataclasses import dataclass

from referee.server.ladder.config import LadderConfig
from referee.server.live import LiveMatch
from referee.server.member import Member


@dataclass(frozen=True, slots=True)
class Sitting:
    """Who sits at which table of a ladder.

    `table` is the number of its game, None for a game that is no more; `last` says that the operator
    wants no further attempt.
    """

    table: int | None
    pairing_id: str
    attempt: int
    members: tuple[Member, ...]
    last: bool = False


def taken_up(matches: Mapping[str, LiveMatch], config: LadderConfig) -> dict[str, Sitting]:
    """Returns the matches of a ladder that go on from an earlier server, by match id."""
    games = [table.game for table in config.tables]
    found = {}
    for match_id, live in matches.items():
        setup = live.match.setup
        if setup.tournament == config.name:
            table = games.index(setup.game) if setup.game in games else None
            found[match_id] = Sitting(table, setup.pairing_id, setup.attempt, tuple(live.members))
    return found


def number_of(pairing_id: str) -> int:
    """Returns the number of a pairing, from 1; 0 for an id that is none."""
    number = pairing_id.rpartition("/")[2]
    return int(number) if number.isdecimal() else 0
