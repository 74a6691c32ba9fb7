"""The bot of a check: a command that is launched for each scenario, or one bot that dials in."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TextIO

from referee.check.bench import Bench
from referee.check.front import Front
from referee.check.memory import Memory
from referee.check.room import room
from referee.check.scenario import Scenario
from referee.check.scenarios import ALL
from referee.check.scenarios.process import FOREVER, end
from referee.check.venue import Venue
from referee.server import logs
from referee.server.config import Tls
from referee.server.launch_report import LaunchReport
from referee.server.launcher import GRACE as USUAL_GRACE
from referee.server.launcher import LaunchedBot, Launcher, LaunchSpec

LOG: Final = "referee.jsonl"
"""The file beside what the bot prints for what the server has to tell its operator."""


class Launched:
    """Starts the command anew for each scenario; `outputs` is where what it prints is kept."""

    launches = True

    def __init__(self, command: Sequence[str], game: str, outputs: Path) -> None:
        self._command = tuple(command)
        self._game = game
        self._outputs = outputs
        self._launcher = Launcher(outputs)
        self._memory = Memory()
        self._processes: list[LaunchedBot] = []
        self._stack = contextlib.AsyncExitStack()
        self._folder = Path()
        self._venue: Venue
        self._log: TextIO

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            await self._launcher.start()
            stack.push_async_callback(self._launcher.close)
            self._log = stack.enter_context((self._outputs / LOG).open("a", encoding="utf-8"))
            logs.configure(stream=self._log)
            self._folder = stack.enter_context(room())
            await stack.enter_async_context(self._memory)
            self._venue = Venue(self._folder / "shared", [s.name for s in ALL if not s.alone])
            stack.push_async_callback(self._venue.close)
            await self._venue.start()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    @contextlib.asynccontextmanager
    async def bench(self, scenario: Scenario) -> AsyncIterator[Bench]:
        """Returns a new process of the bot; it is ended when this is left."""
        venue = self._venue
        async with contextlib.AsyncExitStack() as stack:
            if scenario.alone:
                venue = Venue(self._folder / scenario.name, [scenario.name])
                stack.push_async_callback(venue.close)
                await venue.start()
            front = Front()
            await front.start()
            stack.push_async_callback(front.stop)
            front.upstream = venue.address, venue.token(scenario.name)
            process = await self._launcher.launch(self._spec(scenario, front))
            self._processes.append(process)
            process.exited.add_done_callback(lambda _: front.journal.stir())
            self._memory.watch(process.pid)
            try:
                yield Bench(venue, front, scenario.name, process)
            finally:
                self._memory.forget(process.pid)
                front.journal.over = True
                await end(process, asyncio.ensure_future(process.stop()), USUAL_GRACE)

    def reports(self) -> list[LaunchReport]:
        """Returns what there is to tell of all processes."""
        return [process.report() for process in self._processes]

    @property
    def memory(self) -> int | None:
        """The most memory that one process had."""
        return self._memory.peak

    def _spec(self, scenario: Scenario, front: Front) -> LaunchSpec:
        """Returns how the bot is started; how long it may take to its end is up to `end`."""
        return LaunchSpec(
            name=scenario.name,
            command=self._command,
            game=self._game,
            address=front.address,
            token=front.token,
            grace=FOREVER,
        )


class Remote:
    """Waits for one bot that dials in, and has it play all scenarios; `told` hears how it gets here."""

    launches = False
    memory = None

    def __init__(
        self, name: str, front: tuple[str, int, Tls | None], told: Callable[[str, str], None]
    ) -> None:
        self._name = name
        self._front = Front(*front)
        self._told = told
        self._stack = contextlib.AsyncExitStack()
        self._venue: Venue

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            folder = stack.enter_context(room())
            logs.configure(stream=stack.enter_context((folder / LOG).open("a", encoding="utf-8")))
            self._venue = Venue(folder, [self._name])
            stack.push_async_callback(self._venue.close)
            await self._venue.start()
            self._front.upstream = self._venue.address, self._venue.token(self._name)
            await self._front.start()
            stack.push_async_callback(self._front.stop)
            self._told(self._front.address, self._front.token)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    @contextlib.asynccontextmanager
    async def bench(self, scenario: Scenario) -> AsyncIterator[Bench]:
        """Returns the bot that is here, or will be."""
        del scenario
        journal = self._front.begin()
        try:
            yield Bench(self._venue, self._front, self._name, None)
        finally:
            journal.over = True

    def reports(self) -> list[LaunchReport]:
        """Returns nothing: its processes are not here."""
        return []
