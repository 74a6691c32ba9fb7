"""A certificate for this machine, from an authority that nobody else knows."""

from dataclasses import dataclass
from pathlib import Path

import grpc
import trustme


@dataclass(frozen=True)
class Certificates:
    """What a server shows, and the PEM file of the authority that a bot has to trust."""

    server: grpc.ServerCredentials
    authority: Path


def make(folder: Path) -> Certificates:
    """Returns new certificates for `localhost` and 127.0.0.1."""
    authority = trustme.CA()
    issued = authority.issue_cert("localhost", "127.0.0.1")
    key = issued.private_key_pem.bytes()
    chain = b"".join(blob.bytes() for blob in issued.cert_chain_pems)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    return Certificates(grpc.ssl_server_credentials([(key, chain)]), folder / "ca.pem")
