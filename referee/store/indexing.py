"""Fills the index of results from the replay logs, which are the truth."""

import time
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sqlalchemy import Connection

from referee.errors import RecordError, StoreError, StoreUnavailableError
from referee.replay import packs
from referee.replay.reader import FINISHED, days, last_hash, logs_in
from referee.store import results
from referee.store.choice import Choice
from referee.store.database import Database
from referee.store.log_result import read_result
from referee.store.results import Known
from referee.store.schema import READING
from referee.tournament.result import MatchResult

_BATCH = 100
"""How many results go into one transaction; other writers wait no longer than that."""
SETTLED = 2_000_000_000
"""Nanoseconds after which a further change of a file is sure to show in its times."""


@dataclass(frozen=True, slots=True)
class Report:
    """What came of reading logs.

    Attributes:
        added: how many results are new.
        dropped: how many results are gone because their logs are.
        refused: one line for each log that was left out.
    """

    added: int
    dropped: int
    refused: tuple[str, ...]


def sync(database: Database, root: Path) -> Report:
    """Adds the results of finished logs under a data root that are not in the index yet.

    Of the other logs the last line is read, unless the file is by its size and times the one whose
    last line was read before.
    """
    with database.reading() as connection:
        known = results.logs(connection)
    look, choice = _Look(root, known), Choice(root)
    added = 0
    for batch in _batches(_read(root, look.fresh(), look.refused)):
        with database.writing() as connection:
            added += _put(connection, batch, choice, look.refused)
    look.remember(database)
    return Report(added, 0, tuple((look.refused | choice.left_out).values()))


def rebuild(database: Database, root: Path) -> Report:
    """Drops all results and fills the index from the finished logs under a data root.

    Others see the old results until the new ones are complete. A log that was changed since its
    result was kept is refused: its result stays, as it does in `sync`.
    """
    refused: dict[str, str] = {}
    paths = list(_found(root, refused))
    lost = {path.rpartition("/")[0] for path in refused}
    fresh = list(_read(root, paths, refused))
    with database.writing() as connection:
        before = results.match_ids(connection)
        stay = _unproved(results.fetch(connection), paths, fresh, lost)
        results.clear(connection)
        choice = Choice(root)
        _put(connection, stay, choice, refused)
        _put(connection, fresh, choice, refused)
        refused |= {result.log: str(results.changed(result.log)) for result in stay}
        after = results.match_ids(connection)
    late = sync(database, root)
    added = len(after - before) + late.added
    return Report(added, len(before - after), tuple(dict.fromkeys([*refused.values(), *late.refused])))


class _Look:
    """One look through the logs: which have to be read, and which were changed."""

    def __init__(self, root: Path, known: Mapping[str, Known]) -> None:
        self.refused: dict[str, str] = {}
        self._root = root
        self._known = known
        self._stamps: dict[str, str] = {}

    def fresh(self) -> Iterator[Path]:
        """Returns the logs that are not kept yet, or were read by a program that read less of them."""
        for path in _found(self._root, self.refused):
            name = path.relative_to(self._root).as_posix()
            known = self._known.get(name)
            if known is None or (self._unchanged(path, name, known) and known.reading != READING):
                yield path

    def remember(self, database: Database) -> None:
        """Keeps which files need no second look as long as they are not touched.

        That only saves time, so a store that cannot be written now is no error.
        """
        stamps = iter(self._stamps.items())
        try:
            while batch := list(islice(stamps, _BATCH)):
                with database.writing() as connection:
                    results.put_stamps(connection, batch)
        except StoreUnavailableError:
            return

    def _unchanged(self, path: Path, name: str, known: Known) -> bool:
        try:
            stamp = _stamp(path)
            if stamp and stamp == known.stamp:
                return True
            if last_hash(path) == known.last_hash:
                self._stamps |= {known.match_id: stamp} if stamp else {}
                return True
            self.refused[name] = str(results.changed(name))
        except RecordError as error:
            self.refused[name] = str(error)
        return False


def _stamp(path: Path) -> str:
    """Returns what changes whenever a file does; nothing while a change might not show yet."""
    try:
        status = packs.status(path)
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from None
    if time.time_ns() - status.st_ctime_ns < SETTLED:
        return ""
    return f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"


def _found(root: Path, refused: dict[str, str]) -> Iterator[Path]:
    """Returns all finished logs; a day whose pack cannot be read hides no other."""
    for day in days(root):
        try:
            yield from logs_in(day)
        except RecordError as error:
            refused[(day / packs.PACK).relative_to(root).as_posix()] = f"{error}; its matches are left out"
            yield from sorted(day.glob(f"*{FINISHED}"))


def _unproved(
    kept: Iterable[MatchResult], paths: Iterable[Path], fresh: Iterable[MatchResult], lost: AbstractSet[str]
) -> list[MatchResult]:
    """Returns the kept results whose logs are there, and do not end any more as they did.

    `lost` are the days of which a pack cannot be read: nobody can tell what is there.
    """
    there = {path.stem for path in paths}
    ends = {result.match_id: result.last_hash for result in fresh}
    return [
        result
        for result in kept
        if (result.match_id in there or result.log.rpartition("/")[0] in lost)
        and result.last_hash
        and ends.get(result.match_id) != result.last_hash
    ]


def _batches(fresh: Iterator[MatchResult]) -> Iterator[list[MatchResult]]:
    while batch := list(islice(fresh, _BATCH)):
        yield batch


def _read(root: Path, paths: Iterable[Path], refused: dict[str, str]) -> Iterator[MatchResult]:
    for path in paths:
        try:
            yield read_result(root, path)
        except RecordError as error:
            refused[path.relative_to(root).as_posix()] = str(error)


def _put(
    connection: Connection, fresh: Iterable[MatchResult], choice: Choice, refused: dict[str, str]
) -> int:
    added = 0
    for result in fresh:
        try:
            added += results.put(connection, result, choice)
        except (RecordError, StoreError) as error:
            refused[result.log] = str(error)
    return added
