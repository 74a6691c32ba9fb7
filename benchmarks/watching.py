"""What a match feels of its spectators: the time from an act to the next turn, at its bots.

The calm match of `disturbance` is played alone and with spectators, side after side in each round.
Server, bots and spectators are processes of their own, on the same cores. The server's processor
time per decision says what is the referee's in the difference; the rest is the spectators' own.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import psutil

from benchmarks.processes import line, process, started
from benchmarks.report import ratio, spread

DECISIONS = 4_000
ROUNDS = 5
CROWDS = (0, 1, 50)
WARM = 1.1
"""Decisions that are played for each one that is measured."""


class Figure(NamedTuple):
    """One measured window, in microseconds; `server` is processor time per decision."""

    median: float
    p99: float
    server: float


def main() -> None:
    """Prints latency and server time of a decision for each number of spectators."""
    print(f"watching: a match of block dominoes, {DECISIONS} decisions a round, {ROUNDS} rounds")
    figures: dict[int, list[Figure]] = {crowd: [] for crowd in CROWDS}
    for _ in range(ROUNDS):
        for crowd in CROWDS:
            figures[crowd].append(_measure(crowd))
    columns = {crowd: list(zip(*found, strict=True)) for crowd, found in figures.items()}
    for crowd, (median, p99, server) in columns.items():
        print(
            f"  {crowd:2} spectators: median {spread(median)} us, p99 {spread(p99)} us,"
            f" server {spread(server)} us a decision"
        )
    for name, before, after in zip(Figure._fields, columns[0], columns[CROWDS[-1]], strict=True):
        print(f"  {CROWDS[-1]} spectators / none, {name:7} {ratio(after, before)}")


def _measure(crowd: int) -> Figure:
    with process("disturbance_server") as server:
        address, (tokens, _) = started(server)
        clock = psutil.Process(server.pid)
        with (
            _watched(address, crowd),
            process("disturbance_client", address, str(DECISIONS), *tokens) as bots,
        ):
            line(bots)
            before = sum(clock.cpu_times()[:2])
            median, p99 = json.loads(line(bots))
            spent = sum(clock.cpu_times()[:2]) - before
        return Figure(median, p99, 1e6 * spent / (DECISIONS * WARM))


@contextmanager
def _watched(address: str, crowd: int) -> Iterator[None]:
    if not crowd:
        yield
        return
    with process("watching_client", address, str(crowd)) as spectators:
        yield
        assert spectators.stdin
        spectators.stdin.close()
        told = float(line(spectators))
        assert told > 0, "the spectators were told nothing"
