"""Where a store is: its URL, and what it is called where a person reads it."""

from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from referee.errors import UsageError

_POSTGRESQL = frozenset({"postgresql", "postgres"})
_DRIVER = "postgresql+psycopg"


def url_of(where: str | Path) -> URL:
    """Returns the URL of a database, or of a SQLite file; raises `UsageError` for a text that is none."""
    if isinstance(where, Path):
        return URL.create("sqlite", database=str(where))
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        # The text may hold a password and is not repeated.
        raise UsageError(
            "the store needs a URL such as postgresql://user@host/name or sqlite:////srv/arena/referee.db"
        ) from None
    if url.get_backend_name() not in {*_POSTGRESQL, "sqlite"}:
        raise UsageError(
            f"{name_of(url)}: the store is in SQLite or PostgreSQL, not in {url.get_backend_name()}"
        )
    return url.set(drivername=_DRIVER) if url.drivername in _POSTGRESQL else url


def name_of(url: URL) -> str:
    """Returns what a store is called in messages: its file, or its URL without anything secret."""
    if url.get_backend_name() == "sqlite":
        return url.database or ":memory:"
    plain = url.set(drivername=url.get_backend_name(), query={})
    return URL.create(
        plain.drivername, plain.username, None, plain.host, plain.port, plain.database
    ).render_as_string()


def file_of(url: URL) -> Path | None:
    """Returns the file of a SQLite store, None for any other."""
    if url.get_backend_name() != "sqlite" or url.database in {None, "", ":memory:"}:
        return None
    return Path(str(url.database))
