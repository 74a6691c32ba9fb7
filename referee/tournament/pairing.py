"""Round robin over tables of k seats: a lazy schedule with balanced opponents and seats."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import comb

from referee.errors import UsageError
from referee.tournament.formats import circle


@dataclass(frozen=True, slots=True)
class Table:
    """One match to be played: its number in the schedule from 0, and the bot of each seat."""

    index: int
    seats: tuple[str, ...]


def tables(bots: Sequence[str], seats: int, matches: int, seed: int = 0) -> Iterator[Table]:
    """Returns the first `matches` tables of the schedule, made one at a time as they are asked for.

    The seed orders the pairings; it has nothing to do with the deals. Raises `UsageError` for a bot
    that is named twice, and for fewer bots than seats.
    """
    if len(set(bots)) != len(bots):
        twice = next(bot for bot in bots if bots.count(bot) > 1)
        raise UsageError(f"bot {twice!r} is named twice; each bot can stand in a round robin once")
    if not 1 <= seats <= len(bots):
        raise UsageError(f"{len(bots)} bots do not fill a table of {seats} seats; name more bots")
    numbered = enumerate(circle.tables(bots, seats, seed))
    return islice((Table(index, table) for index, table in numbered), matches)


def total(bots: int, seats: int, laps: int = 1) -> int:
    """Returns the number of tables in so many laps; `seats` laps balance everything exactly."""
    return comb(bots, seats) * laps
