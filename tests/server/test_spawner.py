"""The spawner on a system that has process groups only, in its own words."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.patience import PATIENCE
from tests.server.launching import STUBBORN, alive, eventually_sync

ELSEWHERE = (
    "import selectors, subprocess, sys\nsys.platform = 'darwin'\nsys.argv = ['spawner', 'run']\n"
    "from referee.server.spawner import main\nmain()"
)
PAIR = "import subprocess\nsubprocess.Popen(['sleep', '1000'])\n" + STUBBORN

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a Unix: process groups")


@pytest.fixture
def spawner() -> Iterator[subprocess.Popen[str]]:
    """Returns a spawner that believes to be on a system without /proc, subreapers and death signals."""
    with subprocess.Popen(
        [sys.executable, "-c", ELSEWHERE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


def say(spawner: subprocess.Popen[str], **request: Any) -> None:
    """Sends a request."""
    assert spawner.stdin is not None
    spawner.stdin.write(json.dumps(request) + "\n")
    spawner.stdin.flush()


def hear(spawner: subprocess.Popen[str]) -> dict[str, Any]:
    """Returns the next event."""
    assert spawner.stdout is not None
    event: dict[str, Any] = json.loads(spawner.stdout.readline())
    return event


def launch(spawner: subprocess.Popen[str], code: str, folder: Path) -> int:
    """Launches a bot that prints when it is up, and returns its process id then."""
    output = folder / "output.txt"
    argv, env = [sys.executable, "-c", code], dict(os.environ)
    say(spawner, op="launch", id=1, argv=argv, cwd=str(folder), env=env, output=str(output))
    pid = int(hear(spawner)["pid"])
    eventually_sync(lambda: output.read_text() == "up\n")
    return pid


def group(leader: int) -> list[int]:
    """Returns the living processes of a process group."""
    found = []
    for pid in psutil.pids():
        with contextlib.suppress(ProcessLookupError):
            if os.getpgid(pid) == leader and alive(pid):
                found.append(pid)
    return found


def test_d6_without_linux_the_process_group_is_killed(spawner: subprocess.Popen[str], tmp_path: Path) -> None:
    """A deaf bot and its child end by their group, and the spawner says that this is all it can do."""
    assert hear(spawner) == {"event": "hello", "contained": False}
    leader = launch(spawner, PAIR, tmp_path)
    assert len(group(leader)) == 2

    say(spawner, op="stop", id=1, grace=0.1)

    event = hear(spawner)
    assert (event["event"], event["code"], event["signal"]) == ("exited", None, 9)
    eventually_sync(lambda: group(leader) == [])


def test_d5_without_linux_the_end_of_the_input_is_the_end_of_all(
    spawner: subprocess.Popen[str], tmp_path: Path
) -> None:
    """When the referee is gone the input ends, and the group of every bot is killed."""
    hear(spawner)
    leader = launch(spawner, PAIR, tmp_path)
    assert spawner.stdin is not None

    spawner.stdin.close()

    assert spawner.wait(timeout=PATIENCE) == 0
    eventually_sync(lambda: group(leader) == [])
