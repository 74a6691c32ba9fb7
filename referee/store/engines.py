"""How connections are made and transactions begin, for each kind of database.

Either way a transaction that writes is the only one, and one that reads sees one state throughout.
"""

import math
import time
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL

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

    def begin(connection: Connection) -> None:
        # A writer takes the lock at once: a later upgrade could not wait for it.
        connection.exec_driver_sql("BEGIN IMMEDIATE" if _writes(connection) else "BEGIN")

    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", begin)
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
