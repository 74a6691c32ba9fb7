"""Writes the decisions of a ladder and keeps its ratings, on a thread of its own.

The event loop hands over what was decided and goes on; nobody's turn waits for the disk. What
somebody else decides meanwhile, as an operator at the command line, is found and told.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from referee.errors import LogBusyError, RefereeError
from referee.server.ladder.sitting import number_of
from referee.store.decision_log import DecisionLog, decisions_path
from referee.store.store import Store
from referee.tournament.decision import Accepted, Admitted, Decision, Opened, Rulings, Unplayed
from referee.tournament.house import is_house
from referee.tournament.rating import Rating, Ratings
from referee.tournament.result import COUNTED, MatchResult

Line = tuple[str, str, str]
"""A line of ratings: the game, the bot's id, and its version; house bots have none."""

_MOST_RATED: Final = 20_000
"""How many matches of late are rated at a start: those before them say little, and take time."""
RESTARTED: Final = "spoiled, and the server was started again before another attempt"


@dataclass(slots=True)
class Begun:
    """What there is of a ladder when a server starts.

    Attributes:
        last: the largest number of a pairing.
        rulings: who is away, and what was made void.
        versions: when each version of a bot was first seen, in microseconds since the epoch.
        left: pairings that have a void match, no decision, and were not tried again.
        news: what others decided while all that was read, in order; not yet in `rulings`.
    """

    last: int = 0
    rulings: Rulings = field(default_factory=Rulings)
    versions: dict[str, dict[str, int]] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    news: list[Decision] = field(default_factory=list)


class Keeper:
    """The decisions log and the ratings of the ladder `name` under a data root.

    `told` hears on the event loop of every decision that changes who may play, and `failed` of
    trouble with the file, after which nothing more is written.
    """

    def __init__(
        self,
        data: Path,
        name: str,
        told: Callable[[Decision], None],
        failed: Callable[[str], None],
    ) -> None:
        self._name = name
        self._log = DecisionLog(decisions_path(data, name))
        self._told = told
        self._failed = failed
        self._ratings: dict[str, Ratings[Line]] = {}
        self._thread = ThreadPoolExecutor(1, "ladder")
        self._waiting: SimpleQueue[Decision] = SimpleQueue()
        self._unwritten: list[Decision] = []
        """What has to wait until a file can be opened again."""
        self._loop = asyncio.get_running_loop()
        self._heard = 0
        """How many decisions were told."""
        self._problem = ""
        self._begun = False

    async def begin(
        self, opened: Opened, store: Store, house: frozenset[str], playing: frozenset[str]
    ) -> Begun:
        """Reads decisions and results, opens the log if it is new, and accepts what was left to accept.

        What was decided before is written after it. The pairings of `playing` are left to be decided.
        """
        begun = await self._loop.run_in_executor(self._thread, self._begin, opened, store, house, playing)
        # Only now: who takes what is returned hears of nothing before that.
        self._begun = True
        self._thread.submit(self._write_waiting)
        return begun

    def decide(self, *decisions: Decision) -> None:
        """Takes decisions that are written soon, in order."""
        for decision in decisions:
            self._waiting.put(decision)
        self._thread.submit(self._write_waiting)

    async def decided(self, *decisions: Decision) -> None:
        """Returns when decisions are on disk; raises `RefereeError` where they cannot be written."""
        await self._loop.run_in_executor(self._thread, self._append, decisions)

    def look(self) -> None:
        """Looks for what others decided, and writes what had to wait."""
        self._thread.submit(self._write_waiting)
        self._thread.submit(self._write, ())

    def rate(self, ranks: Mapping[Line, int]) -> None:
        """Takes the places of a match; all lines are of one game."""
        self._thread.submit(self._rate, dict(ranks))

    def rating(self, line: Line) -> Rating | None:
        """Returns the rating of a line, None before its first match."""
        ratings = self._ratings.get(line[0])
        return ratings.get(line) if ratings else None

    async def close(self) -> None:
        """Writes what waits."""
        await self._loop.run_in_executor(self._thread, self._write_waiting)
        self._thread.shutdown()

    # On the thread

    def _begin(self, opened: Opened, store: Store, house: frozenset[str], playing: frozenset[str]) -> Begun:
        begun, decided = Begun(), set[str]()
        for decision in self._log.read():
            if isinstance(decision, Accepted | Unplayed):
                decided.add(decision.pairing_id)
            elif isinstance(decision, Admitted):
                _saw(begun, decision.bot, decision.version, decision.at)
            else:
                begun.rulings.take(decision)
        self._heard = self._log.count
        if not self._log.count:
            self._log.append(opened)
        left = []
        lately: deque[MatchResult] = deque(maxlen=_MOST_RATED)
        for result in store.each_result(tournament=self._name):
            _see(begun, result, house)
            if result.termination in COUNTED and _counts(begun.rulings, result):
                lately.append(result)
            if result.pairing_id not in decided and result.pairing_id not in playing:
                left.append(result)
        for result in lately:
            self._rate({line(result.game, s.bot, s.version, house): s.rank for s in result.seats})
        self._log.append(*_accept_left(opened.at, left, decided, begun.left))
        begun.last = max(map(number_of, decided | begun.left), default=0)
        begun.news = self._news()
        return begun

    def _rate(self, ranks: Mapping[Line, int]) -> None:
        game = next(iter(ranks))[0]
        self._ratings.setdefault(game, Ratings(_holds_the_scale)).rate(ranks)

    def _write_waiting(self) -> None:
        """Writes all that waits at once: after the first of many jobs the others find nothing."""
        if not self._begun:
            return  # the log may have no first line yet
        while not self._waiting.empty():
            self._unwritten.append(self._waiting.get())
        if self._unwritten and self._write(tuple(self._unwritten)):
            self._unwritten.clear()

    def _write(self, decisions: Sequence[Decision]) -> bool:
        """Says whether it did; where no file can be opened now it may do so later."""
        if self._problem:
            return False
        try:
            self._append(decisions)
        except LogBusyError:
            return False
        except RefereeError as error:
            self._problem = str(error)
            self._loop.call_soon_threadsafe(self._failed, self._problem)
            return False
        return True

    def _append(self, decisions: Sequence[Decision]) -> None:
        self._log.append(*decisions)
        with suppress(LogBusyError):  # what is on disk is told the next time
            for decision in self._news():
                self._loop.call_soon_threadsafe(self._told, decision)

    def _news(self) -> list[Decision]:
        """Returns what was decided since the last look, as far as it changes who may play."""
        news = self._log.since(self._heard)
        self._heard = self._log.count
        self._log.forget()
        return [one for one in news if not isinstance(one, Accepted | Unplayed | Admitted | Opened)]


def line(game: str, bot: str, version: str, house: Iterable[str]) -> Line:
    """Returns the line of ratings of a bot: a new version begins a new one, that of a house bot does not."""
    return game, bot, "" if bot in house else version


def _holds_the_scale(line: Line) -> bool:
    return is_house(line[1])


def _accept_left(
    at: int, results: Iterable[MatchResult], decided: set[str], left: set[str]
) -> Iterator[Accepted]:
    """Yields what a crash kept from being accepted; `left` gets the pairings with spoiled matches only."""
    for result in results:
        name = result.pairing_id
        if name in decided or not number_of(name):
            continue
        if result.termination in COUNTED:
            decided.add(name)
            left.discard(name)
            yield Accepted(at=at, pairing_id=name, attempt=result.attempt, match_ids=(result.match_id,))
        else:
            left.add(name)


def _counts(rulings: Rulings, result: MatchResult) -> bool:
    gone = rulings.disqualified
    return (
        result.rated
        and result.match_id not in rulings.voided
        and not any(s.bot in gone for s in result.seats)
    )


def _see(begun: Begun, result: MatchResult, house: frozenset[str]) -> None:
    for seat in result.seats:
        if seat.bot not in house:
            _saw(begun, seat.bot, seat.version, result.created)


def _saw(begun: Begun, bot: str, version: str, at: int) -> None:
    versions = begun.versions.setdefault(bot, {})
    versions[version] = min(at, versions.get(version, at))
