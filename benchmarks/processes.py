"""Processes of their own, for the sides of a benchmark."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def process(module: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Runs a module of the benchmarks; closing its standard input ends it."""
    with subprocess.Popen(
        [sys.executable, "-m", f"benchmarks.{module}", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin
        try:
            yield process
        finally:
            process.stdin.close()


def line(process: "subprocess.Popen[str]") -> str:
    """Returns the next line that a process prints."""
    assert process.stdout
    printed = process.stdout.readline()
    assert printed, f"a process ended early: {process.args!r}"
    return printed


def started(server: "subprocess.Popen[str]") -> tuple[str, list[list[str]]]:
    """Returns the address of a server of two tables, and the tokens of each."""
    told = json.loads(line(server))
    return told["address"], told["tokens"]
