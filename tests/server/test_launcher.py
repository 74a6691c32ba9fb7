"""Bots are processes, and nothing of them is left; real processes throughout."""

import asyncio
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from referee.errors import LaunchError
from referee.server.launch_report import Exit
from referee.server.launcher import LaunchedBot, Launcher, LaunchSpec
from tests.patience import PATIENCE
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
    up,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: /proc and subreapers")


def test_bot_gets_a_clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot has the three open descriptors, an empty input, a session of its own and no secret."""
    monkeypatch.setenv("OPERATOR_PASSWORD", "hush")
    leak = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(leak, True)  # noqa: FBT003 - it takes no keyword
    code = (
        "import os, sys\n"
        "print(sorted(os.environ))\nprint(os.listdir('/proc/self/fd')[:-1])\n"
        "print(os.getsid(0) == os.getpid(), repr(sys.stdin.read()), os.getcwd())\n"
        "print(os.environ['REFEREE_ADDRESS'], os.environ['REFEREE_TOKEN'], os.environ['REFEREE_GAME'])\n"
    )

    async def body(launcher: Launcher) -> None:
        bot = await launcher.launch(python(code))
        assert Exit(code=0) == await bot.exited
        names, descriptors, facts, own = bot.output_tail()
        assert "OPERATOR_PASSWORD" not in names
        assert descriptors == "['0', '1', '2']"
        assert facts == f"True '' {Path.cwd()}"
        assert own == "127.0.0.1:1 secret-token block_dominoes"

    try:
        launching(tmp_path, body)
    finally:
        os.close(leak)


def test_u7_import_error_at_start_is_told_in_full(tmp_path: Path) -> None:
    """The report of a crash has exit status, last lines of stderr, command and environment, no token."""
    noise = "import sys\nfor i in range(50): print('line', i, file=sys.stderr)\nprint('out')\nimport nonesuch"

    async def body(launcher: Launcher) -> None:
        bot = await launcher.launch(python(noise, "--level", "a b"))
        await bot.exited
        report = bot.report()
        assert Exit(code=1) == report.exit
        assert not report.stopped
        assert len(report.stderr) == 20
        assert report.stderr[-1] == "ModuleNotFoundError: No module named 'nonesuch'"
        assert "out" not in report.stderr
        assert report.command.endswith("--level 'a b'")
        assert report.environment["REFEREE_GAME"] == "block_dominoes"
        assert "secret-token" not in repr(report)
        assert str(Path.cwd()) == report.folder

    launching(tmp_path, body)


@pytest.mark.parametrize(
    ("content", "reason"),
    [("garbage", "no #! line"), ("#!/no/such/program\n", "No such file")],
    ids=["no_program", "no_interpreter"],
)
def test_u4_program_that_cannot_run_is_refused_by_name(content: str, reason: str, tmp_path: Path) -> None:
    """A file that the system refuses to run raises with the bot's name, command and reason."""
    path = tmp_path / "mybot"
    path.write_text(content)
    path.chmod(0o755)
    spec = LaunchSpec(name="mybot", command=(str(path),), game="g", address="", token="")

    async def body(launcher: Launcher) -> None:
        with pytest.raises(LaunchError, match=f"bot mybot: cannot run {path}: .*{reason}"):
            await launcher.launch(spec)
        assert spawner_of(launcher).children() == []

    launching(tmp_path, body)


def test_d5_every_way_to_fail_leaves_the_baseline(tmp_path: Path) -> None:
    """After many launches that fail in every stage there are as many processes and files as before."""
    missing = LaunchSpec(name="missing", command=("/no/such/bot",), game="g", address="", token="")

    async def once(launcher: Launcher) -> None:
        with pytest.raises(LaunchError):
            await launcher.launch(missing)
        crashed = await launcher.launch(python("import nonesuch"))
        killed = await launcher.launch(python("import os\nos.kill(os.getpid(), 11)"))
        early = await launcher.launch(python(FOREVER))
        running = await launcher.launch(python(FOREVER))
        assert Exit(signal=signal.SIGTERM) == await early.stop()
        assert Exit(code=1) == await crashed.exited
        assert Exit(signal=signal.SIGSEGV) == await killed.exited
        await up(running)
        assert Exit(signal=signal.SIGTERM) == await running.stop()
        assert Exit(signal=signal.SIGTERM) == await running.stop()

    async def body(launcher: Launcher) -> None:
        spawner = spawner_of(launcher)
        files = spawner.num_fds()
        for _ in range(10):
            await once(launcher)
        assert spawner.children(recursive=True) == []
        assert files == spawner.num_fds()

    launching(tmp_path, body)


def test_d5_close_ends_what_still_runs(tmp_path: Path) -> None:
    """Closing ends running bots, and their reports say that it was the referee."""
    bots: list[LaunchedBot] = []

    async def body(launcher: Launcher) -> None:
        bots.extend([await launcher.launch(python(FOREVER)) for _ in range(3)])

    launching(tmp_path, body)

    assert [(Exit(signal=signal.SIGTERM), True)] * 3 == [(b.report().exit, b.report().stopped) for b in bots]


@pytest.mark.parametrize("command", [(sys.executable, "-c", FOREVER), ("/no/such/bot",)])
def test_a_launch_that_is_called_off_leaves_no_process(tmp_path: Path, command: tuple[str, ...]) -> None:
    """Nobody else could stop it; where it could not be started nothing is kept of it. Others are launched."""
    spec = replace(python(FOREVER), command=command)

    async def body(launcher: Launcher) -> None:
        launch = asyncio.create_task(launcher.launch(spec))
        while not launcher._bots:  # what is asked of the launcher's process is answered later
            await asyncio.sleep(0)
        launch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await launch
        await eventually(lambda: not launcher._bots)
        assert spawner_of(launcher).children(recursive=True) == []
        assert Exit(signal=signal.SIGTERM) == await (await launcher.launch(python(FOREVER))).stop()

    launching(tmp_path, body)


def test_d6_bot_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    """SIGTERM, a grace, then SIGKILL; a bot that obeys is given its own exit status."""
    obeys = (
        "import signal, sys, time\nsignal.signal(15, lambda *_: sys.exit(7))\n"
        "print('up', flush=True)\ntime.sleep(1000)"
    )

    async def body(launcher: Launcher) -> None:
        stubborn = await launcher.launch(python(STUBBORN, grace=0.2))
        obedient = await launcher.launch(python(obeys, grace=PATIENCE))
        await up(stubborn)
        await up(obedient)
        assert Exit(signal=signal.SIGKILL) == await stubborn.stop()
        assert Exit(code=7) == await obedient.stop()
        assert [bot.report().killed for bot in (stubborn, obedient)] == [True, False]

    launching(tmp_path, body)


@pytest.mark.parametrize("way", DETACHED)
@pytest.mark.parametrize("end", ["stopped", "exits"])
def test_d9_detached_grandchildren_end_with_their_bot(way: str, end: str, tmp_path: Path) -> None:
    """Whatever a bot leaves behind is gone when its exit is told, whether it was stopped or exited."""
    file = tmp_path / "grandchild"
    then = (
        "time.sleep(1000)" if end == "stopped" else "while not os.path.exists(sys.argv[1]): time.sleep(0.01)"
    )

    async def body(launcher: Launcher) -> None:
        bot = await launcher.launch(python(PARENT.format(way=DETACHED[way], then=then), str(file), grace=0.2))
        grandchild = await told(file)
        await (bot.stop() if end == "stopped" else bot.exited)
        assert not alive(grandchild)
        asked_too = way == "child" and end == "stopped"
        nobodys = way == "hidden"
        assert bot.report().behind == (0 if asked_too or nobodys else 1)
        assert bot.report().survivors == ()

    launching(tmp_path / "out", body)


@pytest.mark.parametrize("way", [way for way in DETACHED if way != "hidden"])
def test_d9_other_bots_keep_their_grandchildren(way: str, tmp_path: Path) -> None:
    """Stopping one bot touches no process of another, detached ones included."""
    code = PARENT.format(way=DETACHED[way], then="time.sleep(1000)")
    files = [tmp_path / name for name in ("one", "two")]

    async def body(launcher: Launcher) -> None:
        one, two = [await launcher.launch(python(code, str(file), grace=0.2)) for file in files]
        first, second = [await told(file) for file in files]
        await one.stop()
        assert not alive(first)
        assert alive(second)
        assert alive(two.pid)
        await two.stop()
        assert not alive(second)

    launching(tmp_path / "out", body)


def test_d11_100_mb_on_stdout_and_stderr(tmp_path: Path) -> None:
    """A bot that prints without end is never stalled, its file stays small and says what is lost."""
    flood = (
        "import os\nblock = b'x' * 65535 + b'\\n'\nos.write(1, b'first\\n')\n"
        "for _ in range(1600): os.write(1, block); os.write(2, block)\nos.write(2, b'last\\n')"
    )

    async def body(launcher: Launcher) -> None:
        bot = await launcher.launch(python(flood))
        assert Exit(code=0) == await bot.exited
        kept = bot.output.read_bytes()
        assert len(kept) < 256 * 1024
        assert kept.startswith(b"first\n")
        assert b" truncated %d bytes " % bot.report().dropped in kept
        assert bot.report().dropped > 2 * 1600 * 65536 - len(kept)
        assert bot.stderr_tail()[-1] == "last"

    launching(tmp_path, body)
