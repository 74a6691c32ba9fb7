"""Where the referee is and how to get there; what is not given comes from the environment."""

import os
import ssl
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import grpc
import grpc.aio

Roots: TypeAlias = bool | str | os.PathLike[str]
"""True for TLS with the root certificates that come with gRPC, a path for those of a PEM file."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A referee (host:port), the bot's token there, and how to encrypt; None sends plain text."""

    address: str
    token: str = field(repr=False)
    credentials: grpc.ChannelCredentials | None = None

    def channel(self, options: Sequence[tuple[str, int]]) -> grpc.aio.Channel:
        """Opens a channel."""
        if self.credentials is None:
            return grpc.aio.insecure_channel(self.address, options=options)
        return grpc.aio.secure_channel(self.address, self.credentials, options=options)


def find(server: str | None, token: str | None, tls: Roots | None) -> Endpoint:
    """Returns the endpoint; ends the process with one line where something is missing or unreadable."""
    address = server or _from_environment("REFEREE_ADDRESS", "--server HOST:PORT")
    secret = token or _from_environment("REFEREE_TOKEN", "--token TOKEN")
    if tls is None:
        # Any text switches TLS on: a token in plain text would be worse than a failed connection.
        tls = os.environ.get("REFEREE_CA") or bool(os.environ.get("REFEREE_TLS"))
    return Endpoint(address, secret, _credentials(tls))


def _credentials(tls: Roots) -> grpc.ChannelCredentials | None:
    if tls is False:
        return None
    return grpc.ssl_channel_credentials(None if tls is True else _roots(Path(tls)))


def _roots(path: Path) -> bytes:
    """Returns what is in the file, once it is sure that gRPC can use it."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
        return path.read_bytes()
    except OSError as error:  # ssl.SSLError is one
        reason = error.strerror or error
        sys.exit(f"bot: {path}: {reason}; name a file of root certificates in PEM with --ca or REFEREE_CA")


def _from_environment(variable: str, option: str) -> str:
    value = os.environ.get(variable)
    if not value:
        sys.exit(f"bot: {variable} is not set; set it, or give {option}")
    return value
