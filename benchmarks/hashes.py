"""What a hash of the table after every action would cost, beside the action itself."""

import random
import time
from collections.abc import Callable

from benchmarks.matches import random_match
from benchmarks.report import paired, ratio, spread
from referee import games
from referee.match.events import Record
from referee.match.machine import Match
from referee.match.table import state_hash

MATCHES = 6
ROUNDS = 5
_WIDTH = 64 + len(',"state":""')
"""Bytes that the hash would add to a record."""


def main() -> None:
    """Prints for each game what an action costs, and what it costs with the hash of the state after it."""
    print(
        f"hashes: random matches, {MATCHES} a round, {ROUNDS} rounds; us an action, and {_WIDTH} bytes more"
    )
    for name in games.names():
        figures = paired(ROUNDS, {"without": _play(name, hashed=False), "with": _play(name, hashed=True)})
        without, together = figures["without"], figures["with"]
        print(f"  {name:15} {spread(without)}, with {spread(together)}, ratio {ratio(together, without)}")


def _play(name: str, *, hashed: bool) -> Callable[[], float]:
    def side() -> float:
        rng, plies, start = random.Random(1), 0, time.perf_counter()
        for number in range(MATCHES):

            def sink(match: Match, record: Record) -> None:
                if hashed and record.__struct_config__.tag in {"act", "deal"}:
                    state_hash(match.state)

            plies += random_match(name, number, rng, sink).plies
        return (time.perf_counter() - start) / plies * 1e6

    return side


if __name__ == "__main__":
    main()
