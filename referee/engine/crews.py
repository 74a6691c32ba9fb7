"""Processes that are launched for a single match of a block, and end with it.

So no bot meets a deal twice: what a process has seen of a deal ends with it. Each has a token and an
instance of its own, which a match asks for by seat.
"""

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from referee.engine.entrants import Entry
from referee.errors import LaunchError
from referee.server.app import Arena
from referee.server.launch_report import LaunchReport
from referee.server.launcher import LaunchedBot, Launcher, LaunchSpec
from referee.server.recording import remove

LOST = "the process that launches bots was killed"
"""Why matches of launched bots are void that could not go on without it."""
_KEPT = 50
"""Of so many processes that exited by themselves, or left something behind, a report is kept."""


@dataclass(slots=True)
class Crew:
    """Who was launched for one match; `instances` are by seat, empty for a bot that plays many matches."""

    instances: tuple[str, ...]
    tokens: dict[str, str] = field(default_factory=dict)
    """By instance."""
    bots: list[LaunchedBot] = field(default_factory=list)
    dismissed: bool = False


class Crews:
    """Launches and dismisses crews.

    `spec` tells how a bot is launched with a token, `seat` telling apart copies at one table; `told`
    hears a line of each process that exits by itself.
    """

    def __init__(
        self,
        arena: Arena,
        launcher: Launcher,
        entries: Mapping[str, Entry],
        spec: Callable[[Entry, str, int], LaunchSpec],
        told: Callable[[str], None],
    ) -> None:
        self._arena = arena
        self._launcher = launcher
        self._entries = entries
        self._spec = spec
        self._told = told
        self._odd: deque[LaunchReport] = deque(maxlen=_KEPT)
        self._outputs: dict[str, Path] = {}

    def launches(self, bot: str) -> bool:
        """Says whether a bot, by its name or id, is launched anew for each match."""
        return bot in self._entries

    def reports(self) -> list[LaunchReport]:
        """Returns what there is to tell of processes that exited by themselves, or left something behind."""
        return list(self._odd)

    def outputs(self) -> dict[str, Path]:
        """Returns the file with what the last process of each bot printed that printed something."""
        return dict(self._outputs)

    async def launch(self, seats: Sequence[str]) -> Crew:
        """Starts a process for each seat of a match whose bot is launched anew.

        One that cannot be started is absent: its match ends as a no-show.
        """
        instances = tuple(secrets.token_hex(8) if self.launches(bot) else "" for bot in seats)
        crew = Crew(instances)
        try:
            await asyncio.gather(
                *(
                    self._start(crew, self._entries[bot], seat, instance)
                    for seat, (bot, instance) in enumerate(zip(seats, instances, strict=True))
                    if instance
                )
            )
        except BaseException:
            await self.dismiss(crew)
            raise
        return crew

    async def dismiss(self, crew: Crew) -> None:
        """Ends the processes of a crew, and makes their tokens worthless."""
        crew.dismissed = True
        await asyncio.gather(*(bot.stop() for bot in crew.bots))
        for instance, token in crew.tokens.items():
            self._arena.remove_guest(token, instance)
        for bot in crew.bots:
            self._keep(bot)

    async def _start(self, crew: Crew, entry: Entry, seat: int, instance: str) -> None:
        token = self._arena.add_guest(entry.name, entry.owner, entry.bot_id, instance)
        crew.tokens[instance] = token
        try:
            bot = await self._launcher.launch(self._spec(entry, token, seat))
        except LaunchError as error:
            self._arena.absent(entry.name, str(error), instance)
            return
        crew.bots.append(bot)
        self._arena.processes.launched(entry.name, bot, instance)
        bot.exited.add_done_callback(lambda _: self._exited(crew, entry, bot, instance))

    def _exited(self, crew: Crew, entry: Entry, bot: LaunchedBot, instance: str) -> None:
        if crew.dismissed or bot.report().stopped:
            return
        ended = bot.exited.result()
        told = f"exited with {ended}; what it printed: {bot.output}"
        self._told(f"bot {entry.name} {told}")
        if ended.lost:
            self._arena.spoil(entry.name, LOST, instance)
        self._arena.absent(entry.name, f"it {told}", instance)

    def _keep(self, bot: LaunchedBot) -> None:
        """Keeps what is worth it: of bots that did as they were asked to and played well, the last output."""
        report = bot.report()
        if not report.stopped or report.behind or report.killed or report.survivors:
            self._odd.append(report)
            return
        if self._arena.processes.is_blamed(bot.output):
            return
        with contextlib.suppress(OSError):
            if not bot.output.stat().st_size:
                remove(bot.output)
                return
            before = self._outputs.get(bot.name)
            self._outputs[bot.name] = bot.output
            if before:
                remove(before)


class Relay:
    """Has the crew of the next match start while the present one plays, and no other."""

    def __init__(self, crews: Crews, sittings: Sequence[Sequence[str]]) -> None:
        self._crews = crews
        self._sittings = iter(sittings)
        self._next: asyncio.Task[Crew] | None = None
        self._here: Crew | None = None
        self._leaving: set[asyncio.Task[None]] = set()
        self._prepare()

    async def change(self) -> Crew:
        """Dismisses the crew of the match before, and returns that of the next one."""
        self._dismiss()
        if self._next is None:
            raise AssertionError("no match is left to launch bots for")
        self._here = await asyncio.shield(self._next)
        self._prepare()
        return self._here

    async def close(self) -> None:
        """Ends all processes, also those that were launched for a match that is not played."""
        self._dismiss()
        if self._next:
            with contextlib.suppress(Exception):  # it was told to whoever asked for that crew
                await self._crews.dismiss(await self._next)
        await asyncio.gather(*self._leaving)

    def _prepare(self) -> None:
        seats = next(self._sittings, None)
        self._next = asyncio.create_task(self._crews.launch(seats)) if seats else None

    def _dismiss(self) -> None:
        crew, self._here = self._here, None
        if crew:
            task = asyncio.create_task(self._crews.dismiss(crew))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
