"""The small process that starts bots and sees that nothing of them is left.

`Launcher` starts it before gRPC is initialised and talks to it in lines of JSON: requests on its
standard input, events on its standard output. Standard library only.

Requests: `launch` (`id` from 1, `argv`, `cwd`, `env`, `output`), `stop` (`id`, `grace` in
seconds), `close` (`grace`). Events: `hello` (`contained`), `launched` (`id`, `pid`), `failed`
(`id`, `error`), `exited` (`id`, `code` or `signal`, and what `launcher.Remains` has).

The end of the input means that the referee is gone: everything is killed at once.
"""

import contextlib
import errno
import heapq
import itertools
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee.server import proctree
from referee.server.recording import Recording

PASS = 0.01
"""Seconds between two looks for living processes of a bot that is being killed."""
KILL_LIMIT = 5.0
"""Seconds after which processes that SIGKILL does not end are given up."""
CHUNK = 64 * 1024


class Bot:
    """One launched process, its output, and what is left of it."""

    def __init__(self, ident: int, process: subprocess.Popen[bytes], output: Recording) -> None:
        self.ident = ident
        self.process = process
        self.output = output
        self.pipes = [pipe.fileno() for pipe in (process.stdout, process.stderr) if pipe]
        self.status: int | None = None
        """The wait status of the process; None while it runs."""
        self.asked = self.killed = False
        self.behind: set[int] = set()
        """Processes that had to be killed, without those that were asked to end with it."""

    def drain(self, pipe: int) -> bool:
        """Reads once from a pipe; False when it has nothing more."""
        try:
            data = os.read(pipe, CHUNK)
        except BlockingIOError:
            return False
        self.output.write(data, is_stderr=pipe == self.pipes[-1])
        return bool(data)


class Spawner:
    """Runs until its input ends or `close` is done; then nothing that it started is alive."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._selector = selectors.DefaultSelector()
        self._bots: dict[int, Bot] = {}
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._incoming = b""
        self._outgoing = bytearray()
        self._closing = False
        self._aborted = False

    def run(self) -> None:
        """Serves requests until there is nothing left to do."""
        self._watch_signals()
        os.set_blocking(1, False)
        self._selector.register(0, selectors.EVENT_READ, self._read)
        self._tell("hello", contained=proctree.contained())
        try:
            while not self._aborted and (self._bots or self._outgoing or not self._closing):
                wait = max(0.0, self._timers[0][0] - time.monotonic()) if self._timers else None
                for key, _ in self._selector.select(wait):
                    if self._selector.get_map().get(key.fd) is key:  # one before it may have closed it
                        key.data()
                while self._timers and self._timers[0][0] <= time.monotonic():
                    heapq.heappop(self._timers)[2]()
        finally:
            self._end()

    # What it hears.

    def _watch_signals(self) -> None:
        reader, writer = os.pipe()
        for end in (reader, writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
        self._selector.register(reader, selectors.EVENT_READ, lambda: self._signalled(reader))

    def _signalled(self, reader: int) -> None:
        numbers = os.read(reader, CHUNK)
        if set(numbers) - {signal.SIGCHLD}:
            self._aborted = True
        self._reap()

    def _read(self) -> None:
        data = os.read(0, CHUNK)
        if not data:
            self._aborted = True
        *lines, self._incoming = (self._incoming + data).split(b"\n")
        for line in lines:
            request = json.loads(line)
            getattr(self, "_on_" + request.pop("op"))(**request)

    def _on_launch(self, *, id: int, argv: list[str], cwd: str, env: dict[str, str], output: str) -> None:  # noqa: A002 - a word of the protocol
        try:
            file = Recording(Path(output), self._run, argv, cwd)
            try:
                process = self._start(argv, cwd, {**env, proctree.TAG: f"{self._run}-{id}"})
            except BaseException:
                file.discard()
                raise
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self._tell("failed", id=id, error=_explained(error))
            return
        bot = Bot(id, process, file)
        self._bots[id] = bot
        for pipe in bot.pipes:
            os.set_blocking(pipe, False)
            self._selector.register(pipe, selectors.EVENT_READ, lambda pipe=pipe: self._drain(bot, pipe))
        self._tell("launched", id=id, pid=process.pid)

    def _on_stop(self, *, id: int, grace: float) -> None:  # noqa: A002 - a word of the protocol
        bot = self._bots.get(id)
        if bot is not None and bot.status is None:
            bot.asked = True
            proctree.send_group(bot.process.pid, signal.SIGTERM)
            self._later(grace, lambda: self._kill(bot, time.monotonic() + KILL_LIMIT))

    def _on_close(self, *, grace: float) -> None:
        self._closing = True
        for ident in self._bots:
            self._on_stop(id=ident, grace=grace)

    # What it does.

    def _start(self, argv: list[str], cwd: str, env: dict[str, str]) -> subprocess.Popen[bytes]:
        spawner = os.getpid()

        def in_child() -> None:
            proctree.die_with_parent(signal.SIGKILL)
            if os.getppid() != spawner:
                os._exit(1)

        return subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            preexec_fn=in_child,  # noqa: PLW1509 - this process has one thread
        )

    def _drain(self, bot: Bot, pipe: int) -> None:
        if not bot.drain(pipe):
            self._selector.unregister(pipe)

    def _reap(self) -> None:
        leaders = {bot.process.pid: bot for bot in self._bots.values()}
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                bot = leaders.get(pid)
                if bot is not None:
                    bot.status = status
                    bot.process.returncode = os.waitstatus_to_exitcode(status)
                    self._kill(bot, time.monotonic() + KILL_LIMIT)

    def _kill(self, bot: Bot, limit: float) -> None:
        """Kills all that lives of a bot, again and again until nothing does; then tells its end."""
        if bot.ident not in self._bots:
            return
        bot.killed = bot.killed or bot.status is None
        if bot.status is None or not proctree.contained():
            proctree.send_group(bot.process.pid, signal.SIGKILL)
        living = self._living(bot)
        for pid in living:
            proctree.send(pid, signal.SIGKILL)
        gone = bot.status is not None and not living
        if gone or time.monotonic() >= limit:
            self._forget(bot, living)
        else:
            self._later(PASS, lambda: self._kill(bot, limit))

    def _living(self, bot: Bot) -> list[int]:
        """Returns what lives of a bot, and what hides so well that it belongs to no bot."""
        leaders = {other.process.pid: other.ident for other in self._bots.values()}
        owners = proctree.owners(os.getpid(), self._run, leaders)
        own = {pid for pid, owner in owners.items() if owner == bot.ident} - {bot.process.pid}
        bot.behind |= {pid for pid in own if not (bot.asked and proctree.in_group(pid, bot.process.pid))}
        return [pid for pid, owner in owners.items() if owner in (bot.ident, None)]

    def _forget(self, bot: Bot, survivors: list[int]) -> None:
        del self._bots[bot.ident]
        code = self._finish(bot)
        self._tell(
            "exited",
            id=bot.ident,
            code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            stderr=bot.output.stderr.decode(errors="backslashreplace"),
            survivors=survivors,
            killed=bot.killed,
            behind=len(bot.behind),
            dropped=bot.output.dropped,
        )

    def _finish(self, bot: Bot) -> int | None:
        """Takes the rest of what a bot printed; returns how it ended, None where that is not known."""
        for pipe in bot.pipes:
            with contextlib.suppress(KeyError):
                self._selector.unregister(pipe)
            while bot.drain(pipe):
                pass
        code = None if bot.status is None else os.waitstatus_to_exitcode(bot.status)
        bot.output.close(code, stopped=bot.asked)
        for end in (bot.process.stdout, bot.process.stderr):
            if end:
                end.close()
        return code

    def _end(self) -> None:
        """Kills every descendant; without children left, a subreaper has none."""
        limit = time.monotonic() + KILL_LIMIT
        with contextlib.suppress(ChildProcessError):
            while time.monotonic() < limit:
                for bot in self._bots.values():
                    proctree.send_group(bot.process.pid, signal.SIGKILL)
                for pid in proctree.owners(os.getpid(), self._run, {}):
                    proctree.send(pid, signal.SIGKILL)
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
                time.sleep(PASS)
        for bot in self._bots.values():
            self._finish(bot)

    # What it says.

    def _later(self, seconds: float, then: Callable[[], None]) -> None:
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), then))

    def _tell(self, event: str, **values: Any) -> None:
        self._outgoing += json.dumps({"event": event, **values}).encode() + b"\n"
        self._write()

    def _write(self) -> None:
        """Writes what the referee takes now; the rest waits, so that no pipe of a bot has to."""
        with contextlib.suppress(BlockingIOError):
            try:
                del self._outgoing[: os.write(1, self._outgoing)]
            except BrokenPipeError:
                self._aborted = True
        watched = 1 in self._selector.get_map()
        if self._outgoing and not watched:
            self._selector.register(1, selectors.EVENT_WRITE, self._write)
        elif watched and not self._outgoing:
            self._selector.unregister(1)


def _explained(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
        return "it is no program and has no #! line that names one"
    if isinstance(error, FileNotFoundError):
        return f"{error.strerror or error}: {error.filename} (or the program that its #! line names)"
    return str(error)


def main() -> None:
    """Runs the spawner of the launcher run named by the first argument."""
    proctree.adopt_orphans()
    proctree.die_with_parent(signal.SIGTERM)
    Spawner(sys.argv[1]).run()


if __name__ == "__main__":
    main()
