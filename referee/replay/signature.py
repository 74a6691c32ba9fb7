"""Signatures of finished logs and of standings: Ed25519 over the hash of the last line, in a file beside.

The file is one line of JSON. What is signed is an ASCII text, `referee log v1 ` for a log, and the hash in
hexadecimal, so that a key which signs other things too cannot be made to sign a log.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec

from referee.errors import RecordError, UsageError
from referee.replay.opening import KEY, content
from referee.replay.packs import open_log

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

LABEL = "referee log v1 "
"""What is signed begins with it."""
LONGEST = 1024
"""Bytes; a signature has fewer."""


class Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What lies beside a signed log, all in hexadecimal.

    Attributes:
        public_key: whose signature it is, 32 bytes.
        last_hash: the hash of the last line of the log, 32 bytes.
        signature: 64 bytes.
    """

    public_key: str
    last_hash: str
    signature: str


class Signer:
    """A private key, as the host has it."""

    def __init__(self, key: "Ed25519PrivateKey") -> None:
        self._key = key
        self._public = key.public_key().public_bytes_raw().hex()

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads a private key in PEM; raises `UsageError` for what is none, or a missing library."""
        try:
            from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415  optional
            from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415
        except ImportError:
            raise _missing() from None
        try:
            key = load_pem_private_key(_bytes(path), password=None)
        except (ValueError, TypeError):  # a TypeError for a key that is encrypted
            key = None
        if not isinstance(key, ed25519.Ed25519PrivateKey):
            raise UsageError(
                f"{path}: no unencrypted Ed25519 private key in PEM;"
                " `openssl genpkey -algorithm ed25519 -out FILE` makes one"
            )
        return cls(key)

    def line(self, last_hash: str, label: str = LABEL) -> bytes:
        """Returns the content of the signature file of a log that ends with this hash."""
        signature = self._key.sign(_message(last_hash, label)).hex()
        return msgspec.json.encode(Signature(self._public, last_hash, signature)) + b"\n"


class Verifier:
    """A public key, as whoever checks logs has it."""

    def __init__(self, key: "Ed25519PublicKey") -> None:
        self._key = key
        self._public = key.public_bytes_raw().hex()

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads a public key in PEM; raises `UsageError` for what is none, or a missing library."""
        try:
            from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415  optional
            from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415
        except ImportError:
            raise _missing() from None
        try:
            key = load_pem_public_key(_bytes(path))
        except ValueError:
            key = None
        if not isinstance(key, ed25519.Ed25519PublicKey):
            raise UsageError(
                f"{path}: no Ed25519 public key in PEM; `openssl pkey -pubout -in KEY` gives that of KEY"
            )
        return cls(key)

    def check(self, log: Path, last_hash: str, label: str = LABEL) -> None:
        """Raises `RecordError` unless this key has signed the log, whose last line has `last_hash`."""
        self.check_content(_content(signature_path(log)), last_hash, label)

    def check_content(self, content: bytes, last_hash: str, label: str = LABEL) -> None:
        """Raises `RecordError` unless what a signature file holds is of this key and for this hash."""
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  optional

        found = _signature(content)
        if found.public_key != self._public:
            raise RecordError(f"signed with another key, {found.public_key}")
        if found.last_hash != last_hash:
            raise RecordError(f"signed when its last line had another hash, {found.last_hash}")
        try:
            self._key.verify(bytes.fromhex(found.signature), _message(last_hash, label))
        except (ValueError, InvalidSignature):
            raise RecordError("its signature is wrong") from None


def signature_path(log: Path) -> Path:
    """Returns where the signature of a finished log is kept."""
    return log.with_name(log.name + ".sig")


def _content(path: Path) -> bytes:
    try:
        with open_log(path) as file:
            return file.read(LONGEST)
    except FileNotFoundError:
        raise RecordError(f"not signed: there is no {path.name}") from None
    except OSError as error:
        raise RecordError(f"its signature {path.name} cannot be read: {error.strerror}") from None


def _signature(content: bytes) -> Signature:
    try:
        return msgspec.json.decode(content, type=Signature)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise RecordError("its signature file holds no signature of a log") from None


def _message(last_hash: str, label: str) -> bytes:
    return f"{label}{last_hash}".encode("ascii")


def _bytes(path: Path) -> bytes:
    try:
        return content(path, KEY)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _missing() -> UsageError:
    return UsageError("signatures need a library: run pip install -e '.[sign]' in the referee's folder")
