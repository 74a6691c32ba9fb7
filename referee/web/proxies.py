"""Proxies before the site: which are believed when they say whom a request is from."""

import ipaddress
from collections.abc import Iterable
from typing import Final, TypeAlias

from starlette.types import ASGIApp, Receive, Scope, Send

from referee.errors import UsageError

_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


class Proxies:
    """The addresses whose word is taken; none of them by default."""

    def __init__(self, networks: Iterable[_Network] = ()) -> None:
        self._networks: Final = tuple(networks)

    @classmethod
    def parse(cls, text: str) -> "Proxies":
        """Reads `ADDRESS[,ADDRESS]...`, networks among them; raises `UsageError` for what is none."""
        found = []
        for word in filter(None, (part.strip() for part in text.split(","))):
            try:
                found.append(ipaddress.ip_network(word))
            except ValueError:
                raise UsageError(
                    f"--http-proxy {word}: give addresses or networks, for example --http-proxy 127.0.0.1"
                ) from None
        return cls(found)

    def __bool__(self) -> bool:
        return bool(self._networks)

    def __contains__(self, host: object) -> bool:
        address = _address(str(host))
        return address is not None and any(address in network for network in self._networks)

    def client(self, host: str, forwarded: str) -> str:
        """Returns whom a request is from: the last in the chain who is no proxy that is believed."""
        for word in reversed(forwarded.split(",")):
            if host not in self:
                break
            address = _address(_without_port(word.strip()))
            if address is None:
                break
            host = str(address)
        return host


def _address(host: str) -> _Address | None:
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, ipaddress.IPv6Address) else found


def _without_port(word: str) -> str:
    if word.startswith("["):
        return word[1:].partition("]")[0]
    return word.partition(":")[0] if word.count(":") == 1 else word


class Proxied:
    """Tells the rest of the site of the client and the protocol that a believed proxy has named."""

    def __init__(self, app: ASGIApp, proxies: Proxies) -> None:
        self._app = app
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        client = scope.get("client")
        if scope["type"] == "http" and client and client[0] in self._proxies:
            scope["client"] = (self._proxies.client(client[0], _all(scope, b"x-forwarded-for")), 0)
            scheme = _all(scope, b"x-forwarded-proto").rpartition(",")[2].strip().lower()
            if scheme in {"http", "https"}:
                scope["scheme"] = scheme
        await self._app(scope, receive, send)


def _all(scope: Scope, name: bytes) -> str:
    return b",".join(value for known, value in scope["headers"] if known == name).decode("latin-1")
