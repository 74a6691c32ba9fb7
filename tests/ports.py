"""A port that a test names before something listens there."""

import random
import socket
from pathlib import Path

from tests.patience import PATIENCE

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 10_000
_USUAL = 32_768
"""From where Linux gives out ports by itself, unless it is told otherwise."""


def free_port() -> int:
    """Returns a port that nobody uses, and that the system gives to nobody who asks for any port.

    So it is still free when it is used, also after what listened there was killed, however many tests
    open connections meanwhile.
    """
    first = int(_RANGE.read_text().split()[0]) if _RANGE.exists() else _USUAL
    ports = range(_LOWEST, first) if first > 2 * _LOWEST else range(_LOWEST, _USUAL)
    for _ in range(int(PATIENCE)):
        with socket.socket() as probe:
            port = random.SystemRandom().choice(ports)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")
