"""Copies a whole store into a file and back, whatever kinds of database they are in.

A backup is a store in one SQLite file. It shows one moment of the store it was made of, which may be
in use meanwhile.
"""

import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, insert, select

from referee.errors import StoreError, UsageError
from referee.replay.opening import IRREGULAR
from referee.store import migrations
from referee.store.address import file_of, url_of
from referee.store.database import Database
from referee.store.engines import engine_of
from referee.store.schema import BOTS, RESULTS, SEATS
from referee.store.trouble import explained

_PART = ".part"
_JOURNALS = ("-wal", "-shm")
"""How the files of SQLite end that belong to a database file."""
_ROWS = 1000
"""How many rows are copied at a time."""
_PATIENCE = 10.0


class Counts(NamedTuple):
    """How much a store holds."""

    results: int
    bots: int


def counts(connection: Connection) -> Counts:
    """Returns how much a store holds."""
    found = (
        connection.execute(select(func.count()).select_from(table)).scalar() for table in (RESULTS, BOTS)
    )
    return Counts(*(count or 0 for count in found))


def write(database: Database, file: Path) -> Counts:
    """Copies a store into a new file, readable by its owner only; it has its name when it is whole."""
    if file.exists():
        raise UsageError(f"{file}: is there already; name another file for the backup")
    if not file.parent.is_dir():
        raise UsageError(f"{file.parent}: no such folder; make it, or name another file for the backup")
    try:
        part = _part(file)
        try:
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            copied = _copied(database, part, file)
            _finish(part, file)
        finally:
            _remove(part)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}; name another file for the backup") from None
    return copied


def restore(file: Path, where: str | Path, *, replace: bool) -> Counts:
    """Makes a store what a backup is, in one step; `replace` allows that it holds anything before."""
    if not file.is_file():
        what = IRREGULAR if file.exists() else "no such file"
        raise UsageError(f"{file}: {what}; name a backup made by `referee store backup`")
    target = file_of(url_of(where))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "backup.db"  # a copy: bringing it to this version changes it
        with explained(str(file)):
            shutil.copyfile(file, source)
        if not _is_store(source):
            raise UsageError(
                f"{file}: is no backup of a store, or a damaged one; name one made by `referee store backup`"
            )
        backup = Database(source, _PATIENCE, str(file))
        try:
            if target is not None and not target.exists():
                return _restore_file(backup, target)
            return _restore_into(backup, Database(where, _PATIENCE), replace=replace)
        finally:
            backup.close()


def _restore_file(backup: Database, target: Path) -> Counts:
    """Gives the file its name only when it is whole: a server may wait for it to be back."""
    with explained(str(target)):
        target.parent.mkdir(parents=True, exist_ok=True)
        part = _part(target)
    try:
        copied = _copied(backup, part, target)
        with explained(str(target)):
            for suffix in _JOURNALS:  # those of a file that is gone would be taken for this one's
                target.with_name(target.name + suffix).unlink(missing_ok=True)
            _finish(part, target)
    finally:
        _remove(part)
    return copied


def _restore_into(backup: Database, target: Database, *, replace: bool) -> Counts:
    try:
        with backup.reading() as source, target.writing() as connection:
            before = counts(connection)
            if any(before) and not replace:
                raise UsageError(
                    f"{target.name}: holds {before.results} results and {before.bots} bots;"
                    " say --replace to have the backup instead of them"
                )
            return _copy(source, connection)
    finally:
        target.close()


def _copied(database: Database, part: Path, file: Path) -> Counts:
    """Copies a store into `part`, which is to become `file`."""
    copy = Database(part, _PATIENCE, str(file))
    try:
        with database.reading() as source, copy.writing() as connection:
            return _copy(source, connection)
    finally:
        copy.close()


def _copy(source: Connection, target: Connection) -> Counts:
    for table in (SEATS, RESULTS, BOTS):
        target.execute(delete(table))
    for table in (BOTS, RESULTS, SEATS):
        rows = source.execute(select(table).execution_options(yield_per=_ROWS)).mappings()
        for some in rows.partitions(_ROWS):
            target.execute(insert(table), [dict(row) for row in some])
    return counts(target)


def _is_store(file: Path) -> bool:
    engine = engine_of(url_of(file), _PATIENCE)
    try:
        with explained(str(file)), engine.begin() as connection:
            return migrations.version(connection, str(file)) is not None
    except StoreError:  # no database at all, or a damaged one
        return False
    finally:
        engine.dispose()


def _part(file: Path) -> Path:
    part = file.with_name(file.name + _PART)
    _remove(part)
    return part


def _remove(part: Path) -> None:
    for suffix in ("", *_JOURNALS):
        part.with_name(part.name + suffix).unlink(missing_ok=True)


def _finish(part: Path, file: Path) -> None:
    """Gives a file its name once it is on disk."""
    _to_disk(part)
    part.rename(file)
    _to_disk(file.parent)


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
