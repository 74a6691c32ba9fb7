"""Opens a database, and gives transactions on it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from referee.errors import StoreError, StoreUnavailableError, UsageError
from referee.store import migrations
from referee.store.address import file_of, name_of, url_of
from referee.store.engines import engine_of
from referee.store.schema import VERSION
from referee.store.trouble import explained

_EXTRA = {"psycopg": "referee-arena[postgres]"}
"""What to install for a driver that is missing."""


class Database:
    """A database with the tables of the store. One instance per process; threads may share it."""

    def __init__(self, where: str | Path, patience: float) -> None:
        url = url_of(where)
        self.name = name_of(url)
        self.kind = url.get_backend_name()
        self.file = file_of(url)
        self._inode = 0
        if self.file is not None:
            with explained(self.name):
                self.file.parent.mkdir(parents=True, exist_ok=True)
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
        with explained(self.name), self._engine.begin() as connection:
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

    def _prepare(self) -> None:
        """Makes the tables, or brings them to this version; refuses those of a newer program."""
        with explained(self.name), self._engine.begin() as connection:
            found = migrations.version(connection)
        if found != VERSION:
            with explained(self.name), self._engine.execution_options(write=True).begin() as connection:
                migrations.bring_up(connection, self.name)
        self._inode = self._present()

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
            self._engine.dispose()
            self._prepare()

    def _present(self) -> int:
        try:
            return 0 if self.file is None else self.file.stat().st_ino
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise StoreUnavailableError(f"{self.name}: {error.strerror}") from None
