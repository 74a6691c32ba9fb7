"""Says who holds a port, where the system tells."""

from collections.abc import Iterator
from pathlib import Path

_LISTEN = "0A"


def joined(host: str, port: int) -> str:
    """Returns host and port as they are dialled: an IPv6 address stands in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def holder(port: int, proc: Path = Path("/proc")) -> str:
    """Returns `name (pid 123)` of the process that listens on a TCP port, or an empty text."""
    sockets = {f"socket:[{inode}]" for inode in _inodes(port, proc)}
    for descriptor in proc.glob("[0-9]*/fd/*") if sockets else ():
        try:
            if str(descriptor.readlink()) in sockets:
                process = descriptor.parent.parent
                return f"{(process / 'comm').read_text().strip()} (pid {process.name})"
        except OSError:
            continue
    return ""


def _inodes(port: int, proc: Path) -> Iterator[str]:
    for table in ("tcp", "tcp6"):
        try:
            lines = (proc / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if fields[3] == _LISTEN and int(fields[1].rpartition(":")[2], 16) == port:
                yield fields[9]
