"""What guards every answer: its headers, and on a private server who gets one at all."""

import base64
import binascii
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.web.sources import NotShown, Sources

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'{nonce}; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_KEPT: Final = "public, max-age=31536000, immutable"
"""How long browsers keep static files: their addresses change with what is in them."""
_GOOD: Final = frozenset({200, 304})
"""The answers that are such a file; a refusal is none."""
_ASK: Final = {"WWW-Authenticate": 'Basic realm="referee: any name, and the token of a bot", charset="UTF-8"'}


class Headers:
    """Puts the policies on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                nonce = f" 'nonce-{state['nonce']}'" if "nonce" in state else ""
                headers["Content-Security-Policy"] = _POLICY.format(nonce=nonce)
                headers.update(_HEADERS)
                static = scope["path"].startswith("/static/") and scope["query_string"]
                kept = static and message["status"] in _GOOD
                headers.setdefault("Cache-Control", _KEPT if kept else "no-cache")
            await send(message)

        await self._app(scope, receive, told)


class Admission:
    """Asks for the token of a bot where the server shows nothing to the public.

    A browser asks its user for a name and a password, which is the token; a program sends it as a
    bearer token.
    """

    def __init__(self, app: ASGIApp, sources: Sources) -> None:
        self._app = app
        self._sources = sources

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or asks who it comes from."""
        if scope["type"] == "http" and not self._sources.public:
            request = Request(scope)
            token = token_of(request)
            address = request.client.host if request.client else ""
            try:
                admitted = bool(token) and await self._sources.admits(token, address)
            except NotShown as refusal:
                await PlainTextResponse(f"{refusal.text}\n", refusal.status)(scope, receive, send)
                return
            if not admitted:
                text = "this server shows nothing without the token of a bot\n"
                await PlainTextResponse(text, 401, _ASK)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def token_of(request: Request) -> str:
    """Returns the token that a request carries, empty for none."""
    scheme, _, rest = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return rest.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(rest, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""
