"""What every request has to be before a page sees it: for this site, small, and one of a few at a time."""

import ipaddress
import re
from collections import Counter
from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.web.sources import NotShown

MOST_BODY: Final = 16 * 1024
"""Bytes of a form."""
_FORM: Final = "application/x-www-form-urlencoded"
_HOST: Final = re.compile(r"(?:([A-Za-z0-9._-]{1,253})|\[([0-9A-Fa-f:.]{2,45})\])(?::[0-9]{1,5})?")
_CLOSE: Final = {"Connection": "close"}
"""Ends a connection whose request was not read to its end."""


class Intake:
    """Refuses bodies that are no form of ours, and requests for other sites.

    With `local` the site is for this machine alone: its name has to be one that no other site can have,
    for a page of another site could have its own name lead here, and act as if it were a page of this one.
    """

    def __init__(self, app: ASGIApp, *, local: bool) -> None:
        self._app = app
        self._local = local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request; the body of a form has come in whole before a page hears of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            headers = Headers(scope=scope)
            self._check_host(headers.get("host"))
            _check_body(scope["method"], headers)
            body = await _body(receive) if scope["method"] == "POST" else b""
        except NotShown as refusal:
            answer = PlainTextResponse(f"{refusal.text}\n", refusal.status, _CLOSE)
            await answer(scope, receive, send)
            return
        if body is not None:
            await self._app(scope, _again(body, receive), send)

    def _check_host(self, host: str | None) -> None:
        if host is None:
            return  # HTTP/1.0, which no browser speaks
        found = _HOST.fullmatch(host)
        if found is None:
            raise NotShown(400, "this is no name of a site")
        name, address = found.groups()
        if self._local and not address and not _is_here(name):
            raise NotShown(
                421, "this site is for its own machine; a proxy before it is to be named with --http-proxy"
            )


class Crowd:
    """Answers one household only a number of requests at a time; they may come by one proxy."""

    def __init__(self, app: ASGIApp, *, household: Callable[[str], str], most: int) -> None:
        self._app = app
        self._household = household
        self._most = most
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        client = scope.get("client")
        house = self._household(client[0]) if client else ""
        if self._open[house] >= self._most:
            refusal = PlainTextResponse("your address asks for too much at once\n", 429, {"Retry-After": "5"})
            await refusal(scope, receive, send)
            return
        self._open[house] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[house] -= 1
            if not self._open[house]:
                del self._open[house]


def _is_here(name: str) -> bool:
    name = name.lower().rstrip(".")
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
    return True


def _check_body(method: str, headers: Headers) -> None:
    length = headers.get("content-length", "0")
    if "transfer-encoding" not in headers and length == "0":
        return
    if method != "POST":
        raise NotShown(413, "this page takes no body")
    if headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise NotShown(415, f"send the form as {_FORM}")
    if len(length) > _DIGITS or int(length) > MOST_BODY:
        raise _TOO_LARGE


_DIGITS: Final = 9
_TOO_LARGE: Final = NotShown(413, "this form is too large")


async def _body(receive: Receive) -> bytes | None:
    """Returns a body as it has come in; None where its client has gone."""
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += bytes(message.get("body", b""))
        if len(body) > MOST_BODY:
            raise _TOO_LARGE
        if not message.get("more_body", False):
            return body


def _again(body: bytes, receive: Receive) -> Receive:
    """Returns what gives out a body that was read, and then whatever follows."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def told() -> Message:
        return left.pop() if left else await receive()

    return told
