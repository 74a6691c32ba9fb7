"""Calls of the operator to a running server, found by its data folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc

from referee.cli.program import command
from referee.errors import RefereeError, UsageError
from referee.replay.opening import KEY, content
from referee.server.admin import place
from referee.v1.admin_service_pb2_grpc import AdminServiceStub

_LIMIT: Final = 60.0
"""How long a call may take, in seconds: house bots may have to be started for it."""
_WRONG_USAGE: Final = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
}


@contextmanager
def operator(data: Path, address: str) -> Iterator["Operator"]:
    """Opens the way to the server of a data folder: its socket, or a loopback address.

    Raises `RefereeError` where no server runs, and by every call for what the server says.
    """
    if address:
        with grpc.insecure_channel(address) as channel:
            yield Operator(channel, data, address, _token(data))
        return
    if not place.answers(data):
        start = command("serve", "--ladder", "FILE", data=data)
        raise RefereeError(
            f"no server runs for {data.absolute()}; start one with `{start}`, name the folder of one with"
            " --data, or its address with --admin"
        )
    with place.short(data) as way, grpc.insecure_channel(f"unix:{way / place.SOCKET}") as channel:
        yield Operator(channel, data, str(data / place.SOCKET), "")


class Operator:
    """The calls, each by the name of its method."""

    def __init__(self, channel: grpc.Channel, data: Path, told: str, token: str) -> None:
        self.data = data
        self._stub = AdminServiceStub(channel)
        self._told = told
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def call(self, method: str, request: Any) -> Any:
        """Makes a call; raises `UsageError` or `RefereeError` with what the server says against it."""
        try:
            return getattr(self._stub, method)(request, timeout=_LIMIT, metadata=self._metadata)
        except grpc.RpcError as error:
            code = error.code()
            details = error.details() or code.name
            if code in _WRONG_USAGE:
                raise UsageError(details) from None
            if code is grpc.StatusCode.UNAVAILABLE:
                raise RefereeError(f"the server at {self._told} does not answer now: {details}") from None
            raise RefereeError(f"the server at {self._told}: {details}") from None


def _token(data: Path) -> str:
    try:
        return content(data / place.TOKEN, KEY).decode("utf-8")
    except OSError as error:
        raise UsageError(
            f"{data / place.TOKEN}: {error.strerror}; name the data folder of that server with --data"
        ) from None
