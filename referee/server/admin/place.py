"""Where the operator's service listens: a Unix socket in the data root, taken by one server at a time.

The socket has mode 0600 from its first moment: it is bound in a folder that is closed to others and
put in its place by a rename, which replaces what a dead server left behind.
"""

import fcntl
import os
import secrets
import socket
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from grpc import aio

from referee.errors import UsageError
from referee.server.config import LOOPBACK

SOCKET: Final = "admin.sock"
"""The socket in the data root."""
TOKEN: Final = "admin.token"  # noqa: S105  a file's name
"""The file beside it with the token that a loopback port asks for."""
_LONGEST: Final = 80
"""Characters of a path that leave room for a socket in the address of 107 that systems allow."""


@contextmanager
def short(folder: Path) -> Iterator[Path]:
    """Yields a way to a folder that is short enough for the address of a socket in it."""
    whole = folder.absolute()
    if len(os.fsencode(whole)) <= _LONGEST:
        yield whole
        return
    with tempfile.TemporaryDirectory(prefix="referee-", dir="/tmp") as parent:  # the address has to be short
        link = Path(parent) / "data"
        link.symlink_to(whole, target_is_directory=True)
        yield link


def answers(data: Path) -> bool:
    """Says whether a server listens on the socket of a data root."""
    with short(data) as way, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(way / SOCKET))
        except OSError:
            return False
        return True


def claim(data: Path) -> int:
    """Keeps other servers out of a data root; returns the descriptor that holds it, until it is closed.

    It ends with the process, however that ends. Raises `UsageError` where another server runs.
    """
    descriptor = os.open(data, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise UsageError(
            f"{data.absolute()}: a server runs for this folder already;"
            " stop it, or name another folder with --data"
        ) from None
    return descriptor


def bind(server: aio.Server, data: Path) -> int:
    """Has a server listen on the socket of a data root that it has claimed; returns the socket's inode."""
    place = data / SOCKET
    if place.exists() and not stat.S_ISSOCK(place.stat().st_mode):
        raise UsageError(f"{place} is in the way, and no socket; move it, or give --admin 127.0.0.1:PORT")
    with short(data) as way, tempfile.TemporaryDirectory(prefix=".admin-", dir=way) as closed:
        made = Path(closed) / "s"
        _listen(server, f"unix:{made}", str(place))
        made.chmod(0o600)
        made.rename(place)
    return place.stat().st_ino


def bind_port(server: aio.Server, address: str) -> str:
    """Has a server listen on a loopback port, and returns its address; raises `UsageError`."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit() or host.strip("[]") not in LOOPBACK:
        raise UsageError(f"--admin {address}: write a loopback address and a port, as 127.0.0.1:7701")
    return f"{host}:{_listen(server, address, address)}"


def release(data: Path, inode: int) -> None:
    """Takes the socket away if it is still the one that was bound here."""
    place = data / SOCKET
    with suppress(OSError):
        if place.stat().st_ino == inode:
            place.unlink()


def new_token(data: Path) -> str:
    """Returns a new token for a loopback port, which every user of the machine can reach, and keeps it."""
    token = secrets.token_urlsafe(32)
    file = data / TOKEN
    file.unlink(missing_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write(token)
    return token


def carries(metadata: Iterable[tuple[str, str | bytes]], token: str) -> bool:
    """Says whether a call carries the token."""
    given = next((value for name, value in metadata if name == "authorization"), "")
    text = given.decode(errors="replace") if isinstance(given, bytes) else given
    return secrets.compare_digest(text.encode(), f"Bearer {token}".encode())


def _listen(server: aio.Server, address: str, told: str) -> int:
    try:
        return server.add_insecure_port(address)
    except RuntimeError:
        raise UsageError(
            f"cannot listen for the operator on {told}; give another place with --admin 127.0.0.1:PORT"
        ) from None
