"""House bots: processes of this server's own that dial in as bots from anywhere do.

A process plays many matches at a time. Where a match needs several seats of one level, as practice
does, further processes are started, and ended when nobody needs them; as many as are `standing` stay.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from referee.errors import LaunchError
from referee.match.config import SECOND
from referee.server.launcher import LaunchedBot, Launcher, LaunchSpec
from referee.server.member import Member
from referee.server.resolve import resolve

if TYPE_CHECKING:
    from referee.server.host import Host
    from referee.server.launch_report import Exit

FIRST_PAUSE: Final = 1.0
"""Seconds before a house bot that ended is started again; doubled each time."""
LAST_PAUSE: Final = 60.0
IDLE: Final = 300 * SECOND
"""How long a further process is kept that nobody needs."""
MOST: Final = 8
"""How many processes a level may have."""
PATIENCE: Final = 60.0
"""Seconds that a process may take until it is connected: several at once are slow on a busy machine."""

_log = structlog.get_logger("referee.house")


def house_id(level: str) -> str:
    """Returns the id of the house bot of a level, the same as on the command line."""
    return f"{level}/{level}"


class House:
    """The house bots of one server; `start` comes before gRPC is used, `open` once it listens."""

    def __init__(
        self, outputs: Path, game: str, levels: Sequence[str], matches: int, *, standing: int = 0
    ) -> None:
        self.levels = tuple(dict.fromkeys(levels))
        self.ids = frozenset(map(house_id, self.levels))
        self.problems: dict[str, str] = {}
        """Why a level is not there, by level."""
        self._launcher = Launcher(outputs)
        self._game = game
        self._matches = matches
        self._standing = standing
        self._host: Host
        self._address = ""
        self._tokens: dict[str, str] = {}
        self._wanted: dict[str, int] = {}
        self._running: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._used: dict[tuple[str, int], int] = {}
        self._stopping: set[asyncio.Future[Exit]] = set()
        self._closing = False

    async def start(self) -> None:
        """Starts the launcher; raises `LaunchError` where bots cannot be launched."""
        await self._launcher.start()

    def open(self, host: "Host", address: str) -> None:
        """Has the standing processes of each level dial in."""
        self._host = host
        self._address = address
        for level in self.levels:
            self._tokens[level] = host.auth.add_guest(level, level, house_id(level))
            self._want(level, self._standing)

    async def close(self) -> None:
        """Ends all house bots; returns when nothing of them is left."""
        self._closing = True
        for task in self._running.values():
            task.cancel()
        await self._launcher.close()

    def members(self, level: str) -> list[Member]:
        """Returns the processes of a level that are connected."""
        known = self._host.lobby.members
        keys = ((house_id(level), _instance(number)) for number in range(MOST))
        return [known[key] for key in keys if key in known and known[key].stream]

    def free(self, level: str, game: str) -> list[Member]:
        """Returns the processes of a level that can be seated now, those with the fewest matches first."""
        free = [member for member in self.members(level) if member.is_free(game)]
        return sorted(free, key=lambda member: len(member.seats))

    async def several(self, level: str, game: str, count: int) -> list[Member]:
        """Returns that many processes of a level that can be seated now, fewer if they do not come."""
        self._want(level, min(count, MOST))
        self._use(level, count)  # those that are started only now are not idle
        deadline = self._host.runner.now() + int(PATIENCE * SECOND)
        while len(found := self.free(level, game)) < count and self._host.runner.now() < deadline:
            if len(self.members(level)) >= count or level in self.problems:
                break
            await asyncio.sleep(_LOOK)
        self._use(level, count)
        return found[:count]

    def shortage(self, level: str, count: int) -> str:
        """Returns why not that many processes of a level can be seated now."""
        if len(self.members(level)) >= count:
            return "all house bots are busy"
        if level in self.problems:
            return f"a house bot of level {level} does not start; the log of the server says why"
        return f"the house bots of level {level} are not there yet; the server is slow to start them"

    def rest(self) -> None:
        """Ends further processes that nobody has needed for a while."""
        oldest = self._host.runner.now() - IDLE
        for level, wanted in self._wanted.items():
            number = wanted - 1
            member = self._host.lobby.members.get((house_id(level), _instance(number)))
            busy = member is not None and bool(member.seats)
            if number >= self._standing and not busy and self._used.get((level, number), 0) < oldest:
                self._wanted[level] = number
                self._running.pop((level, number)).cancel()

    def _want(self, level: str, count: int) -> None:
        self._wanted[level] = max(count, self._wanted.get(level, 0))
        for number in range(self._wanted[level]):
            if (level, number) not in self._running:
                self._running[level, number] = asyncio.ensure_future(self._keep(level, number))

    def _use(self, level: str, count: int) -> None:
        self._used |= dict.fromkeys([(level, number) for number in range(count)], self._host.runner.now())

    async def _keep(self, level: str, number: int) -> None:
        """Keeps one process running for as long as it is wanted."""
        pause = FIRST_PAUSE
        while not self._closing:
            began = self._host.runner.now()
            problem = await self._live(level, number)
            if self._host.runner.now() - began > LAST_PAUSE * SECOND:
                pause = FIRST_PAUSE
            self.problems[level] = problem
            _log.error("a house bot ended; it is started again", bot=level, problem=problem, seconds=pause)
            try:
                await asyncio.sleep(pause)
            finally:
                self.problems.pop(level, None)
            pause = min(2 * pause, LAST_PAUSE)

    async def _live(self, level: str, number: int) -> str:
        """Runs one process to its end, or ends it when cancelled; returns what was wrong."""
        try:
            command = (
                *resolve(level, self._game),
                *("--matches", str(self._matches), "--instance", _instance(number)),
            )
            bot = await self._launcher.launch(
                LaunchSpec(
                    name=f"{level}-{number + 1}",
                    command=command,
                    game=self._game,
                    address=self._address,
                    token=self._tokens[level],
                )
            )
        except (LaunchError, OSError) as error:  # where no descriptor is left, too
            return str(error)
        self._host.processes.launched(level, bot, _instance(number))
        try:
            ended = await asyncio.shield(bot.exited)
        except asyncio.CancelledError:
            self._stop(bot)
            raise
        return f"it exited with {ended}; what it printed: {bot.output}"

    def _stop(self, bot: LaunchedBot) -> None:
        if not self._closing:  # the launcher ends them all then
            self._stopping.add(stopping := asyncio.ensure_future(bot.stop()))
            stopping.add_done_callback(self._stopping.discard)


_LOOK: Final = 0.02
"""Seconds between two looks for processes that are awaited."""


def _instance(number: int) -> str:
    return f"house-{number + 1}"
