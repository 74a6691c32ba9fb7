"""The folder of a check for what its server keeps; it goes with the check, at the latest at the next one."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PREFIX: Final = "referee-check-"
"""What the names of these folders begin with, among the temporary files of the system."""


@contextlib.contextmanager
def room() -> Iterator[Path]:
    """Yields a new folder, after the folders of checks that were killed are removed.

    A check holds the lock of its folder, which ends with its process, however that ends.
    """
    _sweep()
    folder, descriptor = _claimed()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
        os.close(descriptor)


def _claimed() -> tuple[Path, int]:
    """Returns a new folder, and the descriptor that holds its lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        # Before the lock is had, another check may take the folder for a leftover.
        with contextlib.suppress(FileNotFoundError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if folder.is_dir():
                return folder, descriptor
            os.close(descriptor)


def _sweep() -> None:
    """Removes the user's folders that no check holds any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(descriptor).st_uid == os.geteuid():
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder)
            finally:
                os.close(descriptor)
