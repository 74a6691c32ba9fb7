"""Calls of commands to what a server shows everybody, or a bot by its token."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from referee.errors import RecordError, RefereeError, UsageError
from referee.replay.opening import KEY, content

if TYPE_CHECKING:
    import grpc

ServerOption = Annotated[
    str,
    typer.Option(
        "--address",
        "--server",
        metavar="HOST:PORT",
        envvar="REFEREE_ADDRESS",
        help="The server.",
        show_default=False,
    ),
]
TlsOption = Annotated[bool, typer.Option("--tls", help="Encrypt, with the usual root certificates.")]
CaOption = Annotated[
    Path | None,
    typer.Option("--ca", metavar="FILE", help="Encrypt, with the root certificates of a PEM file."),
]
TokenOption = Annotated[
    str,
    typer.Option(
        "--token",
        metavar="TOKEN",
        envvar="REFEREE_TOKEN",
        help="The token of a bot, for a server that shows nothing to the public.",
        show_default=False,
    ),
]
OwnTokenOption = Annotated[
    str,
    typer.Option(
        "--token",
        metavar="TOKEN",
        envvar="REFEREE_TOKEN",
        help="The token of the bot, best in the variable: other users see command lines.",
        show_default=False,
    ),
]
LIMIT: Final = 30.0
"""How long a server may take to answer, in seconds, where the answer is no stream."""
LONGEST: Final = 64 * 1024 * 1024
"""Bytes that a single answer may have; a report on a long match has some."""


class NotShownError(RefereeError):
    """Says why a server does not show something, now or ever."""


class Server(NamedTuple):
    """A server that answers reads."""

    channel: "grpc.Channel"
    address: str
    token: str

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What has to go with every call."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    @contextmanager
    def named(self, hint: str = "") -> Iterator[None]:
        """Turns what becomes of a call into errors of one line; `hint` says where to look."""
        import grpc

        try:
            yield
        except grpc.RpcError as error:
            code, details = error.code(), error.details()
            if code in {grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT}:
                raise UsageError(f"{self.address}: {details}{f'; {hint}' if hint else ''}") from None
            if code is grpc.StatusCode.UNAUTHENTICATED:
                how = "give that of a registered bot with --token, or set REFEREE_TOKEN"
                raise UsageError(f"{self.address}: {details}; {how}") from None
            if code is grpc.StatusCode.FAILED_PRECONDITION:
                raise NotShownError(f"{self.address}: {details}") from None
            if code is grpc.StatusCode.DATA_LOSS:
                raise RecordError(f"{self.address}: {details}") from None
            if code is grpc.StatusCode.UNAVAILABLE and "connect" in (details or ""):
                details = "no server answers there; look at --address, and whether it wants --tls"
            raise RefereeError(f"{self.address}: {details or code.name}") from None


@contextmanager
def connected(address: str, *, tls: bool, ca: Path | None, token: str) -> Iterator[Server]:
    """Opens the way to a server; raises `UsageError` where none is named, or a file cannot be read."""
    import grpc

    if not address:
        raise UsageError("no server is named; give --address HOST:PORT, or set REFEREE_ADDRESS")
    options = [("grpc.max_receive_message_length", LONGEST)]
    if tls or ca:
        try:
            roots = content(ca, KEY) if ca else None
        except OSError as error:
            raise UsageError(f"{ca}: {error.strerror}; name a file of root certificates in PEM") from None
        channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(roots), options)
    else:
        channel = grpc.insecure_channel(address, options)
    with channel:
        yield Server(channel, address, token)
