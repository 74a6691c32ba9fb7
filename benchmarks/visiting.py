"""What a match feels of visitors of the web site: the time from an act to the next turn, at its bots.

The calm match of `disturbance` is played alone and with visitors, side after side in each round.
Server, bots and visitors are processes of their own, on the same cores. Visitors open pages without a
pause, so that one of them is worth many people.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from benchmarks.processes import line, process
from benchmarks.report import ratio, spread

DECISIONS = 4_000
ROUNDS = 5
CROWDS = (0, 1, 8)


class Figure(NamedTuple):
    """One measured window, in microseconds; `answers` is how many a second the visitors got."""

    median: float
    p99: float
    answers: float


def main() -> None:
    """Prints latency of a decision, and what the visitors got, for each number of visitors."""
    print(f"visiting: a match of block dominoes, {DECISIONS} decisions a round, {ROUNDS} rounds")
    figures: dict[int, list[Figure]] = {crowd: [] for crowd in CROWDS}
    for _ in range(ROUNDS):
        for crowd in CROWDS:
            figures[crowd].append(_measure(crowd))
    columns = {crowd: list(zip(*found, strict=True)) for crowd, found in figures.items()}
    for crowd, (median, p99, answers) in columns.items():
        print(
            f"  {crowd} visitors: median {spread(median)} us, p99 {spread(p99)} us,"
            f" {spread(answers)} answers a second"
        )
    for crowd in CROWDS[1:]:
        for name, before, after in zip(("median", "p99"), columns[0], columns[crowd], strict=False):
            print(f"  {crowd} visitors / none, {name:7} {ratio(after, before)}")


def _measure(crowd: int) -> Figure:
    with process("disturbance_server") as server:
        told = json.loads(line(server))
        found: list[float] = []
        with (
            _visited(told["page"], crowd, found),
            process("disturbance_client", told["address"], str(DECISIONS), *told["tokens"][0]) as bots,
        ):
            line(bots)
            median, p99 = json.loads(line(bots))
        return Figure(median, p99, found[0] if found else 0.0)


@contextmanager
def _visited(page: str, crowd: int, found: list[float]) -> Iterator[None]:
    if not crowd:
        yield
        return
    with process("visiting_client", page, str(crowd)) as visitors:
        yield
        assert visitors.stdin
        visitors.stdin.close()
        found.append(float(line(visitors)))
