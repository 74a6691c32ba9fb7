"""The operator's side of a server in this process, for tests."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
from grpc import aio

from referee.server.admin import place
from referee.server.admin.audit import AUDIT, AuditLog, Call
from referee.v1 import admin_service_pb2 as pb
from referee.v1.admin_service_pb2_grpc import AdminServiceStub
from tests.patience import PATIENCE


class Operator:
    """Calls by the name of their methods."""

    def __init__(self, channel: aio.Channel, token: str = "") -> None:
        self._stub: Any = AdminServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    async def call(self, method: str, **fields: Any) -> Any:
        """Returns the answer to a call."""
        request = getattr(pb, f"{method}Request")(**fields)
        return await getattr(self._stub, method)(request, timeout=PATIENCE, metadata=self._metadata)

    async def refused(self, method: str, **fields: Any) -> tuple[grpc.StatusCode, str]:
        """Returns the status that a call is refused with."""
        try:
            answer = await self.call(method, **fields)
        except aio.AioRpcError as error:
            return error.code(), str(error.details())
        raise AssertionError(f"{method} was answered: {answer}")


@contextlib.asynccontextmanager
async def operator(data: Path) -> AsyncIterator[Operator]:
    """Opens the way by the socket of a data root."""
    with place.short(data) as way:
        async with aio.insecure_channel(f"unix:{way / place.SOCKET}") as channel:
            yield Operator(channel)


def audited(data: Path) -> list[Call]:
    """Returns all calls that were written to the audit log."""
    return list(AuditLog(data / AUDIT).calls(0))
