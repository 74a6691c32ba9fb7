"""Turns what a database says of its troubles into one line that a person can act on."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from referee.errors import StoreUnavailableError, StoreUnwritableError

_ELSEWHERE = "or name another database, as in --store sqlite:////tmp/referee.db"
_FOREIGN = (
    "holds tables that are not those of a referee; name a database of its own with --store,"
    " or move this one away"
)
_FULL = f"cannot be written: the disk is full; free some space, {_ELSEWHERE}"

_SQLITE = {
    "database is locked": "is locked by another process; try again when that has finished",
    "file is not a database": "is no database; move it away, then run `referee standings rebuild`",
    "malformed": "is damaged; move it away, then restore a backup with `referee store restore`, or run"
    " `referee standings rebuild` and add the bots again",
    "no such column": _FOREIGN,
    "no such table": _FOREIGN,
    "has no column": _FOREIGN,
}
"""What a person reads and can do, by what SQLite says."""
_SQLITE_UNWRITABLE = {
    "unable to open": f"cannot be opened to write; look at its folder and permissions, {_ELSEWHERE}",
    "readonly": f"cannot be written: it is read-only; look at its permissions, {_ELSEWHERE}",
    "disk is full": _FULL,
    "disk I/O error": f"cannot be written: its disk fails; look at that, {_ELSEWHERE}",
}
"""The same where it may be that a file can be read all the same."""
_LEAST_ROOM = 1 << 20
"""Bytes that are free on a disk that is not full."""

_POSTGRESQL = {
    "55P03": "is locked by another process; try again when that has finished",
    "42703": _FOREIGN,
    "42P01": _FOREIGN,
    "42804": _FOREIGN,
    "42883": _FOREIGN,
    "53300": "has too many connections; raise max_connections of its server",
    "42501": "refuses its user; grant that user all rights on the schema",
}
"""The same by the SQLSTATE of PostgreSQL."""
_POSTGRESQL_UNWRITABLE = {
    "25006": "cannot be written: it is read-only; look at the settings of its server",
    "53100": "cannot be written: the disk of its server is full; free some space there",
}
"""The same where it can be read."""
_GONE = ("08", "57P")
"""How a SQLSTATE begins of a server that goes away."""


@contextlib.contextmanager
def explained(name: str) -> Iterator[None]:
    """Raises `StoreUnavailableError` about the store `name` for whatever its database raises."""
    try:
        yield
    except DBAPIError as error:
        unwritable = _unwritable(name, error.orig)
        if unwritable:
            raise StoreUnwritableError(f"{name}: {unwritable}") from None
        raise StoreUnavailableError(f"{name}: {_advice(error.orig)}") from None
    except SQLAlchemyError as error:
        raise StoreUnavailableError(f"{name}: {_first_line(str(error))}") from None
    except OSError as error:
        raise StoreUnavailableError(
            f"{error.filename}: {error.strerror}; choose another folder with --data"
        ) from None


def _unwritable(name: str, error: BaseException | None) -> str:
    """Returns why a database can be read at the most; nothing for any other trouble."""
    said = _first_line(str(error))
    found = next((words for words in _SQLITE_UNWRITABLE if words in said), "")
    if not found:
        return _POSTGRESQL_UNWRITABLE.get(getattr(error, "sqlstate", None) or "", "")
    # What SQLite says of a full disk depends on which of its files it could not make.
    return _FULL if found != "readonly" and _is_full(Path(name)) else _SQLITE_UNWRITABLE[found]


def _is_full(file: Path) -> bool:
    try:
        return shutil.disk_usage(file.parent).free < _LEAST_ROOM
    except OSError:
        return False


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
