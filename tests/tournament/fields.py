"""Fields of bots and what came of their pairings, made up for tests."""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from referee.match.config import DuplicateKind
from referee.tournament.formats.base import Bye, Entrant, Field, Meeting, Pairing


def field(
    bots: int,
    seats: int,
    seed: int = 0,
    *,
    owners: Sequence[str] = (),
    house: int = 0,
    duplicate: DuplicateKind | None = None,
    rated: bool = True,
) -> Field:
    """Returns a field of bots, each its own owner unless owners are given, and of easy house bots."""
    entrants = [Entrant(f"b{number}", owners[number] if owners else "") for number in range(bots)]
    entrants += [Entrant(f"easy-{number}", "easy", house=True) for number in range(house)]
    return Field(tuple(entrants), seats, seed, rated, duplicate)


def played(pairing: Pairing, rng: random.Random) -> Meeting:
    """Returns some result of a pairing."""
    sitting = list(pairing.sittings[0])
    rng.shuffle(sitting)
    return Meeting(pairing, {name: place / (len(sitting) - 1) for place, name in enumerate(sitting)})


def pairings(drawn: Iterable[Pairing | Bye]) -> list[Pairing]:
    """Returns the pairings of a round without its byes."""
    return [one for one in drawn if isinstance(one, Pairing)]


def spread(sittings: Iterable[Sequence[str]], bots: Collection[str], seats: int) -> int:
    """Returns by how much the counts of one bot's seats differ at any time, at the most."""
    counts = {bot: [0] * seats for bot in bots}
    most = 0
    for sitting in sittings:
        for seat, bot in enumerate(sitting):
            if bot in counts:
                counts[bot][seat] += 1
                most = max(most, max(counts[bot]) - min(counts[bot]))
    return most


def met(sittings: Iterable[Sequence[str]]) -> Counter[frozenset[str]]:
    """Returns how often any two bots sat at one table."""
    return Counter(
        frozenset((one, other))
        for sitting in sittings
        for place, one in enumerate(sitting)
        for other in sitting[place + 1 :]
    )
