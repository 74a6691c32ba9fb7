"""What there is to tell of a store as a whole."""

from dataclasses import dataclass

from sqlalchemy import Connection, func, select, text

from referee.store.database import Database
from referee.store.schema import BOTS, READING, RESULTS, VERSION


@dataclass(frozen=True, slots=True)
class Info:
    """A store, and what it holds.

    Attributes:
        name: its file, or its URL without anything secret.
        kind: the kind of its database.
        schema: the version of its tables.
        unread: results of an older program that the next sync reads from their logs again.
        bots: registered bots, the revoked ones too.
        newest: when the last match that it knows of was made, in microseconds since the Unix epoch;
            None without any.
        size: its bytes on disk.
    """

    name: str
    kind: str
    schema: int
    results: int
    unread: int
    bots: int
    revoked: int
    newest: int | None
    size: int


def of(database: Database) -> Info:
    """Returns what there is to tell of a store."""
    with database.reading() as connection:
        results, newest = connection.execute(
            select(func.count(), func.max(RESULTS.c.created)).select_from(RESULTS)
        ).one()
        bots, revoked = connection.execute(select(func.count(), func.count(BOTS.c.revoked))).one()
        unread = select(func.count()).select_from(RESULTS).where(RESULTS.c.reading != READING)
        return Info(
            name=database.name,
            kind=database.kind,
            schema=VERSION,
            results=results,
            unread=connection.execute(unread).scalar_one(),
            bots=bots,
            revoked=revoked,
            newest=newest,
            size=_size(database, connection),
        )


def _size(database: Database, connection: Connection) -> int:
    if database.kind == "postgresql":
        return int(connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one())
    if database.file is None:
        return 0
    files = (database.file, database.file.with_name(f"{database.file.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
