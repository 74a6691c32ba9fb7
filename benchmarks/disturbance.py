"""What a calm match feels of a bad neighbour: the time from an act to the next turn, at its bots.

The calm match is played alone, beside another calm match, beside one with a bot that sends a
thousand acts a second, and beside one with a bot that sends as many acts of 200 KiB as it may. Server,
calm bots and neighbours are processes of their own; they share the machine, so the second calm match
is what the other two are to be compared with.
"""

import json
from typing import NamedTuple

from benchmarks.processes import line, process, started
from benchmarks.report import spread

DECISIONS = 2_000
ROUNDS = 5
NEIGHBOURS = {
    "alone": None,
    "beside a calm match": "calm",
    "beside 1,000 acts a second": "flood",
    "beside acts of 200 KiB": "big",
}


class Figure(NamedTuple):
    """One measured window: microseconds from an act to the next turn, and the neighbour's acts a second."""

    median: float
    p99: float
    disturbance: float


def main() -> None:
    """Prints median and p99 of the latency of a decision for each neighbour."""
    print(f"disturbance: a match of block dominoes, {DECISIONS} decisions a round, {ROUNDS} rounds")
    figures: dict[str, list[Figure]] = {name: [] for name in NEIGHBOURS}
    for _ in range(ROUNDS):
        for name, kind in NEIGHBOURS.items():
            figures[name].append(_measure(kind))
    for name, found in figures.items():
        median, p99, acts = (spread(of) for of in zip(*found, strict=True))
        sent = f"; its bot sends {acts} a second" if any(figure.disturbance for figure in found) else ""
        print(f"  {name:27} median {median} us, p99 {p99} us{sent}")


def _measure(kind: str | None) -> Figure:
    with process("disturbance_server") as server:
        address, (calm, others) = started(server)
        if kind is None:
            return Figure(*_calm(address, calm), 0)
        with process("disturbance_client", address, kind, *others) as neighbour:
            line(neighbour)
            figures = _calm(address, calm)
            assert neighbour.stdin
            neighbour.stdin.close()
            return Figure(*figures, float(line(neighbour)))


def _calm(address: str, tokens: list[str]) -> tuple[float, float]:
    with process("disturbance_client", address, str(DECISIONS), *tokens) as bots:
        line(bots)
        median, p99 = json.loads(line(bots))
    return median, p99
