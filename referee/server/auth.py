"""Tells whose token a call carries. Tokens are compared by their hash and never kept or logged."""

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

import grpc
import msgspec
import structlog

from referee.errors import StoreUnavailableError
from referee.match.config import SECOND
from referee.server import logs
from referee.server.config import Limits
from referee.server.peers import address

REFUSAL: Final = "a valid token is needed: metadata 'authorization: Bearer TOKEN'"
"""The one answer to a missing, unknown or revoked token; it does not say which."""
TOO_MANY: Final = "too many refused tokens from this address; try again in a second"
"""The answer to a token that was not looked up, good or bad, because somebody guesses there."""
AWAY: Final = "the register of bots cannot be read now; try again in a while"
"""The answer to a token that cannot be looked up, good or bad."""

Metadata: TypeAlias = Sequence[tuple[str, str | bytes]]

_log = structlog.get_logger("referee.auth")
_PREFIX: Final = "bearer "
_LONGEST_TOKEN: Final = 512
_REPORT_EVERY: Final = 10 * SECOND
_MOST_PEERS: Final = 4096


class Identity(NamedTuple):
    """Whom a token stands for; `registered` tells tokens of one bot apart, and is 0 for a guest's.

    A token with an `instance` was made for one process of the bot: whatever that says of itself, it is
    this instance, and it sits only where this instance is asked for.
    """

    bot_id: str
    name: str
    owner: str
    registered: int = 0
    instance: str = ""


class Refused(NamedTuple):
    """Why a call has no identity: the status and the text that it is ended with."""

    code: grpc.StatusCode
    text: str


_UNKNOWN: Final = Refused(grpc.StatusCode.UNAUTHENTICATED, REFUSAL)
_BUSY: Final = Refused(grpc.StatusCode.RESOURCE_EXHAUSTED, TOO_MANY)
_AWAY: Final = Refused(grpc.StatusCode.UNAVAILABLE, AWAY)


class Directory(Protocol):
    """Knows the registered bots."""

    async def identify(self, token: str) -> Identity | None:
        """Returns whom a token stands for, None for an unknown or revoked one.

        Raises `StoreUnavailableError` while that cannot be told.
        """


class _Peer(msgspec.Struct):
    """Refused tokens of one address in the second that began at `since`."""

    since: int
    refused: int = 0


class Authenticator:
    """Registered bots from a directory, guests from memory; slows down who guesses."""

    def __init__(self, directory: Directory | None, limits: Limits, now: Callable[[], int]) -> None:
        self._directory = directory
        self._limit = limits.bad_tokens
        self._now = now
        self._guests: dict[bytes, Identity] = {}
        self._seen: dict[bytes, Identity] = {}
        self._turn = asyncio.Lock()
        self._peers: dict[str, _Peer] = {}
        self._unreported = 0
        self._reported_at = now() - _REPORT_EVERY

    def add_guest(self, name: str, owner: str, bot_id: str = "", instance: str = "") -> str:
        """Returns a new token that lives as long as this process; a second one replaces the first.

        Without an id the owner and the name make one.
        """
        token = secrets.token_urlsafe(32)
        identity = Identity(bot_id or f"{owner}/{name}", name, owner, instance=instance)
        for digest in [digest for digest, guest in self._guests.items() if guest == identity]:
            del self._guests[digest]
        self._guests[_digest(token)] = identity
        return token

    def remove_guest(self, token: str) -> None:
        """Makes the token of a guest worthless."""
        self._guests.pop(_digest(token), None)

    def has_guest(self, identity: Identity) -> bool:
        """Says whether a guest has a token that is good."""
        return identity in self._guests.values()

    async def identify(self, metadata: Metadata | None, peer: str) -> Identity | Refused:
        """Returns whom the call is from, or why that is not known.

        While somebody guesses tokens from an address, those that are new here are not looked up: that
        says nothing of them, and the bot may come again. While the register cannot be read, a token
        that was known here is still good.
        """
        token = _token(metadata or ())
        found = await self._look_up(token, peer) if token else _UNKNOWN
        if isinstance(found, Refused) and found is not _AWAY:
            self._refused(peer)
        return found

    async def _look_up(self, token: str, peer: str) -> Identity | Refused:
        digest = _digest(token)
        guest = self._guests.get(digest)
        directory = self._directory
        if guest or directory is None:
            return guest or _UNKNOWN
        if digest in self._seen:
            return await self._ask(directory, token, digest)
        async with self._turn:  # guesses made at once are counted like guesses one after another
            return _BUSY if self._guesses(peer) else await self._ask(directory, token, digest)

    async def _ask(self, directory: Directory, token: str, digest: bytes) -> Identity | Refused:
        try:
            identity = await directory.identify(token)
        except StoreUnavailableError:
            return self._seen.get(digest, _AWAY)
        except Exception:  # noqa: BLE001  whatever it is, its text stays in this process
            return Refused(grpc.StatusCode.INTERNAL, logs.incident("the register of bots failed"))
        if identity is None:
            self._seen.pop(digest, None)
            return _UNKNOWN
        self._seen[digest] = identity
        return identity

    def _guesses(self, peer: str) -> bool:
        known = self._peers.get(address(peer))
        return known is not None and self._now() - known.since < SECOND and known.refused >= self._limit

    def _refused(self, peer: str) -> None:
        now, where = self._now(), address(peer)
        if len(self._peers) >= _MOST_PEERS:
            self._peers.clear()
        known = self._peers.setdefault(where, _Peer(now))
        if now - known.since >= SECOND:
            known.since, known.refused = now, 0
        known.refused += 1
        self._unreported += 1
        if now - self._reported_at >= _REPORT_EVERY:
            _log.warning("tokens refused", count=self._unreported, last_peer=where)
            self._unreported, self._reported_at = 0, now


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _token(metadata: Metadata) -> str:
    for key, value in metadata:
        if key == "authorization" and isinstance(value, str) and value[: len(_PREFIX)].lower() == _PREFIX:
            return value[len(_PREFIX) :].strip()[:_LONGEST_TOKEN]
    return ""
