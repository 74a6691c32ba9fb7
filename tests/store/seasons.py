"""Results of every kind for tests of the store, and the standings that come of them."""

import random

from referee.store.store import Store
from referee.tournament.export import to_json
from referee.tournament.result import MatchResult
from referee.tournament.standings import fold
from tests.tournament.samples import result


def season() -> list[MatchResult]:
    """Returns results of every kind."""
    rng = random.Random(5)
    found = []
    for number in range(14):
        bots = rng.sample(["ann", "bob", "cyd", "dee"], 4)
        found.append(
            result(
                number,
                {bot: rng.randrange(0, 100, 20) for bot in bots},
                termination=["completed", "adjudicated", "void", "no_show"][max(0, number - 10)],
                forfeits=bots[:1] if number % 5 == 0 and number < 10 else (),
                faults={bots[0]: {"late": number, "illegal": 1}},
                at_fault=bots[1:2] if number >= 12 else (),
                pairing=f"p{number // 2}",
                attempt=1 + number % 2,
                version=str(1 + number // 8),
                rated=number != 7,
            )
        )
    return found


def standings(store: Store) -> str:
    """Returns the standings of a store as JSON."""
    return to_json(fold(store.results()))
