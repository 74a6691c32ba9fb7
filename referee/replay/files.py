"""Finds logs, and steps with files that survive a crash; each of those raises `OSError`."""

import contextlib
import errno
import os
from pathlib import Path

from referee.replay.packs import is_pack
from referee.replay.reader import REPLAYS, finished_path, logs_in

LACKING = (errno.EMFILE, errno.ENFILE)
"""Errors of a process, or a machine, in which too many files are open."""


def logs_under(path: Path) -> list[Path]:
    """Returns the finished logs at any depth of a folder, those of a pack, or the one log itself.

    Of a data root those under its `replays/`. A log in a pack has the name that it has outside; see `packs`.
    """
    if is_pack(path):
        return logs_in(path)
    if not path.is_dir():
        return [path]
    folder = path / REPLAYS if (path / REPLAYS).is_dir() else path
    return [log for place in sorted(folder.glob("**/")) for log in logs_in(place)]


def open_up(descriptor: int, path: Path) -> Path:
    """Unseals a log that is locked by this descriptor and returns its new name.

    Killed at any moment it leaves the log sealed or unsealed, and may be done again.
    """
    final = finished_path(path)
    os.fchmod(descriptor, 0o644)
    path.rename(final)
    sync_names(final.parent)
    return final


def write_new(path: Path, data: bytes, mode: int) -> None:
    """Writes a small file and forces it to disk; what a crash left under its name is removed first."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of it, in as many steps as the system takes."""
    done = os.write(descriptor, data)
    while done < len(data):
        done += os.write(descriptor, data[done:])


def make_folder(folder: Path) -> None:
    """Makes the folder; the entries of new folders are on disk when it returns."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_names(folder: Path) -> None:
    """Forces the names in a folder to disk, where that can be done.

    The logs are there already: one whose new name is lost in a crash gets it again at the next start.
    """
    with contextlib.suppress(OSError):
        sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Forces the entries of a folder to disk, also where the process has no descriptor left."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        if error.errno not in LACKING:
            raise
        os.sync()  # slow, for it is about all disks, and a match that has ended is not void by this
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
