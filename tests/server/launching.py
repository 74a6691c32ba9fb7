"""What the tests of launched bots share: bots of a few lines, and ways to wait for them."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil

from referee.server.launcher import LaunchedBot, Launcher, LaunchSpec
from tests.patience import PATIENCE

FOREVER = "import time\nprint('up', flush=True)\nwhile True: time.sleep(1)"
STUBBORN = (
    "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up', flush=True)\nwhile True: pass"
)
SLEEP = "['sleep', '1000']"
"""What a grandchild runs."""
DETACHED = {
    "child": f"p = subprocess.Popen({SLEEP}); tell(p.pid)",
    "group": f"p = subprocess.Popen({SLEEP}, process_group=0); tell(p.pid)",
    "setsid": f"p = subprocess.Popen({SLEEP}, start_new_session=True); tell(p.pid)",
    "double_fork": f"fork(lambda: tell(subprocess.Popen({SLEEP}).pid))",
    "daemon": f"fork(lambda: tell(subprocess.Popen({SLEEP}, start_new_session=True).pid))",
    "hidden": f"fork(lambda: tell(subprocess.Popen({SLEEP}, start_new_session=True, env={{}}).pid))",
    "deaf": "fork(lambda: tell(subprocess.Popen([sys.executable, '-c', "
    "'import os, signal, time; os.setsid(); signal.signal(15, signal.SIG_IGN); time.sleep(1000)']).pid))",
}
"""Ways to leave a grandchild behind, from the plainest to the most determined."""
PARENT = """
import os, subprocess, sys, time
def tell(pid):
    with open(sys.argv[1] + '.new', 'w') as file: file.write(str(pid))
    os.rename(sys.argv[1] + '.new', sys.argv[1])
def fork(then):
    if (child := os.fork()) == 0:
        os.setsid()
        if os.fork() == 0: then()
        os._exit(0)
    os.waitpid(child, 0)
{way}
{then}
"""


def python(code: str, *arguments: str, name: str = "bot", grace: float = 5.0) -> LaunchSpec:
    """Returns a bot that runs some Python."""
    return LaunchSpec(
        name=name,
        command=(sys.executable, "-c", code, *arguments),
        game="block_dominoes",
        address="127.0.0.1:1",
        token="secret-token",
        grace=grace,
    )


def launching(outputs: Path, body: Callable[[Launcher], Awaitable[None]]) -> None:
    """Runs a test with a launcher, and demands that all its processes are gone afterwards."""

    async def run() -> None:
        launcher = Launcher(outputs)
        await launcher.start()
        spawner = spawner_of(launcher)
        try:
            await asyncio.wait_for(body(launcher), 2 * PATIENCE)
        finally:
            family = spawner.children(recursive=True) if alive(spawner.pid) else []
            await launcher.close()
        assert [process for process in [spawner, *family] if alive(process.pid)] == []

    asyncio.run(run())


def spawner_of(launcher: Launcher) -> psutil.Process:
    """Returns the launcher's own process."""
    assert launcher._process is not None
    return psutil.Process(launcher._process.pid)


def alive(pid: int) -> bool:
    """Says whether a process runs; a zombie does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


async def eventually(true: Callable[[], bool]) -> None:
    """Waits until something holds, and fails when it never does."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "never happened"
        await asyncio.sleep(0.01)


def eventually_sync(true: Callable[[], bool]) -> None:
    """Waits until something holds, where no loop runs."""
    asyncio.run(eventually(true))


async def told(path: Path) -> int:
    """Returns the process id that a bot wrote to a file."""
    await eventually(path.exists)
    return number(path)


def number(path: Path) -> int:
    """Returns the number in a file."""
    return int(path.read_text())


async def up(bot: LaunchedBot) -> None:
    """Waits until a bot has printed that it is up."""
    await eventually(lambda: "up" in bot.output_tail())
