"""Where a call comes from, as far as that tells callers apart."""

import ipaddress
from typing import Final
from urllib.parse import unquote

HERE: Final = "this machine"
_ONE_HOUSEHOLD: Final = 64
"""Bits of an IPv6 address that whoever has it did not choose; the others are free to vary."""


def address(peer: str) -> str:
    """Returns the address of a gRPC peer, without its port: `ipv4:192.0.2.1:4711` is `192.0.2.1`.

    All of one IPv6 network of 64 bits are one, and so is all of this machine, by its loopback
    addresses or a Unix socket.
    """
    kind, _, place = unquote(peer).partition(":")
    if kind == "unix":
        return HERE
    host = place.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return host or peer
    if isinstance(found, ipaddress.IPv6Address):
        found = found.ipv4_mapped or found
    if found.is_loopback:
        return HERE
    if found.version == 6:
        return str(ipaddress.ip_network((found, _ONE_HOUSEHOLD), strict=False))
    return str(found)
