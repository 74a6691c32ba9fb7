"""Where the referee is and how to get there; what is not given comes from the environment."""

import math
import os
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import grpc
import grpc.aio

from referee.bot.telling import misused

Roots: TypeAlias = bool | str | os.PathLike[str]
"""True for TLS with the root certificates that come with gRPC, a path for those of a PEM file."""

KEEPALIVE = 20.0
"""Seconds between the pings that tell a quiet connection from a broken one."""
_ADVICE = {
    "WRONG_VERSION_NUMBER": "the referee there speaks no TLS",
    "CERTIFICATE_VERIFY_FAILED": "name the authority of its certificate with --ca or REFEREE_CA",
}
"""What to do about a handshake, by a part of what gRPC says of it."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A referee (host:port), the bot's token there, and how to get there.

    Attributes:
        credentials: how to encrypt; None sends plain text.
        keepalive: seconds between pings.
    """

    address: str
    token: str = field(repr=False)
    credentials: grpc.ChannelCredentials | None = None
    keepalive: float = KEEPALIVE

    def channel(self) -> grpc.aio.Channel:
        """Opens a channel of its own."""
        options = (
            ("grpc.keepalive_time_ms", round(1000 * self.keepalive)),
            ("grpc.keepalive_timeout_ms", 10_000),
            ("grpc.http2.ping_timeout_ms", 10_000),  # the one that gRPC's core goes by, in fact
            ("grpc.http2.max_pings_without_data", 0),  # a long wait for a match is as good as a short one
            ("grpc.use_local_subchannel_pool", 1),  # or a new channel would wait out the old one's backoff
        )
        if self.credentials is None:
            return grpc.aio.insecure_channel(self.address, options=options)
        return grpc.aio.secure_channel(self.address, self.credentials, options=options)

    def advice(self, details: str) -> str:
        """Returns what to do about a connection that was not made, by what gRPC says; mostly nothing."""
        if self.credentials is None:
            hung_up = "failed to connect" in details and "Socket closed" in details
            return "if it wants TLS, set REFEREE_TLS=1 or give --tls" if hung_up else ""
        return next((advice for sign, advice in _ADVICE.items() if sign in details), "")


def find(
    server: str | None, token: str | None, tls: Roots | None, keepalive: float | None = None
) -> Endpoint:
    """Returns the endpoint; ends the process with one line where something is missing or unreadable."""
    address = server or _from_environment("REFEREE_ADDRESS", "--server HOST:PORT")
    secret = token or _from_environment("REFEREE_TOKEN", "--token TOKEN")
    if tls is None:
        # Any text switches TLS on: a token in plain text would be worse than a failed connection.
        tls = os.environ.get("REFEREE_CA") or bool(os.environ.get("REFEREE_TLS"))
    if keepalive is None:
        keepalive = _keepalive()
    return Endpoint(address, secret, _credentials(tls), keepalive)


def seconds(text: str) -> float:
    """Returns a time of more than 0 s; raises `ValueError`."""
    value = float(text)
    if not 0 < value < math.inf:
        raise ValueError(f"{text} is no time to wait")
    return value


def _keepalive() -> float:
    text = os.environ.get("REFEREE_KEEPALIVE") or str(KEEPALIVE)
    try:
        return seconds(text)
    except ValueError:
        misused(f"REFEREE_KEEPALIVE is {text!r}; set it to the seconds between two pings")


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
        misused(f"{path}: {reason}; name a file of root certificates in PEM with --ca or REFEREE_CA")


def _from_environment(variable: str, option: str) -> str:
    value = os.environ.get(variable)
    if not value:
        misused(f"{variable} is not set; set it, or give {option}")
    return value
