"""Where the site listens: had before anything else is begun, so that nothing is where it cannot be."""

import ipaddress
import socket
import ssl
from pathlib import Path

from referee.errors import UsageError


class Listener:
    """An address that is bound; whoever dials it waits until the site answers.

    Attributes:
        address: `host:port`, with the port that was taken.
        url: what a person opens.
        local: whether nobody but this machine can dial it.
    """

    def __init__(self, host: str, port: int, tls: tuple[Path, Path] | None = None) -> None:
        """Raises `UsageError` for an address or a certificate that cannot be had.

        `tls` are the certificate chain and its private key, PEM files.
        """
        self.tls = _context(*tls) if tls else None
        self.socket = _bound(host, port)
        self.local = host == "localhost" or ipaddress.ip_address(self.socket.getsockname()[0]).is_loopback
        bound = self.socket.getsockname()[1]
        self.address = f"[{host}]:{bound}" if ":" in host else f"{host}:{bound}"
        self.url = f"{'https' if tls else 'http'}://{self.address}/"

    def close(self) -> None:
        """Gives the address back."""
        self.socket.close()


def _context(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"--tls-cert {certificate}, --tls-key {key}: no certificate for the site: {error}"
        ) from None
    return context


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()  # whoever is told the address may dial at once, and waits for the first answer
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"the site cannot listen on {host}:{port}: {reason}; choose another port with --http "
            "(--http 0 takes a free one)"
        ) from None
    listener.setblocking(False)  # noqa: FBT003  the standard library has it like this
    return listener
