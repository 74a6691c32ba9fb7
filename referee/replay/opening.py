"""Opens files to be read: regular ones only, and without waiting for anybody.

Whatever a person names, or anybody leaves in a folder, is opened here. A pipe that nobody writes to would
be waited for without end, and a device be read without end: both are refused, as `OSError`, before a byte
is read. What is read whole is read up to a limit that it never needs.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

KEY: Final = 64 * 1024
"""Bytes; keys, certificates and secrets have fewer."""
SETTINGS: Final = 4 << 20
"""Bytes; files that people write have fewer."""
IRREGULAR: Final = "is no regular file"
"""What is said of a pipe, a device or a socket."""


def open_regular(path: Path) -> BinaryIO:
    """Opens a regular file for reading; raises `OSError` for anything else."""
    return os.fdopen(descriptor(path, os.O_RDONLY), "rb")


def descriptor(path: Path, flags: int, mode: int = 0o600) -> int:
    """Returns a descriptor of a regular file, made with `mode`; raises `OSError` for anything else."""
    try:
        found = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, mode)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket, or a pipe that nobody reads
            raise _irregular(path) from None
        raise
    kind = os.fstat(found).st_mode
    if stat.S_ISREG(kind):
        return found
    os.close(found)
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise _irregular(path)


def content(path: Path, most: int) -> bytes:
    """Returns what a regular file of up to `most` bytes holds; raises `OSError` for anything else."""
    with open_regular(path) as file:
        data = file.read(most + 1) if os.fstat(file.fileno()).st_size <= most else None
    if data is None or len(data) > most:
        raise OSError(errno.EFBIG, f"is larger than the {most} bytes that are read here", str(path))
    return data


def _irregular(path: Path) -> OSError:
    return OSError(errno.EINVAL, IRREGULAR, str(path))
