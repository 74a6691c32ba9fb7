"""Makes the tables of a new store, and brings those of an older one to the present version.

A step brings a store from one version to the next; all that are needed run in the transaction of the
caller, so that a crash leaves the version that was there. What an older version did not keep of a
match is not made up: the rows are marked, and the next sync reads their logs again.
"""

from collections.abc import Callable

from sqlalchemy import Connection, insert, inspect, select, update

from referee.errors import StoreError
from referee.store.schema import META, METADATA, VERSION


def version(connection: Connection, name: str) -> int | None:
    """Returns the version of the store `name`, None where there is none yet.

    Raises `StoreError` for one that no program wrote.
    """
    if not inspect(connection).has_table(META.name):
        return None
    found = connection.execute(select(META.c.value).where(META.c.key == "schema")).scalar()
    if found is None:
        return None
    if not (found.isascii() and found.isdigit() and int(found[:9]) > 0):
        raise StoreError(
            f"{name}: is damaged: {found[:20]!r} is no schema of a store; move it away, then restore a backup"
            " with `referee store restore`, or run `referee standings rebuild` and add the bots again"
        )
    return int(found[:9])


def check(name: str, found: int) -> None:
    """Raises `StoreError` for the version of a newer program."""
    if found > VERSION:
        raise StoreError(
            f"{name}: the store has schema {found}, this program knows {VERSION};"
            " use a newer referee, or another data folder"
        )


def bring_up(connection: Connection, name: str) -> None:
    """Makes the tables of the store `name` what they are now, in the transaction of a writer."""
    found = version(connection, name)
    if found is None:
        METADATA.create_all(connection)
        connection.execute(insert(META).values(key="schema", value=str(VERSION)))
        return
    check(name, found)
    for step in _STEPS[found - 1 :]:
        step(connection)
    connection.execute(update(META).where(META.c.key == "schema").values(value=str(VERSION)))


def _add_conduct(connection: Connection) -> None:
    """Adds the tournament and the block of a match, and how its seats used their time."""
    for table, column in (
        ("results", "tournament VARCHAR NOT NULL DEFAULT ''"),
        ("results", "parts INTEGER NOT NULL DEFAULT 1"),
        ("results", "duration BIGINT NOT NULL DEFAULT 0"),
        ("result_seats", "cause VARCHAR NOT NULL DEFAULT ''"),
        ("result_seats", "turns INTEGER NOT NULL DEFAULT 0"),
        ("result_seats", "think BIGINT NOT NULL DEFAULT 0"),
        ("result_seats", "longest BIGINT NOT NULL DEFAULT 0"),
    ):
        connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {column}")
    connection.exec_driver_sql("CREATE INDEX ix_results_tournament ON results (tournament)")


def _add_reading(connection: Connection) -> None:
    """Adds what tells which logs have to be read again, and sorts texts as Python does."""
    connection.exec_driver_sql("ALTER TABLE results ADD COLUMN reading INTEGER NOT NULL DEFAULT 0")
    connection.exec_driver_sql("ALTER TABLE results ADD COLUMN stamp VARCHAR NOT NULL DEFAULT ''")
    connection.exec_driver_sql("CREATE INDEX ix_results_order ON results (created, match_id)")
    if connection.dialect.name != "postgresql":
        return
    for table, column in (
        ("results", "match_id"),
        ("result_seats", "match_id"),
        ("results", "pairing_id"),
        ("bots", "bot_id"),
    ):
        connection.exec_driver_sql(f'ALTER TABLE {table} ALTER COLUMN {column} TYPE VARCHAR COLLATE "C"')


_STEPS: tuple[Callable[[Connection], None], ...] = (_add_conduct, _add_reading)
"""The steps in order: the first one leads from version 1 to 2."""
