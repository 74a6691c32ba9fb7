"""Reads finished matches for those who step through them, one after another and with pauses.

What is read and drawn takes time from the matches that are played: it is done on a thread, by one
at a time, and while matches are played a rest follows that is longer than the work was.
"""

import asyncio
import gzip
import time
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import msgspec

from referee.errors import RecordError
from referee.replay import packs
from referee.replay.reader import read
from referee.replay.verify import Verdict, verify
from referee.web.sources import NotShown, Sources
from referee.web.viewer.film import LONGEST, Film, TooLongError
from referee.web.viewer.kept import Kept
from referee.web.viewer.scene import of_film

if TYPE_CHECKING:
    from referee.web.viewer.scene import Scene

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

CHUNK: Final = 16
"""How many positions are drawn and sent at once."""
BIGGEST: Final = 64 * 1024 * 1024
"""Bytes of a log that is read here."""
WAITING: Final = 64
"""The most requests that wait for their turn."""
SHARE: Final = 9
"""While matches are played a piece of work is followed by a rest of so many times as long as it took."""
_FILMS: Final = 4 * LONGEST
"""Positions of matches that are kept in memory: some 200 MB at most, and far less as a rule."""
_CHUNKS: Final = 32 * 1024 * 1024
"""Bytes of drawn positions, compressed, that are kept in memory."""
_VERDICTS: Final = 1000
"""How many verdicts are kept."""

_LONG: Final = "this match is too long to be shown here: download its log, and use `referee replay`"
_DAMAGED: Final = "the log of this match is no longer whole"
_BUSY: Final = "too many want to see a match at this moment; come back in a while"


class Checked(NamedTuple):
    """What came of playing a log again, and the hash of its last line."""

    verdict: Verdict
    last_hash: str


class Projector:
    """Matches as they are stepped through, for all who do so."""

    def __init__(self, sources: Sources, reading: asyncio.Semaphore) -> None:
        self._sources = sources
        self._reading = reading
        self._waiting = 0
        self._films: Kept[str, Film] = Kept(_FILMS)
        self._chunks: Kept[tuple[str, int, str, int], bytes] = Kept(_CHUNKS)
        self._verdicts: Kept[str, Checked] = Kept(_VERDICTS)

    async def film(self, match_id: str) -> Film:
        """Returns a match that has ended and may be shown; raises `NotShown` for any other."""
        path = await self.path(match_id)
        return await self._kept(self._films, match_id, lambda: _film(path), lambda film: film.size)

    async def chunk(
        self, match_id: str, viewer: int, size: str, number: int, render: "Callable[[Scene], str]"
    ) -> bytes:
        """Returns chunk `number` of the positions of a match, as JSON that is compressed by gzip."""
        film = await self.film(match_id)
        key = match_id, viewer, size, number
        return await self._kept(
            self._chunks, key, lambda: _chunk(film, viewer, size, number * CHUNK, render), len
        )

    async def check(self, match_id: str) -> Checked:
        """Plays a match again; raises `NotShown` for one that may not be read."""
        path = await self.path(match_id)
        return await self._kept(self._verdicts, match_id, lambda: _checked(path), lambda _: 1)

    async def path(self, match_id: str) -> Path:
        """Returns the log of a match; raises `NotShown` for one that may not be read."""
        return await asyncio.to_thread(self._sources.log, match_id)

    async def work(self, work: Callable[[], T]) -> T:
        """Does a piece of work on a thread, in turn; raises `NotShown` where too many wait."""
        await self._turn()
        return await self._work(work)

    async def _kept(self, kept: Kept[K, T], key: K, make: Callable[[], T], weigh: Callable[[T], int]) -> T:
        """Returns what is kept, or makes it and keeps it; two who ask for the same have it made once."""
        found = kept.get(key)
        if found is None:
            await self._turn()
            found = kept.get(key)
            if found is not None:
                self._reading.release()
                return found
            found = await self._work(make)
            kept.put(key, found, weigh(found))
        return found

    async def _turn(self) -> None:
        if self._waiting >= WAITING:
            raise NotShown(503, _BUSY)
        self._waiting += 1
        try:
            await self._reading.acquire()
        finally:
            self._waiting -= 1

    async def _work(self, work: Callable[[], T]) -> T:
        task = asyncio.ensure_future(asyncio.to_thread(_timed, work))
        task.add_done_callback(self._release)
        return (await asyncio.shield(task))[0]

    def _release(self, task: "asyncio.Future[tuple[T, float]]") -> None:
        """Lets the next one begin, after a rest where matches are played."""
        failed = task.cancelled() or task.exception() is not None
        rest = SHARE * task.result()[1] if not failed and self._sources.busy else 0
        asyncio.get_running_loop().call_later(rest, self._reading.release)


def _chunk(film: Film, viewer: int, size: str, first: int, render: "Callable[[Scene], str]") -> bytes:
    shots = film.shots(viewer)
    drawn = []
    for place in range(first, min(first + CHUNK, len(shots))):
        scene = of_film(film, viewer, place, size)
        drawn.append({"n": shots[place].frame.n, "told": " ".join(scene.told), "html": render(scene)})
    return gzip.compress(msgspec.json.encode({"first": first, "frames": drawn}), 5, mtime=0)


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    began = time.thread_time()
    return work(), time.thread_time() - began


def _film(path: Path) -> Film:
    try:
        _small(path)
        return Film(path)
    except TooLongError:
        raise NotShown(413, _LONG) from None
    except (RecordError, OSError):
        raise NotShown(500, _DAMAGED) from None


def _checked(path: Path) -> Checked:
    try:
        _small(path)
        log = read(path)
    except RecordError as error:
        where = f"line {error.line}: " if error.line else ""
        return Checked(Verdict(ok=False, records=0, problem=f"{where}{error.problem}"), "")
    return Checked(verify(log), log.last_hash)


def _small(path: Path) -> None:
    """Raises `NotShown` for a log that is too big to be read here."""
    with packs.open_log(path) as file:
        if file.seek(0, 2) > BIGGEST:
            raise NotShown(413, _LONG)
