"""How connections are made and transactions begin, for each kind of database.

Either way a transaction that writes is the only one, and one that reads sees one state throughout.
"""

import math
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.pool import QueuePool

_WAL_PATIENCE = 0.05
"""Seconds between two attempts to switch a new file to write-ahead logging."""
_LOCK = 0x7265666572656500
"""The advisory lock of a database of PostgreSQL that a writer holds."""
_LEAST_WAIT = 2
"""Seconds that a server has to take a connection at the least."""


def engine_of(url: URL, patience: float) -> Engine:
    """Returns an engine; `patience` is how many seconds it waits for another writer."""
    match url.get_backend_name():
        case "sqlite":
            return _sqlite(url, patience)
        case "postgresql":
            return _postgresql(url, patience)
        case _:
            return create_engine(url)


def readers(file: Path, patience: float) -> Iterator[Engine]:
    """Yields engines that read a file of SQLite without writing anything, the first choice first."""
    yield _reader(file, "mode=ro", patience)
    journal = file.with_name(f"{file.name}-wal")
    if not journal.exists() or not journal.stat().st_size:
        # Nobody has it open to write who could do so, and nothing of it is elsewhere.
        yield _reader(file, "mode=ro&immutable=1", patience)


def _reader(file: Path, how: str, patience: float) -> Engine:
    where = f"file:{quote(str(file.absolute()))}?{how}"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            where, timeout=patience, isolation_level=None, check_same_thread=False, uri=True
        )

    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool)
    event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    # A writer takes the lock at once: a later upgrade could not wait for it.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if _writes(connection) else "BEGIN")


def _sqlite(url: URL, patience: float) -> Engine:
    engine = create_engine(url, connect_args={"timeout": patience})

    def set_up(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # `begin` begins transactions, not the driver
        connection.execute("PRAGMA foreign_keys=ON")
        give_up = time.monotonic() + patience
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

    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _postgresql(url: URL, patience: float) -> Engine:
    settings: dict[str, str | int] = {
        "application_name": "referee",
        "connect_timeout": max(_LEAST_WAIT, math.ceil(patience)),
        "tcp_user_timeout": max(_LEAST_WAIT, math.ceil(patience)) * 1000,
    }
    mine = {name: value for name, value in settings.items() if name not in url.query}
    engine = create_engine(url, connect_args=mine, pool_pre_ping=True)
    wait = max(1, round(patience * 1000))

    def begin(connection: Connection) -> None:
        if _writes(connection):
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {wait}")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        else:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    event.listen(engine, "begin", begin)
    return engine


def _writes(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get("write", False))
