"""Nothing of a bot outlives the referee or the spawner, whatever kills them."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from referee.errors import LaunchError
from referee.server.launcher import Launcher
from tests.server.launching import (
    DETACHED,
    FOREVER,
    PARENT,
    STUBBORN,
    alive,
    eventually,
    launching,
    python,
    spawner_of,
    told,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: /proc and subreapers")


REFEREE = """
import asyncio, signal, sys
from pathlib import Path
from referee.server.launcher import Launcher, LaunchSpec
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
async def main():
    launcher = Launcher(Path(sys.argv[1]))
    await launcher.start()
    for index, code in enumerate(sys.argv[2:]):
        spec = LaunchSpec(name="bot", command=(sys.executable, "-c", code, f"{sys.argv[1]}/{index}"),
                          game="g", address="", token="")
        print((await launcher.launch(spec)).pid, flush=True)
    print("all", flush=True)
    await asyncio.sleep(1000)
asyncio.run(main())
"""


@pytest.mark.parametrize("killer", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_d5_nothing_outlives_a_killed_referee(killer: signal.Signals, tmp_path: Path) -> None:
    """However the referee dies, its bots and all that they detached die with it."""
    codes = [STUBBORN, *(PARENT.format(way=way, then="time.sleep(1000)") for way in DETACHED.values())]
    referee = subprocess.Popen(
        [sys.executable, "-c", REFEREE, str(tmp_path), *codes],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with referee:
        assert referee.stdout is not None
        pids = [int(line) for line in iter(referee.stdout.readline, "all\n")]
        pids += [asyncio.run(told(tmp_path / str(index))) for index in range(1, len(codes))]
        pids += [child.pid for child in psutil.Process(referee.pid).children(recursive=True)]
        referee.send_signal(killer)

    asyncio.run(eventually(lambda: not any(map(alive, pids))))


def test_d5_killed_spawner_takes_the_bots_along(tmp_path: Path) -> None:
    """When the launcher's own process is killed its bots end and are told as lost; others can be started."""
    code = PARENT.format(way=DETACHED["daemon"], then="time.sleep(1000)")

    async def body(launcher: Launcher) -> None:
        bot = await launcher.launch(python(code, str(tmp_path / "grandchild")))
        grandchild = await told(tmp_path / "grandchild")
        spawner_of(launcher).kill()
        assert (await bot.exited).lost
        await eventually(lambda: not alive(bot.pid) and not alive(grandchild))
        both = await asyncio.gather(*(launcher.launch(python(FOREVER)) for _ in range(2)))
        assert all(alive(other.pid) for other in both)
        await launcher.close()
        assert not any(alive(other.pid) for other in both)
        with pytest.raises(LaunchError):
            await launcher.launch(python(FOREVER))

    launching(tmp_path / "out", body)


def test_d5_a_launcher_that_is_closed_while_its_spawner_is_started_again_starts_no_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot is refused, and the new spawner is gone when closing is done."""
    start = asyncio.create_subprocess_exec
    spawners: list[asyncio.subprocess.Process] = []

    async def body(launcher: Launcher) -> None:
        asked, may_start = asyncio.Event(), asyncio.Event()

        async def slow(*command: Any, **settings: Any) -> asyncio.subprocess.Process:
            asked.set()
            await may_start.wait()
            spawners.append(await start(*command, **settings))
            return spawners[-1]

        bot = await launcher.launch(python(FOREVER))
        monkeypatch.setattr(asyncio, "create_subprocess_exec", slow)
        spawner_of(launcher).kill()
        await bot.exited
        await eventually(lambda: launcher._reader is not None and launcher._reader.done())
        starting = asyncio.ensure_future(launcher.launch(python(FOREVER)))
        await asked.wait()
        closing = asyncio.ensure_future(launcher.close())
        await asyncio.wait({closing}, timeout=0)  # as far as it comes by itself
        may_start.set()
        await closing
        with pytest.raises(LaunchError):
            await starting

    try:
        launching(tmp_path, body)
        assert [spawner.returncode for spawner in spawners] == [0]
    finally:
        for spawner in spawners:
            if spawner.returncode is None:
                spawner.kill()
