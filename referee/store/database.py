"""Opens a database, and gives transactions on it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from referee.errors import StoreError, StoreUnavailableError, StoreUnwritableError, UsageError
from referee.replay.opening import IRREGULAR
from referee.store import migrations
from referee.store.address import file_of, name_of, url_of
from referee.store.engines import engine_of, readers
from referee.store.schema import VERSION
from referee.store.trouble import explained

_EXTRA = {"psycopg": "referee-arena[postgres]"}
"""What to install for a driver that is missing."""


class Database:
    """A database with the tables of the store. One instance per process; threads may share it.

    A file of SQLite that cannot be written, on a full disk or in a folder for reading only, is read
    as it is; each use looks whether that is over.
    """

    def __init__(self, where: str | Path, patience: float, name: str = "") -> None:
        url = url_of(where)
        self.name = name or name_of(url)
        self.kind = url.get_backend_name()
        self.file = file_of(url)
        self._patience = patience
        self._inode = 0
        self._reader: Engine | None = None
        if self.file is not None:
            with explained(self.name):
                self.file.parent.mkdir(parents=True, exist_ok=True)
            if self.file.exists() and not self.file.is_file():  # of a pipe SQLite would wait for an end
                raise UsageError(f"{self.name}: {IRREGULAR}; name another database with --store")
        try:
            self._engine: Engine = engine_of(url, patience)
        except ModuleNotFoundError as error:
            package = _EXTRA.get(error.name or "", error.name)
            raise StoreError(f"{self.name}: install the Python package {package!r} to use it") from None
        except (ArgumentError, NoSuchModuleError) as error:
            raise UsageError(f"{self.name}: no usable database URL: {error}") from None
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """Gives a connection that sees one state of the store throughout."""
        self._look()
        with explained(self.name), (self._reader or self._engine).begin() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """Gives a connection that is the only writer; all is kept at the end, or nothing on an error."""
        self._look()
        with explained(self.name), self._engine.execution_options(write=True).begin() as connection:
            yield connection

    def close(self) -> None:
        """Closes the connections."""
        self._engine.dispose()
        if self._reader:
            self._reader.dispose()

    def _prepare(self) -> None:
        """Opens the database to write, or else to read."""
        try:
            self._make_ready()
        except StoreUnwritableError as error:
            self._reader = self._to_read(error)
        self._inode = self._present()

    def _make_ready(self) -> None:
        """Makes the tables, or brings them to this version; refuses those of a newer program."""
        with explained(self.name), self._engine.begin() as connection:
            found = migrations.version(connection, self.name)
        if found != VERSION:
            with explained(self.name), self._engine.execution_options(write=True).begin() as connection:
                migrations.bring_up(connection, self.name)

    def _to_read(self, error: StoreUnwritableError) -> Engine:
        """Returns an engine that reads a file, or raises `error`, which says why it cannot be written."""
        if self.file is None or not self._present():
            raise error
        for engine in readers(self.file, self._patience):
            try:
                with explained(self.name), engine.begin() as connection:
                    found = migrations.version(connection, self.name)
            except StoreUnavailableError:
                engine.dispose()
                continue
            if found == VERSION:
                return engine
            engine.dispose()
            if found is None:
                raise error
            migrations.check(self.name, found)
            raise StoreUnavailableError(
                f"{self.name}: is of an older referee, and cannot be brought up to this one while it cannot"
                " be written; copy its folder to where it can"
            )
        raise error

    def _look(self) -> None:
        """Sees that the file is still there: a connection to one that was removed writes to nowhere."""
        if self.file is None:
            return
        inode = self._present()
        if not inode:
            raise StoreUnavailableError(
                f"{self.name}: was removed while in use; put it back with `referee store restore`,"
                " or start again to make a new one"
            )
        if inode != self._inode:
            self.close()
            self._reader = None
            self._prepare()
        elif self._reader:
            with contextlib.suppress(StoreUnwritableError):
                self._make_ready()
                self._reader = None

    def _present(self) -> int:
        try:
            return 0 if self.file is None else self.file.stat().st_ino
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise StoreUnavailableError(f"{self.name}: {error.strerror}") from None
