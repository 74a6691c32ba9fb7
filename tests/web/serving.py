"""A server with its site as a process of its own, and data for it to show."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from tests.patience import PATIENCE

SHORT = {
    "block_dominoes": ("--option", "target=30"),
    "guan_pai": ("--option", "deals=2"),
    "mexican_train": ("--option", "deals=2"),
    "ding_niu": ("--option", "deals=2"),
}
"""Options that make a match of each game a short one."""
BOTS = {
    "block_dominoes": ("easy", "normal", "expert", "easy"),
    "guan_pai": ("easy", "normal", "expert"),
    "mexican_train": ("easy", "normal", "expert", "easy"),
    "ding_niu": ("easy", "normal", "expert", "easy"),
}
"""Who plays them, by seat."""


class Served(NamedTuple):
    """A running server: where bots dial in, and the site without the slash at its end."""

    address: str
    url: str
    process: subprocess.Popen[str]


def referee(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of the product to its end, which has to be a good one."""
    command = (sys.executable, "-m", "referee", *words)
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done


@contextlib.contextmanager
def serve(data: Path, *more: str, errors: int | IO[bytes] = subprocess.DEVNULL) -> Iterator[Served]:
    """Serves a data folder with its site until the block is left."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "referee",
            "serve",
            "--data",
            str(data),
            "--http",
            "0",
            "--drain",
            "1s",
            *more,
        ],
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout
        words: dict[str, str] = {}
        while not words.keys() >= {"LISTENING", "SITE"}:
            line = process.stdout.readline()
            assert line, "the server ended before it listened"
            word, _, rest = line.strip().partition(" ")
            words[word] = rest
        yield Served(words["LISTENING"], words["SITE"].rstrip("/"), process)
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        process.kill()
        process.communicate()
