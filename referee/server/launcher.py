"""Starts bots on this machine as processes of their own, and ends them with all they started.

The work is done by a small process of its own, see `spawner`. Start a launcher before gRPC is
initialised. Needs a Unix; only Linux lets nothing of a bot escape, see `Launcher.contained`.
"""

import asyncio
import contextlib
import itertools
import json
import os
import secrets
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

import referee
from referee.errors import LaunchError
from referee.server import proctree
from referee.server.launch_report import Exit, LaunchReport, Remains
from referee.server.spawner import KILL_LIMIT

GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL."""
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV")
"""The variables of this environment that a bot gets."""
_LINE = 1 << 20
_ENDED = "the launcher process of the referee has ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchSpec:
    """A bot to start: `command` is resolved already, `grace` in seconds, `folder` where it runs."""

    name: str
    command: tuple[str, ...]
    game: str
    address: str
    token: str = field(repr=False)
    folder: Path | None = None
    extra: Mapping[str, str] = field(default_factory=dict)
    grace: float = GRACE


class LaunchedBot:
    """One bot process of a launcher. `exited` gets its result when nothing of it is left."""

    def __init__(self, launcher: "Launcher", ident: int, spec: LaunchSpec, output: Path) -> None:
        self.name = spec.name
        self.command = shlex.join(spec.command)
        self.pid = 0
        self.output = output
        self.mark = f"{launcher.run}/{output.stem}"
        """What no other process has in common with it, also where files are written anew."""
        self.exited: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
        self._launcher = launcher
        self._ident = ident
        self._spec = spec
        self._stopped = False
        self._remains = Remains()

    def output_tail(self, lines: int = 20) -> list[str]:
        """Returns the last lines of stdout and stderr so far."""
        with contextlib.suppress(OSError):
            return self.output.read_bytes().decode(errors="backslashreplace").splitlines()[-lines:]
        return []

    def stderr_tail(self, lines: int = 20) -> list[str]:
        """Returns the last lines of stderr; empty before the bot has exited."""
        return self._remains.stderr.splitlines()[-lines:]

    async def stop(self) -> Exit:
        """Asks the bot to end, kills it after its grace with all it started, and waits for that."""
        if not self.exited.done():
            self._stopped = True
            self._launcher.send("stop", id=self._ident, grace=self._spec.grace)
        return await asyncio.shield(self.exited)

    def report(self) -> LaunchReport:
        """Returns what there is to tell of it now."""
        return LaunchReport(
            bot=self.name,
            command=self.command,
            folder=str(_folder(self._spec)),
            environment={k: v for k, v in environment(self._spec).items() if k != "REFEREE_TOKEN"},
            exit=self.exited.result() if self.exited.done() else None,
            stopped=self._stopped,
            stderr=tuple(self.stderr_tail()),
            output=str(self.output),
            survivors=self._remains.survivors,
            killed=self._remains.killed,
            behind=self._remains.behind,
            dropped=self._remains.dropped,
        )

    def ended(self, result: Exit, remains: Remains | None = None) -> None:
        """Takes the word of the launcher that nothing of the bot is left."""
        if not self.exited.done():
            self._remains = remains or Remains()
            self.exited.set_result(result)

    def closing(self) -> None:
        """Takes the word of the launcher that it ends all bots."""
        self._stopped = self._stopped or not self.exited.done()


class Launcher:
    """Starts bots; `outputs` is the folder for what they print, one capped file each."""

    def __init__(self, outputs: Path) -> None:
        self._outputs = outputs
        self.run = secrets.token_hex(8)
        """Tells the processes that it starts from all others."""
        self._bots: dict[int, LaunchedBot] = {}
        """Those that run: a server of many weeks forgets the others."""
        self._idents = itertools.count(1)
        self._starting: dict[int, asyncio.Future[int]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._spawning = asyncio.Lock()
        self._closed = False
        self.contained = False
        """Nothing of a bot can escape; False where only process groups are to be had."""

    async def start(self) -> None:
        """Starts the spawner; raises `LaunchError` when that cannot be."""
        if os.name != "posix":
            raise LaunchError("bots cannot be launched on this system; start them by hand with --server")
        try:
            self._outputs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LaunchError(f"{self._outputs}: {error.strerror}; name another folder with --data") from None
        await self._spawn()

    async def _spawn(self) -> None:
        package = str(Path(referee.__file__).parent.parent)
        paths = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH", ""))))
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "referee.server.spawner", self.run),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths},
            start_new_session=True,
            limit=_LINE,
        )
        hello = await self._next()
        if hello is None:
            raise LaunchError("the launcher process of the referee did not start")
        self.contained = hello["contained"]
        self._reader = asyncio.create_task(self._listen())

    async def launch(self, spec: LaunchSpec) -> LaunchedBot:
        """Starts a bot and returns as soon as its process runs; raises `LaunchError`.

        A spawner that was killed is started again: its bots were lost, the next ones need not be.
        """
        async with self._spawning:
            if not self._closed and self._reader is not None and self._reader.done():
                await self._spawn()
            if self._closed or self._reader is None:  # perhaps since it was started again
                raise LaunchError(f"bot {spec.name}: {_ENDED}")
        ident = next(self._idents)
        output = self._outputs / f"{ident:03}-{_file_name(spec.name)}.txt"
        bot = self._bots[ident] = LaunchedBot(self, ident, spec, output)
        started = self._starting[ident] = asyncio.get_running_loop().create_future()
        self.send(
            "launch",
            id=ident,
            argv=spec.command,
            cwd=str(_folder(spec)),
            env=environment(spec),
            output=str(output.absolute()),
        )
        try:
            bot.pid = await started
        except asyncio.CancelledError:
            self.send("stop", id=ident, grace=spec.grace)  # nobody else knows of it
            raise
        finally:
            self._starting.pop(ident, None)
        return bot

    async def close(self, grace: float = GRACE) -> None:
        """Ends all bots and the spawner; returns when nothing of them is left. May be repeated."""
        self._closed = True
        async with self._spawning:  # a spawner that is being started again is one to end, too
            process = self._process
        if process is None or process.returncode is not None:
            return
        for bot in self._bots.values():
            bot.closing()
        self.send("close", grace=grace)
        try:
            await asyncio.wait_for(process.wait(), grace + 2 * KILL_LIMIT)
        except TimeoutError:
            self._kill()
            await process.wait()
        if self._reader is not None:
            await self._reader

    def send(self, op: str, **values: Any) -> None:
        """Sends a request; without a spawner to hear it nothing happens, as all bots are gone then."""
        stdin = self._process.stdin if self._process else None
        if stdin is not None and not stdin.is_closing():
            stdin.write(json.dumps({"op": op, **values}).encode() + b"\n")

    def _kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def _listen(self) -> None:
        """Hands on what the spawner says until it has gone."""
        try:
            while (event := await self._next()) is not None:
                self._hear(event)
        finally:
            proctree.kill_tagged(self.run)
            for started in self._starting.values():
                if not started.done():
                    started.set_exception(LaunchError(_ENDED))
            lost, self._bots = self._bots, {}
            for bot in lost.values():
                bot.ended(Exit())

    async def _next(self) -> dict[str, Any] | None:
        stdout = self._process.stdout if self._process else None
        line = await stdout.readline() if stdout else b""
        event: dict[str, Any] | None = json.loads(line) if line else None
        return event

    def _hear(self, event: dict[str, Any]) -> None:
        ident = event["id"]
        bot = self._bots[ident]
        started = self._starting.get(ident)
        awaited = started if started and not started.done() else None
        match event["event"]:
            case "launched" if awaited:
                awaited.set_result(event["pid"])
            case "failed":
                del self._bots[ident]
                if awaited:
                    said = f"bot {bot.name}: cannot run {bot.command}: {event['error']}"
                    awaited.set_exception(LaunchError(said))
            case "exited":
                del self._bots[ident]
                bot.ended(Exit(event["code"], event["signal"]), msgspec.convert(event, Remains))


def environment(spec: LaunchSpec) -> dict[str, str]:
    """Returns the whole environment of a bot."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    own = {"REFEREE_ADDRESS": spec.address, "REFEREE_TOKEN": spec.token, "REFEREE_GAME": spec.game}
    return {**kept, **spec.extra, **own}


def _folder(spec: LaunchSpec) -> Path:
    return (spec.folder or Path()).absolute()


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:40]
