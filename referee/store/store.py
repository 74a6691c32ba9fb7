"""The store as the rest of the program uses it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Connection

from referee.errors import RecordError, StoreError
from referee.replay.reader import last_hash, scan
from referee.store import bots, results
from referee.store.bots import Bot
from referee.store.database import Database
from referee.store.log_result import read_result
from referee.tournament.result import MatchResult

FILE = "referee.db"
"""The store's file under the data root."""

_BATCH = 100
"""How many results go into one transaction; other writers wait no longer than that."""


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


class Store:
    """The index of results and the register of bots; several processes may use it at once.

    Every method raises `StoreError` when the database cannot be used.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, where: str | Path, patience: float = 10.0) -> Self:
        """Opens a database by SQLAlchemy URL or SQLite file, and makes it if it is not there.

        `patience` is how many seconds it waits for another process that writes.
        """
        return cls(Database(where, patience))

    @classmethod
    def under(cls, data: Path, url: str | None = None) -> Self:
        """Opens the store of a data root: the database `url`, or the file that lies there."""
        return cls.open(url or data / FILE)

    @staticmethod
    def exists(data: Path, url: str | None = None) -> bool:
        """Says whether `under` would open a store that somebody made, and not make one."""
        return bool(url) or (data / FILE).exists()

    def close(self) -> None:
        """Closes the connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add_result(self, result: MatchResult) -> bool:
        """Keeps a result and says whether it is new; see `results.put` for what is refused."""
        with self._database.writing() as connection:
            return results.put(connection, result)

    def results(
        self, *, tournament: str | None = None, game: str | None = None, run: str | None = None
    ) -> list[MatchResult]:
        """Returns all results that `each_result` does."""
        return list(self.each_result(tournament=tournament, game=game, run=run))

    def each_result(
        self, *, tournament: str | None = None, game: str | None = None, run: str | None = None
    ) -> Iterator[MatchResult]:
        """Returns results in the order of folding, read as they are asked for, of one state of the store.

        All, or those of a tournament, of a game, or of the pairings `<run>/...`.
        """
        with self._database.reading() as connection:
            yield from results.fetch(connection, results.wanted(tournament, game, run))

    def result(self, match_id: str) -> MatchResult | None:
        """Returns the result of a match, or None while there is none."""
        with self._database.reading() as connection:
            return results.one(connection, match_id)

    def matches(
        self,
        *,
        limit: int,
        after: tuple[int, str] | None = None,
        tournament: str | None = None,
        game: str | None = None,
        bot: str | None = None,
    ) -> list[MatchResult]:
        """Returns a page of at most `limit` results, the newest match first.

        `after` is the `MatchResult.order` of the last one of the page before. All, or those of a
        tournament, of a game, or in which the bot with the id `bot` had a seat.
        """
        with self._database.reading() as connection:
            return results.page(connection, results.wanted(tournament, game, bot=bot), after, limit)

    def count(self) -> int:
        """Returns how many results there are."""
        with self._database.reading() as connection:
            return results.count(connection)

    def sync(self, root: Path) -> Report:
        """Adds the results of finished logs under the data root that are not in the index yet.

        A crash between the end of a log and the update of the index loses nothing: this finds it.
        Of the other logs the last line is read: one that differs from what was kept is refused.
        """
        with self._database.reading() as connection:
            known = results.logs(connection)
        refused: dict[str, str] = {}
        fresh = (path for path in scan(root) if _is_fresh(root, path, known, refused))
        added = 0
        for batch in _batches(_read(root, fresh, refused)):
            with self._database.writing() as connection:
                added += _put(connection, batch, refused)
        return Report(added, 0, tuple(refused.values()))

    def rebuild(self, root: Path) -> Report:
        """Drops all results and fills the index from the finished logs under the data root.

        Others see the old results until the new ones are complete. A log that was changed since its
        result was kept is refused: its result stays, as it does in `sync`.
        """
        refused: dict[str, str] = {}
        paths = list(scan(root))
        fresh = list(_read(root, paths, refused))
        with self._database.writing() as connection:
            before = results.match_ids(connection)
            stay = _unproved(results.fetch(connection), paths, fresh)
            results.clear(connection)
            _put(connection, stay, refused)
            _put(connection, fresh, refused)
            refused |= {result.log: str(results.changed(result.log)) for result in stay}
            after = results.match_ids(connection)
        late = self.sync(root)
        added = len(after - before) + late.added
        return Report(added, len(before - after), tuple(dict.fromkeys([*refused.values(), *late.refused])))

    def add_bot(self, name: str, owner: str = "") -> str:
        """Registers a bot and returns its token, once; without an owner it is its own."""
        with self._database.writing() as connection:
            return bots.add(connection, name, owner)

    def bot_by_token(self, token: str) -> Bot | None:
        """Returns the bot that may play with a token; None for an unknown or revoked one."""
        with self._database.reading() as connection:
            return bots.by_token(connection, token)

    def list_bots(self) -> list[Bot]:
        """Returns all bots by name, the revoked ones too."""
        with self._database.reading() as connection:
            return bots.every(connection)

    def revoke_bot(self, name: str) -> Bot:
        """Makes the token of a bot worthless; raises `UsageError` for an unknown name."""
        with self._database.writing() as connection:
            return bots.revoke(connection, name)


def _is_fresh(root: Path, path: Path, known: Mapping[str, str], refused: dict[str, str]) -> bool:
    """Says whether a log is not kept yet; names it if it is and was changed."""
    name = path.relative_to(root).as_posix()
    if name not in known:
        return True
    try:
        if last_hash(path) != known[name]:
            refused[name] = str(results.changed(name))
    except RecordError as error:
        refused[name] = str(error)
    return False


def _unproved(
    kept: Iterable[MatchResult], paths: Iterable[Path], fresh: Iterable[MatchResult]
) -> list[MatchResult]:
    """Returns the kept results whose logs are there, and do not end any more as they did."""
    there = {path.stem for path in paths}
    ends = {result.match_id: result.last_hash for result in fresh}
    return [
        result
        for result in kept
        if result.match_id in there and result.last_hash and ends.get(result.match_id) != result.last_hash
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


def _put(connection: Connection, fresh: Iterable[MatchResult], refused: dict[str, str]) -> int:
    added = 0
    for result in fresh:
        try:
            added += results.put(connection, result)
        except (RecordError, StoreError) as error:
            refused[result.log] = str(error)
    return added
