"""Packs the logs of finished days, and unpacks them; see `packs` for how they are read.

Killed at any moment, each log is whole in its own file or in the pack of its day, or in both with the
same bytes. The pack is written under another name, forced to disk and read back before it gets its own;
only then are the files removed that it holds. Done again, the work goes on where it was stopped.
"""

import calendar
import fcntl
import os
import stat
import time
import zipfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, TypeAlias

from referee.errors import RecordError
from referee.replay.files import sync_folder, write_new
from referee.replay.packs import LARGEST, PACK, contents, may_be_packed, open_log
from referee.replay.reader import FINISHED, RUNNING, SEALED, days, header, last_line, match_id_of
from referee.replay.record import end_of

PART: Final = "pack.part.zip"
"""How a pack is called until it is whole."""
_UNPACKING: Final = ".unpacking"
_LEVEL: Final = 6
"""Of deflate; level 9 takes three times as long for one hundredth of the size."""
_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)
"""The first time that a zip file can tell."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of one day.

    Attributes:
        day: its folder.
        logs: how many logs were moved into its pack, or out of it.
        plain: bytes of all files that the pack holds, or held.
        packed: bytes of the pack.
        problem: why nothing was moved, in one line; empty if all was.
        waits: whether that is only because matches of the day are not over.
        odd: files that stay because they are not the logs that they are called.
    """

    day: Path
    logs: int = 0
    plain: int = 0
    packed: int = 0
    problem: str = ""
    waits: bool = False
    odd: tuple[str, ...] = ()


_Work: TypeAlias = Callable[[Path], Iterator[Moved]]


def day_of(folder: Path) -> date | None:
    """Returns the day whose logs lie in a folder `YYYY/MM/DD`; None where there is no such day."""
    try:
        return date(*map(int, folder.parts[-3:]))
    except ValueError:
        return None


def pack_days(root: Path, before: date) -> Generator[Moved, None, None]:
    """Packs the days under a data root that lie before another; says what became of each with plain logs."""
    every = [(folder, day_of(folder)) for folder in days(root)]
    yield from _each([folder for folder, day in every if day is not None and day < before], _pack)


def unpack_days(root: Path, wanted: Sequence[date] = ()) -> Iterator[Moved]:
    """Unpacks these days under a data root, or all; says what became of each that has a pack."""
    yield from _each([folder for folder in days(root) if not wanted or day_of(folder) in wanted], _unpack)


def _each(folders: Sequence[Path], work: _Work) -> Iterator[Moved]:
    """Does the work day by day; for those that another process is at it waits when it has done the others."""
    busy = []
    for folder in folders:
        try:
            yield from _moved(folder, work)
        except BlockingIOError:
            busy.append(folder)
    for folder in busy:
        yield from _moved(folder, work, wait=True)


def _moved(folder: Path, work: _Work, *, wait: bool = False) -> Iterator[Moved]:
    try:
        with _held(folder, wait=wait):
            yield from work(folder)
    except BlockingIOError:
        raise
    except OSError as error:
        yield Moved(folder, problem=f"{error.filename or folder}: {error.strerror}")
    except RecordError as error:
        yield Moved(folder, problem=str(error))


@contextmanager
def _held(folder: Path, *, wait: bool) -> Iterator[None]:
    """Keeps other packers out of a day; where one is in it, waits for it or raises `BlockingIOError`."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _pack(folder: Path) -> Iterator[Moved]:
    pack, part = folder / PACK, folder / PART
    for left in (part, *folder.glob(f"*{_UNPACKING}")):
        left.unlink(missing_ok=True)
    there = sorted(path.name for path in folder.iterdir())
    waiting = sum(name.endswith((RUNNING, SEALED)) for name in there)
    before = contents(pack)
    odd = tuple(name for name in there if name.endswith(FINISHED) and not _is_log(folder / name))
    names = [name for name in _belonging(there, before, odd) if _is_small(folder / name)]
    if not names:
        if odd:
            yield Moved(folder, odd=odd)
        return
    if waiting:
        what = "1 match of it is" if waiting == 1 else f"{waiting} matches of it are"
        yield Moved(folder, problem=f"{what} not over", waits=True)
        return
    _see_that_none_differs(folder, names, before)
    fresh = [name for name in names if name not in before]
    if fresh:
        _write(folder, sorted([*before, *fresh]))
    held = contents(pack)
    for name in names:
        (folder / name).unlink()
    sync_folder(folder)
    plain = sum(member.file_size for member in held.values())
    yield Moved(folder, _logs(names), plain, pack.stat().st_size, odd=odd)


def _is_log(path: Path) -> bool:
    """Says whether a file is a finished log of the match that it is named by; no more than its ends is read.

    Whatever else is wrong in it is told by a check, packed or not.
    """
    try:
        return (
            not path.is_symlink()
            and header(path).match_id == match_id_of(path)
            and end_of(last_line(path)) is not None
        )
    except RecordError:
        return False


def _is_small(path: Path) -> bool:
    """Says whether a file is a regular one, and of a size that is read out of a pack."""
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and found.st_size <= LARGEST


def _belonging(there: Sequence[str], packed: Mapping[str, object], odd: Sequence[str]) -> list[str]:
    """Returns the names in a folder of finished logs and of what lies beside them, as signatures do."""
    every = {name for name in (*there, *packed) if name.endswith(FINISHED)}
    ids = {name.removesuffix(FINISHED) for name in every.difference(odd)}
    return [
        name
        for name in there
        if may_be_packed(name) and name.partition(".")[0] in ids and not name.endswith((RUNNING, SEALED))
    ]


def _see_that_none_differs(folder: Path, names: Sequence[str], packed: Mapping[str, object]) -> None:
    for name in names:
        if name in packed and _content(folder, name) != _packed(folder / PACK, name):
            raise RecordError(
                f"{folder / name}: differs from what {PACK} holds by this name; remove one of them"
            )


def _write(folder: Path, names: Sequence[str]) -> None:
    """Makes the pack of a day anew with all that has these names, each beside the old pack or in it."""
    part = folder / PART
    try:
        with part.open("xb") as file:
            os.fchmod(file.fileno(), 0o644)
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
                for name in names:
                    archive.writestr(_member(folder, name), _content(folder, name))
            file.flush()
            os.fsync(file.fileno())
        for name in names:
            if _packed(part, name) != _content(folder, name):
                raise RecordError(f"{part}: {name} was not read back as it was written")
        part.rename(folder / PACK)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(folder)


def _member(folder: Path, name: str) -> zipfile.ZipInfo:
    """Returns the head of a member: that of the old pack, or of a file with its time and mode."""
    known = contents(folder / PACK).get(name)
    member = zipfile.ZipInfo(name, known.date_time if known else _EARLIEST)
    if known:
        member.external_attr = known.external_attr
    else:
        found = (folder / name).stat()
        member.date_time = max(_EARLIEST, time.gmtime(found.st_mtime)[:6])
        member.external_attr = found.st_mode << 16
    member.compress_type = zipfile.ZIP_DEFLATED
    member.create_system = 3  # Unix, whose modes they are
    return member


def _unpack(folder: Path) -> Iterator[Moved]:
    pack = folder / PACK
    held = contents(pack)
    if not pack.exists():
        return
    there = [name for name in held if (folder / name).exists()]
    _see_that_none_differs(folder, there, held)
    size = pack.stat().st_size
    for name in held.keys() - there:
        _restore(folder, held[name])
    sync_folder(folder)
    pack.unlink()
    sync_folder(folder)
    yield Moved(folder, _logs(held), sum(member.file_size for member in held.values()), size)


def _restore(folder: Path, member: zipfile.ZipInfo) -> None:
    path = folder / f"{member.filename}{_UNPACKING}"
    when, mode = calendar.timegm(member.date_time), (member.external_attr >> 16) & 0o777 or 0o644
    try:
        write_new(path, _packed(folder / PACK, member.filename), mode)
        path.chmod(mode)  # whatever the mask of this process took away
        os.utime(path, (when, when))
        path.rename(folder / member.filename)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _content(folder: Path, name: str) -> bytes:
    with open_log(folder / name) as file:
        return file.read()


def _packed(pack: Path, name: str) -> bytes:
    """Returns what a pack holds by a name, whatever lies beside it."""
    with open_log(pack / name) as file:
        return file.read()


def _logs(names: Iterable[str]) -> int:
    return sum(name.endswith(FINISHED) for name in names)
