"""Turns what a database says of its troubles into one line that a person can act on."""

import contextlib
from collections.abc import Iterator

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from referee.errors import StoreUnavailableError

_SQLITE = {
    "database is locked": "is locked by another process; try again when that has finished",
    "file is not a database": "is no database; move it away, then run `referee standings rebuild`",
    "malformed": "is damaged; move it away, then restore a backup with `referee store restore`, or run"
    " `referee standings rebuild` and add the bots again",
    "unable to open": "cannot be opened; look at its folder and permissions, or use another --data",
    "readonly": "cannot be written; look at its permissions, or use another --data",
    "disk is full": "cannot be written: the disk is full; free some space",
}
"""What a person reads and can do, by what SQLite says."""

_POSTGRESQL = {
    "55P03": "is locked by another process; try again when that has finished",
    "25006": "cannot be written: it is read-only; look at the settings of its server",
    "53100": "cannot be written: the disk of its server is full; free some space there",
    "53300": "has too many connections; raise max_connections of its server",
    "42501": "refuses its user; grant that user all rights on the schema",
}
"""The same by the SQLSTATE of PostgreSQL."""
_GONE = ("08", "57P")
"""How a SQLSTATE begins of a server that goes away."""


@contextlib.contextmanager
def explained(name: str) -> Iterator[None]:
    """Raises `StoreUnavailableError` about the store `name` for whatever its database raises."""
    try:
        yield
    except DBAPIError as error:
        raise StoreUnavailableError(f"{name}: {_advice(error.orig)}") from None
    except SQLAlchemyError as error:
        raise StoreUnavailableError(f"{name}: {_first_line(str(error))}") from None
    except OSError as error:
        raise StoreUnavailableError(
            f"{error.filename}: {error.strerror}; choose another folder with --data"
        ) from None


def _advice(error: BaseException | None) -> str:
    said = _first_line(str(error))
    for words, advice in _SQLITE.items():
        if words in said:
            return advice
    if error is None or not hasattr(error, "sqlstate"):
        return said
    state: str | None = error.sqlstate
    if state is None or state.startswith(_GONE):
        return f"does not answer ({said}); start its server, or look at the URL given with --store"
    return _POSTGRESQL.get(state, said)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
