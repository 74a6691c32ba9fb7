"""Opens a database and turns its troubles into one line each."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, insert, inspect, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from referee.errors import StoreError, UsageError
from referee.store.schema import META, METADATA, VERSION

_WAL_PATIENCE = 0.05
"""Seconds between two attempts to switch a new file to write-ahead logging."""


class Database:
    """A database with the tables of the store. One instance per process; threads may share it."""

    def __init__(self, where: str | Path, patience: float) -> None:
        self.url = _url(where)
        self.name = self.url.database or self.url.render_as_string(hide_password=True)
        self._patience = patience
        try:
            self._engine = self._connectable()
        except ModuleNotFoundError as error:
            raise StoreError(f"{self.name}: install the Python package {error.name} to use it") from None
        except (ArgumentError, NoSuchModuleError) as error:
            raise UsageError(f"{self.name}: no usable database URL: {error}") from None
        self._prepare()

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """Gives a connection that sees one state of the store throughout."""
        with self._explained(), self._engine.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """Gives a connection that is the only writer; all is kept at the end, or nothing on an error."""
        with self._explained(), self._engine.execution_options(write=True).begin() as connection:
            yield connection

    def close(self) -> None:
        """Closes the connections."""
        self._engine.dispose()

    def _connectable(self) -> Engine:
        if self.url.get_backend_name() != "sqlite":
            return create_engine(self.url)
        if self.url.database not in {None, "", ":memory:"}:
            with self._explained():
                Path(str(self.url.database)).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(self.url, connect_args={"timeout": self._patience})
        event.listen(engine, "connect", self._set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine

    def _set_up_sqlite(self, connection: Any, _record: object) -> None:
        connection.isolation_level = None  # `_begin_sqlite` begins transactions, not the driver
        connection.execute("PRAGMA foreign_keys=ON")
        give_up = time.monotonic() + self._patience
        while True:
            try:
                connection.execute("PRAGMA journal_mode=WAL")
            except connection.OperationalError as error:
                # SQLite does not wait by itself when two processes switch a new file at once.
                if "locked" not in str(error) or time.monotonic() > give_up:
                    raise
                time.sleep(_WAL_PATIENCE)
            else:
                return

    def _prepare(self) -> None:
        """Makes the tables in a new database; refuses one that a newer program made."""
        with self.reading() as connection:
            known = inspect(connection).has_table(META.name)
        if not known:
            with self.writing() as connection:
                METADATA.create_all(connection)
                if connection.execute(select(META.c.value)).first() is None:
                    connection.execute(insert(META).values(key="schema", value=str(VERSION)))
        with self.reading() as connection:
            found = connection.execute(select(META.c.value).where(META.c.key == "schema")).scalar()
        if found != str(VERSION):
            raise StoreError(
                f"{self.name}: the store has schema {found}, this program knows {VERSION};"
                " use a newer referee, or another data folder"
            )

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise StoreError(f"{self.name}: {_explain(str(error.orig))}") from None
        except SQLAlchemyError as error:
            raise StoreError(f"{self.name}: {_first_line(str(error))}") from None
        except OSError as error:
            raise StoreError(
                f"{error.filename}: {error.strerror}; choose another folder with --data"
            ) from None


_ADVICE = {
    "database is locked": "is locked by another process; try again when that has finished",
    "file is not a database": "is no database; move it away, then run `referee standings rebuild`",
    "malformed": "is damaged; move it away, then run `referee standings rebuild` and add the bots again",
    "unable to open": "cannot be opened; look at its folder and permissions, or use another --data",
    "readonly": "cannot be written; look at its permissions, or use another --data",
    "disk is full": "cannot be written: the disk is full; free some space",
}
"""What a person reads and can do, by what SQLite says."""


def _explain(said: str) -> str:
    for words, advice in _ADVICE.items():
        if words in said:
            return advice
    return _first_line(said)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _url(where: str | Path) -> URL:
    if isinstance(where, Path):
        return URL.create("sqlite", database=str(where))
    try:
        return make_url(where)
    except ArgumentError:
        # The text may hold a password and is not repeated.
        raise UsageError("the store needs a URL such as sqlite:////srv/arena/referee.db") from None


def _begin_sqlite(connection: Connection) -> None:
    """Begins at once with the write lock where it will write: a later upgrade could not wait for it."""
    write = connection.get_execution_options().get("write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
