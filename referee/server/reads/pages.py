"""Pages of lists: how many items, and where the next page begins."""

import base64
import hashlib
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import msgspec

from referee.server.refusal import invalid

T = TypeVar("T")

_USUAL, _MOST = 100, 1000
_DIGEST: Final = 8
_BAD: Final = "the page token is none that this method gave for these fields"


def size(asked: int) -> int:
    """Returns how many items a page has; raises `Refusal` for a number below 0."""
    if asked < 0:
        raise invalid(f"a page has at least one item, not {asked}")
    return min(asked, _MOST) or _USUAL


def token(position: Sequence[Any], fields: Sequence[Any]) -> str:
    """Returns the token of the page after a position; it holds for the same fields of a request."""
    body = msgspec.json.encode(position)
    return base64.urlsafe_b64encode(_mark(body, fields) + body).decode().rstrip("=")


def position(text: str, fields: Sequence[Any], kind: type[T]) -> T:
    """Returns the position that a token holds; raises `Refusal` for one that `token` did not make."""
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        found = msgspec.json.decode(data[_DIGEST:], type=kind)
    except (ValueError, msgspec.MsgspecError):
        raise invalid(_BAD) from None
    if _mark(data[_DIGEST:], fields) != data[:_DIGEST]:
        raise invalid(_BAD)
    return found


def _mark(body: bytes, fields: Sequence[Any]) -> bytes:
    return hashlib.sha256(msgspec.json.encode(fields) + b"\n" + body).digest()[:_DIGEST]
