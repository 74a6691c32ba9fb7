"""A server on the loopback interface, and the bots that are launched to play on it.

The bots dial in as bots from anywhere do. Nothing here is quicker or kinder for them.
"""

import asyncio
import contextlib
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from referee.engine.crews import LOST, Crews, Relay
from referee.engine.entrants import Entry
from referee.errors import LaunchError, UsageError
from referee.match.config import DuplicateKind
from referee.replay.reader import finished_path
from referee.server import logs
from referee.server.app import Arena
from referee.server.config import ArenaConfig
from referee.server.launch_report import LaunchReport
from referee.server.launcher import LaunchedBot, Launcher, LaunchSpec
from referee.server.request import BlockPart, MatchOutcome, MatchRequest
from referee.tournament import owners
from referee.tournament.result import COUNTED

OUTPUT = "output"
"""The folder under the data root for what launched bots print."""
LOG = "referee.jsonl"
"""The file beside it for what the server has to tell its operator."""
STOP = 1.0
"""Seconds that running matches get to end."""


def output_folder(data: Path, name: str) -> Path:
    """Returns the folder under a data root for what the bots of a match, run or tournament print."""
    return data / OUTPUT / name


class LocalArena:
    """Has its server and its bots running between entering and leaving.

    A bot that exits is started again `restarts` times; after that it is absent. Bots that are lost with
    the process that launches them are started again in any case, and their matches are void. Bots without
    a command dial in by themselves, and are named for their owners. The bots of `per_match` are started
    anew for each match of a block, see `play_block`, and play nothing else. What a person who waits should
    know at once goes to `told`, a line at a time.
    """

    def __init__(
        self,
        config: ArenaConfig,
        bots: Sequence[Entry],
        game: str,
        outputs: Path,
        told: Callable[[str], None],
        *,
        seed: int | None = None,
        restarts: int = 0,
        per_match: Sequence[Entry] = (),
    ) -> None:
        self.arena = Arena(config)
        self.arena.on_database = told
        self._told = told
        self._entries = [entry for entry in bots if entry.command]
        self._game = game
        self._seed = seed
        self._outputs = outputs
        self._launcher = Launcher(outputs)
        self._crews = Crews(self.arena, self._launcher, _by_key(per_match), self._spec, told)
        self._known = _by_key((*bots, *per_match))
        self._log: TextIO
        self._address = ""
        self._tokens: dict[str, str] = {}
        self._launched: list[LaunchedBot] = []
        self._wanted: Counter[str] = Counter()
        self._restarts = Counter({entry.name: restarts for entry in bots})
        self._restarting: set[asyncio.Task[None]] = set()
        self._leaving = False
        self.gone: set[str] = set()
        """The bots that have exited and are not started again."""

    async def __aenter__(self) -> Self:
        await self._launcher.start()
        if not self._launcher.contained:
            self._told("note: a bot that detaches processes can leave them behind on this system")
        self._log = (self._outputs / LOG).open("a", encoding="utf-8")
        logs.configure(stream=self._log)
        try:
            self._address = await self.arena.start()
            for entry in self._entries:
                self._tokens[entry.name] = self.arena.add_guest(entry.name, entry.owner, entry.bot_id)
                await self._launch(entry)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stops the server, then the bots with all they started."""
        self._leaving = True
        for task in self._restarting:
            task.cancel()
        try:
            await self.arena.stop(STOP)
        finally:
            await self._launcher.close()
            with contextlib.suppress(OSError):  # a full disk: what is lost is the operator's log
                self._log.close()

    @property
    def address(self) -> str:
        """Where bots dial in, as `host:port`."""
        return self._address

    async def play(self, request: MatchRequest) -> MatchOutcome:
        """Plays a match between bots of this arena; see `Arena.play`."""
        self._wanted.update(request.bots)
        try:
            return await self.arena.play(request)
        finally:
            self._wanted.subtract(request.bots)

    async def play_block(
        self,
        request: MatchRequest,
        sittings: Sequence[tuple[str, ...]],
        kind: DuplicateKind,
        ended: Callable[[MatchOutcome], None] = lambda _: None,
    ) -> list[MatchOutcome]:
        """Plays the matches of a block one after another, and returns what became of each.

        `request` holds what they share: its `pairing_id` is that of the whole pairing, and its `bots`
        are left aside for those of the `sittings`. `ended` hears of each match at its end. The first
        match that does not count ends the block: its deals are given up, and the list is shorter than
        `sittings`, unless it was the last. When this returns, or is cancelled, the logs are unsealed.

        Raises `UsageError` for bots that may not meet the same deals: with `rotate` all have to be
        started anew for each match, with `same_seat` all but those who sit in one match only. A rated
        block holds one bot of each owner.
        """
        if request.rated and request.seed is None:
            parties = {bot: self._party(bot) for seats in sittings for bot in seats}
            owners.check_block(sittings, parties)
        self._check_block(sittings, kind)
        outcomes: list[MatchOutcome] = []
        _stop_if_called_off()
        relay = Relay(self._crews, sittings)
        try:
            with self.arena.block(request.seed) as group:
                for part, seats in enumerate(sittings):
                    _stop_if_called_off()
                    crew = await relay.change()
                    match = replace(
                        request,
                        bots=seats,
                        instances=crew.instances,
                        pairing_id=f"{request.pairing_id}.{part}" if request.pairing_id else "",
                        block=BlockPart(group=group, kind=kind, part=part, parts=len(sittings)),
                    )
                    outcomes.append(await self.play(match))
                    ended(outcomes[-1])
                    if outcomes[-1].termination not in COUNTED:
                        break
        finally:
            await relay.close()
        return [replace(one, replay=one.replay and finished_path(one.replay)) for one in outcomes]

    def outputs(self) -> dict[str, Path]:
        """Returns the file with what each bot printed, the last one where it was started again."""
        return {**self._crews.outputs(), **{bot.name: bot.output for bot in self._launched}}

    def reports(self) -> list[LaunchReport]:
        """Returns what there is to tell of bots that exited by themselves."""
        return [report for report in self.remains() if report.exit and not report.stopped]

    def remains(self) -> list[LaunchReport]:
        """Returns what there is to tell of all bots once they have ended.

        Of those that were launched for a single match only those are told that ended in an odd way.
        """
        return [*(bot.report() for bot in self._launched), *self._crews.reports()]

    def _check_block(self, sittings: Sequence[tuple[str, ...]], kind: DuplicateKind) -> None:
        """Raises `UsageError` where a bot that remembers would meet the deals of a block twice."""
        places = Counter(bot for seats in sittings for bot in seats if not self._crews.launches(bot))
        for bot, count in places.items():
            if kind == "rotate":
                raise UsageError(
                    f"bot {bot} may remember the hands that it has seen: deals are rotated only among bots"
                    " that the referee launches anew for each match; use same_seat"
                )
            if count > 1:
                raise UsageError(
                    f"bot {bot} would meet the same deals {count} times; the opponents in a block of"
                    " same_seat have to be house bots that the referee launches anew for each match"
                )

    def _party(self, bot: str) -> str:
        entry = self._known.get(bot)
        return owners.party(entry.name, entry.owner, house=entry.house) if entry else owners.party(bot, "")

    def _spec(self, entry: Entry, token: str, copy: int | str = "") -> LaunchSpec:
        """Returns how a bot is started with a token; each copy at a table chooses by itself."""
        seeded = (
            {} if self._seed is None else {"REFEREE_BOT_SEED": _bot_seed(self._seed, f"{entry.name}{copy}")}
        )
        return LaunchSpec(
            name=entry.name,
            command=entry.command,
            game=self._game,
            address=self._address,
            token=token,
            extra=seeded,
        )

    async def _launch(self, entry: Entry) -> None:
        bot = await self._launcher.launch(self._spec(entry, self._tokens[entry.name]))
        self._launched.append(bot)
        self.arena.processes.launched(entry.name, bot)
        bot.exited.add_done_callback(lambda _: self._exited(entry, bot))

    def _exited(self, entry: Entry, bot: LaunchedBot) -> None:
        if self._leaving:
            return
        ended = bot.exited.result()
        if ended.lost:
            self.arena.spoil(entry.name, LOST)
        again = ended.lost or self._restarts[entry.name] > 0
        told = f"exited with {ended}"
        if self._wanted[entry.name] > 0:
            then = "; it is started again" if again else ""
            self._told(f"bot {entry.name} {told}{then}; what it printed: {bot.output}")
        if again:
            self._restarts[entry.name] -= not ended.lost
            task = asyncio.create_task(self._relaunch(entry))
            self._restarting.add(task)
            task.add_done_callback(self._restarting.discard)
        else:
            self._give_up(entry, f"it {told}; what it printed: {bot.output}")

    async def _relaunch(self, entry: Entry) -> None:
        try:
            await self._launch(entry)
        except LaunchError as error:
            self._give_up(entry, str(error))

    def _give_up(self, entry: Entry, reason: str) -> None:
        self.gone.add(entry.name)
        self.arena.absent(entry.name, reason)


def _stop_if_called_off() -> None:
    """Raises where a cancelling came too late for the match before: it is meant for what follows, too."""
    task = asyncio.current_task()
    if task and task.cancelling():
        raise asyncio.CancelledError


def _by_key(bots: Iterable[Entry]) -> dict[str, Entry]:
    """Returns bots by all that they may be asked for by."""
    return {key: entry for entry in bots for key in (entry.bot_id, entry.name)}


def _bot_seed(seed: int, name: str) -> str:
    """Returns what a bot may seed its choices with; it does not show what the deals come from."""
    return hashlib.sha256(f"referee bot seed v1 {seed} {name}".encode()).hexdigest()
