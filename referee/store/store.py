"""The store as the rest of the program uses it."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from referee.store import backup, bots, indexing, info, results
from referee.store.backup import Counts
from referee.store.bots import Bot
from referee.store.choice import Choice
from referee.store.database import Database
from referee.store.indexing import Report
from referee.store.info import Info
from referee.store.results import Version
from referee.tournament.result import MatchResult

FILE = "referee.db"
"""The store's file under the data root."""


class Store:
    """The index of results and the register of bots; several processes may use it at once.

    Every method raises `StoreError` when the database cannot be used.
    """

    def __init__(self, database: Database, data: Path | None = None) -> None:
        self._database = database
        self._data = data

    @classmethod
    def open(cls, where: str | Path, patience: float = 10.0, data: Path | None = None) -> Self:
        """Opens a database by SQLAlchemy URL or SQLite file, and makes it if it is not there.

        `patience` is how many seconds it waits for another process that writes. Under `data` lie the
        decisions that `add_result` looks at.
        """
        return cls(Database(where, patience), data)

    @classmethod
    def under(cls, data: Path, url: str | None = None) -> Self:
        """Opens the store of a data root: the database `url`, or the file that lies there."""
        return cls.open(url or data / FILE, data=data)

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
            return results.put(connection, result, Choice(self._data))

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
        run: str | None = None,
        bot: str | None = None,
    ) -> list[MatchResult]:
        """Returns a page of at most `limit` results, the newest match first.

        `after` is the `MatchResult.order` of the last one of the page before. All, or those of a
        tournament, of a game, of the pairings `<run>/...`, or in which the bot with the id `bot` had a
        seat.
        """
        with self._database.reading() as connection:
            return results.page(connection, results.wanted(tournament, game, run, bot), after, limit)

    def versions(self, bot: str) -> list[Version]:
        """Returns the versions of a bot by its id, the earliest first."""
        with self._database.reading() as connection:
            return results.versions(connection, bot)

    def match_ids(self, part: str, limit: int) -> list[str]:
        """Returns at most `limit` ids of matches with results in which a text occurs, the newest first."""
        with self._database.reading() as connection:
            return results.match_ids_with(connection, part, limit)

    def bots_called(self, name: str) -> list[str]:
        """Returns the ids of the bots with results that are called so, or have it as their id; sorted."""
        with self._database.reading() as connection:
            return results.bots_called(connection, name)

    def series(self) -> set[str]:
        """Returns the tournaments, ladders and runs of which there are results."""
        with self._database.reading() as connection:
            return results.series(connection)

    def count(self) -> int:
        """Returns how many results there are."""
        with self._database.reading() as connection:
            return results.count(connection)

    def fingerprint(self) -> tuple[int, ...]:
        """Returns numbers that change with the results that there are."""
        with self._database.reading() as connection:
            return results.fingerprint(connection)

    def sync(self, root: Path) -> Report:
        """Adds the results of finished logs under the data root that are not in the index yet.

        A crash between the end of a log and the update of the index loses nothing: this finds it.
        Of the other logs the last line is read: one that differs from what was kept is refused.
        """
        return indexing.sync(self._database, root)

    def rebuild(self, root: Path) -> Report:
        """Drops all results and fills the index from the finished logs under the data root.

        Others see the old results until the new ones are complete. A log that was changed since its
        result was kept is refused: its result stays, as it does in `sync`.
        """
        return indexing.rebuild(self._database, root)

    def backup(self, file: Path) -> Counts:
        """Copies the store, as it is at one moment, into a new SQLite file; others may write meanwhile."""
        return backup.write(self._database, file)

    @staticmethod
    def restore(file: Path, data: Path, url: str | None = None, *, replace: bool = False) -> Counts:
        """Makes the store of a data root what a backup is; it must be empty unless `replace`."""
        return backup.restore(file, url or data / FILE, replace=replace)

    def info(self) -> Info:
        """Returns what there is to tell of the store as a whole."""
        return info.of(self._database)

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
