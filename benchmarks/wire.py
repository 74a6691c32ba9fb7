"""The match path over real gRPC, against a raw echo of the same messages in the same run.

Two shapes of load: 64 bots with one match each, and 4 bots with 64 matches each, whose turns come
batched. Bots are streams of one client process that does the same work on both sides; the echo
sends back what the arena sent in a recorded run, message by message, without reading what it gets.
The server's own processor time per decision is the figure that says what a referee costs; the
client shares the machine.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil

from benchmarks.report import ratio, spread

DECISIONS = 8_000
ROUNDS = 5
SHAPES = {"64 bots, 1 match each": (64, 1), "4 bots, 64 matches each": (4, 64)}


class Figure(NamedTuple):
    """One measured window."""

    server: float
    """Processor time of the server per decision, in microseconds."""
    wall: float
    """Elapsed time per decision, in microseconds."""
    batch: float
    """Decisions per message."""


def main() -> None:
    """Prints time per decision of arena and echo for both shapes, and the ratios."""
    print(f"wire: block dominoes over loopback, {DECISIONS} decisions a round, {ROUNDS} rounds")
    arenas: dict[str, list[Figure]] = {}
    for name, (streams, matches) in SHAPES.items():
        arena, echo = _compare(streams, matches)
        arenas[name] = arena
        _print(name, arena, echo)
    single, batched = arenas.values()
    for what, at in (("server time", 0), ("elapsed", 1)):
        saved = ratio([figure[at] for figure in single], [figure[at] for figure in batched])
        print(f"  unbatched / batched decision, {what:12} {saved}")


def _compare(streams: int, matches: int) -> tuple[list[Figure], list[Figure]]:
    arena, echo = [], []
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "messages"
        _run(["arena", str(streams)], streams, matches, recording)
        for _ in range(ROUNDS):
            arena.append(_run(["arena", str(streams)], streams, matches))
            echo.append(_run(["echo", str(recording)], streams, matches))
    return arena, echo


def _print(name: str, arena: list[Figure], echo: list[Figure]) -> None:
    print(f"  {name}: {spread([figure.batch for figure in arena])} decisions a message")
    for side, figures in (("referee", arena), ("raw echo", echo)):
        print(
            f"    {side:9} server {spread([f.server for f in figures])} us,"
            f" elapsed {spread([f.wall for f in figures])} us a decision"
        )
    server = ratio([figure.server for figure in arena], [figure.server for figure in echo])
    print(f"    referee / echo, server time: {server}")


def _run(role: list[str], streams: int, matches: int, recording: Path | None = None) -> Figure:
    with _server(role) as (process, address, tokens):
        command = [sys.executable, "-m", "benchmarks.wire_client", address, str(matches), str(DECISIONS)]
        command += [str(recording)] if recording else []
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as client:
            assert client.stdin is not None
            assert client.stdout is not None
            client.stdin.write("\n".join(tokens[:streams]))
            client.stdin.close()
            client.stdout.readline()
            before = process.cpu_times()
            _, seconds, decisions, messages = client.stdout.readline().split()
            after = process.cpu_times()
    used = after.user + after.system - before.user - before.system
    count = int(decisions)
    return Figure(used / count * 1e6, float(seconds) / count * 1e6, count / int(messages))


@contextmanager
def _server(role: list[str]) -> Iterator[tuple[psutil.Process, str, list[str]]]:
    command = [sys.executable, "-m", "benchmarks.wire_server", *role]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        line = json.loads(server.stdout.readline())
        try:
            yield psutil.Process(server.pid), line["address"], line["tokens"]
        finally:
            server.stdin.close()
