"""How long a bot thinks: what its turns took in its last matches, read from their logs."""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

from referee.errors import RecordError
from referee.match import events as ev
from referee.replay.reader import read
from referee.web.sources import NotShown, Sources

MATCHES: Final = 20
"""How many matches are looked at."""
EDGES: Final = (0, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
"""Where the bins begin, in microseconds; the last one has no end."""
_NAMES: Final = ("0", "1 ms", "3 ms", "10 ms", "30 ms", "100 ms", "300 ms", "1 s", "3 s", "10 s")
_KEPT: Final = 5_000
"""Of how many matches it is kept what was read."""
_LIMIT: Final = 2.0
"""For how many seconds logs are read at the most; what is left is read when somebody asks again."""

Bins = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Thought:
    """How many turns took how long; `matches` are those that were looked at, of `wanted`."""

    bins: Sequence[tuple[str, int]] = ()
    matches: int = 0
    wanted: int = 0
    words: Sequence[tuple[str, int]] = field(default=())

    @property
    def turns(self) -> int:
        """How many turns there were."""
        return sum(count for _, count in self.bins)


class Thinking:
    """Keeps what was read; logs are read one after another, on a thread."""

    def __init__(self, sources: Sources, reading: asyncio.Semaphore) -> None:
        self._sources = sources
        self._reading = reading
        self._kept: OrderedDict[str, Mapping[str, Bins]] = OrderedDict()

    async def of(self, bot: str, match_ids: Sequence[str]) -> Thought:
        """Returns how long a bot thought in matches that have ended."""
        wanted = match_ids[:MATCHES]
        missing = {}
        for match_id in wanted:
            if match_id not in self._kept:
                try:
                    missing[match_id] = self._sources.log(match_id)
                except NotShown:
                    continue
        if missing:
            async with self._reading:
                self._keep(await asyncio.to_thread(_read_all, missing))
        found = [self._kept[match_id] for match_id in wanted if match_id in self._kept]
        bins = [sum(column) for column in zip(*(one[bot] for one in found if bot in one), strict=True)]
        names = [*(f"{low} to {high}" for low, high in pairwise(_NAMES)), f"{_NAMES[-1]} or more"]
        return Thought(
            bins=tuple(zip(_NAMES, bins, strict=False)),
            matches=len(found),
            wanted=len(wanted),
            words=tuple(zip(names, bins, strict=False)),
        )

    def _keep(self, found: Mapping[str, Mapping[str, Bins]]) -> None:
        self._kept.update(found)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)


def _read_all(logs: Mapping[str, Path]) -> dict[str, Mapping[str, Bins]]:
    end = time.monotonic() + _LIMIT
    found: dict[str, Mapping[str, Bins]] = {}
    for match_id, path in logs.items():
        if time.monotonic() > end:
            break
        try:
            found[match_id] = _bins(path)
        except RecordError:
            continue  # it tells nothing, and `referee replay verify` says why
    return found


def _bins(path: Path) -> Mapping[str, Bins]:
    """Returns for each bot of a match how many of its turns fall into each bin."""
    log = read(path)
    counts: dict[str, Counter[int]] = {seat.bot: Counter() for seat in log.setup.seats}
    for record in log.records:
        match record:
            case ev.Act(seat=seat, think=think):
                pass
            case ev.Default(seat=seat, think=think, cause=cause) if cause != "forfeited":
                pass
            case _:
                continue
        counts[log.setup.seats[seat].bot][sum(edge <= think for edge in EDGES) - 1] += 1
    return {bot: tuple(found[number] for number in range(len(EDGES))) for bot, found in counts.items()}
