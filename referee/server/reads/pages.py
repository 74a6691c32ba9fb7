"""Pages of lists: how many items, and where the next page begins."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeAlias, TypeVar

import msgspec

from referee.match.config import SECOND
from referee.server.refusal import invalid
from referee.tournament.result import MatchResult

if TYPE_CHECKING:
    from google.protobuf.timestamp_pb2 import Timestamp

T = TypeVar("T")
Order: TypeAlias = tuple[int, str]
"""The place of a match in lists: `MatchResult.order`."""

_USUAL, _MOST = 100, 1000
_DIGEST: Final = 8
_BAD: Final = "the page token is none that this method gave for these fields"
_FIRST, _LAST = 0, 1 << 62


class Span(NamedTuple):
    """The matches created from `since` on and before `before`, in microseconds since the Unix epoch."""

    since: int
    before: int

    @classmethod
    def of(cls, request: Any) -> Self:
        """Returns the span of a request with `earliest_create_time` and `latest_create_time`."""
        since = _time(request, "earliest_create_time", _FIRST)
        return cls(since, _time(request, "latest_create_time", _LAST))

    @property
    def end(self) -> Order:
        """The place before the newest match that may be meant, in lists that begin with the newest."""
        return self.before, ""

    def kept(self, newest: Iterable[MatchResult]) -> list[MatchResult]:
        """Returns the matches at the beginning of such a list that were created late enough."""
        return list(takewhile(lambda result: result.created >= self.since, newest))


def _time(request: Any, field: str, without: int) -> int:
    if not request.HasField(field):
        return without
    time: Timestamp = getattr(request, field)
    return min(max(_FIRST, time.seconds * SECOND + time.nanos // 1000), _LAST)


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
