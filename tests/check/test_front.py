"""The front: whom it lets in, and that a restart keeps its address."""

import asyncio

import grpc
import pytest
from grpc import aio

from referee.check.front import Front
from referee.check.journal import CAME_BACK
from referee.errors import UsageError
from referee.server.app import PLAY
from tests.patience import PATIENCE


async def refusal(front: Front, token: str, scheme: str = "Bearer ") -> grpc.StatusCode:
    """Returns the status with which a stream that shows a token is ended; without one it shows nothing."""
    metadata = (("authorization", f"{scheme}{token}"),) if token else ()
    async with aio.insecure_channel(front.address) as channel:
        call = channel.stream_stream(f"/{PLAY}/Play", None, None)(None, metadata=metadata, timeout=PATIENCE)
        return await call.code()


def test_a_token_of_this_check_is_needed_and_streams_without_a_referee_are_counted() -> None:
    """A stranger is refused for good, the bot only for now; the address is the same after a restart."""

    async def run() -> None:
        front = Front()
        await front.start()
        address = front.address
        assert await refusal(front, "guessed") is grpc.StatusCode.UNAUTHENTICATED
        assert front.journal.attempts == []
        await front.stop()
        await front.start()
        assert front.address == address
        assert await refusal(front, front.token) is grpc.StatusCode.UNAVAILABLE
        assert len(front.journal.attempts) == 1
        assert front.journal.offences == []
        await front.stop()

    asyncio.run(asyncio.wait_for(run(), 2 * PATIENCE))


@pytest.mark.parametrize(
    ("token", "scheme", "told"),
    [
        ("", "", "without a token"),
        ("guessed", "Bearer ", "with a wrong token"),
        ("guessed", "", "with a wrong token"),
        ("the token", "", "without 'Bearer ' before its token"),
    ],
)
def test_a_call_that_is_not_let_in_is_noted_with_what_it_lacks(token: str, scheme: str, told: str) -> None:
    """The notes say how often it came and what was wrong; to come again is an offence."""

    async def run() -> None:
        front = Front()
        front.token = "the token"
        await front.start()
        for _ in range(2):
            assert await refusal(front, token, scheme) is grpc.StatusCode.UNAUTHENTICATED
        assert front.journal.barred == f"it dialled in 2 times {told}"
        assert [offence.kind for offence in front.journal.offences] == [CAME_BACK]
        await front.stop()

    asyncio.run(asyncio.wait_for(run(), 2 * PATIENCE))


def test_a_port_that_is_taken_is_refused_in_one_line() -> None:
    """Two checks do not share a port."""

    async def run() -> None:
        first = Front()
        await first.start()
        try:
            second = Front(port=int(first.address.rpartition(":")[2]))
            with pytest.raises(UsageError, match="choose another port"):
                await second.start()
        finally:
            await first.stop()

    asyncio.run(asyncio.wait_for(run(), 2 * PATIENCE))
