"""The status that a stream ended with, against a referee that refuses while the bot says hello."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress

import grpc
import grpc.aio

from referee.bot.last_status import LastStatus, Status
from referee.v1 import play_service_pb2 as play
from referee.v1.play_service_pb2_grpc import PlayServiceStub
from tests.bot.scripted_referee import Refusal, Requests, ScriptedReferee

CALLS = 100
"""A third of them lost the status of the referee where nothing kept it."""


def refuse(_: Requests) -> Iterator[play.PlayResponse]:
    """Ends the stream without hearing anybody."""
    raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "not this one")
    yield


async def knock(address: str) -> Status:
    """Says hello once and returns how the stream ended."""
    async with grpc.aio.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
        call = PlayServiceStub(channel).Play(None)
        last = LastStatus(call)
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await call.write(play.PlayRequest())
            await call.read()
        return await last.wait()


def test_a_refusal_that_crosses_the_hello_is_heard() -> None:
    """What the referee said is the status, also where a write failed since the stream was over."""

    async def knock_often(address: str) -> set[Status]:
        return {await knock(address) for _ in range(CALLS)}

    with ScriptedReferee(*[refuse] * CALLS) as referee:
        assert asyncio.run(knock_often(referee.address)) == {
            Status(grpc.StatusCode.PERMISSION_DENIED, "not this one")
        }


def test_a_referee_that_is_not_there_is_told() -> None:
    """Without a referee the status is that of the library."""
    with ScriptedReferee() as referee:
        address = referee.address
    assert asyncio.run(knock(address)).code is grpc.StatusCode.UNAVAILABLE
