"""Calls of the operator that are repeated by their request id, where there are very many of them."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.server.admin import calls
from referee.server.admin.audit import AUDIT, AuditLog
from referee.server.admin.calls import DAY, Calls, Method, RefusedCallError
from referee.v1 import admin_service_pb2 as pb
from tests.patience import PATIENCE
from tests.server.client import run, until

MOST = 3


class _Refused(Exception):  # noqa: N818  it is how gRPC ends a call, and no error of anybody here
    pass


class _Context:
    def peer(self) -> str:
        return "unix:"

    async def abort(self, code: grpc.StatusCode, text: str) -> None:
        raise _Refused(code, text)


@pytest.mark.parametrize("refused", [False, True], ids=["answered", "refused"])
@pytest.mark.parametrize("days", [0, 2])
def test_a_call_that_is_under_way_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int, *, refused: bool
) -> None:
    """However many follow it and however long it takes: it is done once, and a repeated one hears so."""
    monkeypatch.setattr(calls, "_MOST", MOST)
    may_go_on, begun = asyncio.Event(), []
    now = 1

    async def slow(request: Any) -> pb.CreateMatchResponse:
        begun.append(request)
        await may_go_on.wait()
        if refused:
            raise RefusedCallError(grpc.StatusCode.FAILED_PRECONDITION, "no free places")
        return pb.CreateMatchResponse()

    async def quick(_request: Any) -> pb.UnfreezeLadderResponse:
        return pb.UnfreezeLadderResponse()

    create = Method("CreateMatch", pb.CreateMatchResponse, slow)
    other = Method("UnfreezeLadder", pb.UnfreezeLadderResponse, quick)
    context: Any = _Context()

    async def play() -> None:
        nonlocal now
        kept = Calls(AuditLog(tmp_path / AUDIT), lambda: now)

        async def called(name: str) -> object:
            try:
                return await kept.serve(create, pb.CreateMatchRequest(request_id=name), context)
            except _Refused as error:
                return error.args

        async with asyncio.timeout(PATIENCE):
            first = asyncio.ensure_future(called("x"))
            await until(lambda: begun)
            now += days * DAY
            for number in range(2 * MOST):
                await kept.serve(other, pb.UnfreezeLadderRequest(request_id=f"y{number}"), context)
            assert len(kept._kept) <= MOST
            again = asyncio.ensure_future(called("x"))
            await until(lambda: len(kept._doing) == 2)
            await asyncio.sleep(0)
            may_go_on.set()
            answers = await asyncio.gather(first, again)

        assert answers[0] == answers[1]
        if refused:
            assert answers[0] == (grpc.StatusCode.FAILED_PRECONDITION, "no free places")
        assert len(begun) == 1

    run(play())
