"""The stream of a person's seat: opened, kept, opened again. The only module here that does I/O."""

import asyncio
from contextlib import suppress
from typing import Final, TypeAlias

import grpc
import grpc.aio

from referee.bot.endpoint import Endpoint
from referee.bot.last_status import LastStatus
from referee.person.seat import OVER, Answer, Phase, Seat, Wish
from referee.v1 import play_service_pb2 as play
from referee.v1.play_service_pb2_grpc import PlayServiceStub

FIRST_PAUSE: Final = 0.1
"""Seconds before the first new try; doubled each time."""
LAST_PAUSE: Final = 5.0
"""The longest wait between two tries, in seconds."""
ANSWER: Final = 10.0
"""Seconds in which a server has to say something on a new stream."""
FIRST_PATIENCE: Final = 30.0
"""Seconds for which a server is tried that has said nothing yet."""
PATIENCE: Final = 90.0
"""Seconds for which it is tried to come back."""

_FINAL: Final = frozenset(
    {
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.ABORTED,
    }
)

_Call: TypeAlias = "grpc.aio.StreamStreamCall[play.PlayRequest, play.PlayResponse]"


class _Line:
    """A stream that takes one message after another: two at once would break it."""

    def __init__(self, call: _Call) -> None:
        self._call = call
        self._turn = asyncio.Lock()

    async def write(self, request: play.PlayRequest) -> None:
        """Sends a message once those before it are gone."""
        async with self._turn:
            await self._call.write(request)


class Player:
    """Holds one seat at one endpoint for as long as its match lasts.

    Attributes:
        trouble: what hinders it now and for how long it goes on to try; empty while nothing does.
    """

    def __init__(self, endpoint: Endpoint, wish: Wish) -> None:
        self.seat = Seat(wish)
        self.trouble = ""
        self._welcome = False
        self._said = ""
        self._endpoint = endpoint
        self._metadata = (("authorization", f"Bearer {endpoint.token}"),)
        self._line: _Line | None = None
        """What answers go by: a stream on which the server has spoken."""
        self._changed = asyncio.Condition()
        self._telling: asyncio.Future[None] | None = None
        self._running = asyncio.ensure_future(self._run())

    async def change(self, version: int) -> None:
        """Returns when the seat is newer than a version of it, at once where it is."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.seat.version > version)

    async def answer(self, turn_id: int, answer: Answer) -> bool:
        """Answers a turn; says whether it was open still. What the referee makes of it shows in the seat."""
        request = self.seat.answer(turn_id, answer)
        if request is None:
            return False
        await self._tell()
        if self._line:  # else the turn is told again by the next stream
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await self._line.write(request)
        return True

    def left(self) -> float:
        """Returns the seconds that are left for the open turn, not less than 0."""
        return max(0.0, self.seat.deadline - asyncio.get_running_loop().time())

    def tell_again(self) -> None:
        """Has everybody who waits for news of the seat look again: something beside it has changed."""
        self.seat.version += 1
        self._telling = asyncio.ensure_future(self._tell())

    async def close(self, note: str = "you left", *, given_up: bool = False) -> None:
        """Gives up the stream; the referee is not told why. With `given_up` the seat forfeits by that."""
        self._running.cancel()
        await asyncio.wait({self._running})
        self.seat.lose(note, given_up=given_up)
        await self._tell()

    async def _run(self) -> None:
        clock = asyncio.get_running_loop().time
        failures, since = 0, clock()
        while self.seat.phase not in OVER:
            before = self.seat.version
            why = await self._stream()
            if self.seat.phase in OVER:
                return
            if self.seat.version > before:
                failures, since = 0, clock()
            failures += 1
            patience = PATIENCE if self._welcome else FIRST_PATIENCE
            problem = f"{self._endpoint.address} {self._said or 'does not answer'}"
            if why or clock() - since >= patience:
                self.seat.lose(why or problem)
                await self._tell()
                return
            if not self.trouble:
                self.trouble = f"{problem}; trying again for {patience:g} s"
                self.tell_again()
            await asyncio.sleep(min(LAST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1)))

    async def _stream(self) -> str:
        """Plays over one stream; returns why no other one is worth a try, or nothing."""
        async with self._endpoint.channel() as channel:
            call = PlayServiceStub(channel).Play(None, metadata=self._metadata)
            last = LastStatus(call)
            goodbye: play.Goodbye | None = None
            self._said = ""
            line = _Line(call)
            try:
                async with asyncio.timeout(ANSWER):
                    await line.write(self.seat.hello())
                    response = await call.read()
                self._line = line
                while isinstance(response, play.PlayResponse):
                    said = [frame.goodbye for frame in response.frames if frame.HasField("goodbye")]
                    goodbye = said[0] if said else goodbye
                    self._said = f"says: {goodbye.note}" if goodbye and goodbye.note else ""
                    await self._take(line, response)
                    if self.seat.phase is Phase.ENDED:
                        return ""
                    response = await call.read()
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                pass  # how it ended is told below
            except TimeoutError:
                call.cancel()
                return ""
            finally:
                self._line = None
            return _why_over(*await last.wait(), goodbye)

    async def _take(self, line: _Line, response: play.PlayResponse) -> None:
        now = asyncio.get_running_loop().time()
        request = play.PlayRequest()
        before = self.seat.version
        for frame in response.frames:
            if frame.HasField("welcome"):
                self._welcome, self.trouble = True, ""
            request.frames.extend(self.seat.take(frame, now))
        if request.frames:
            await line.write(request)
        if self.seat.version > before:
            await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()


def _why_over(code: grpc.StatusCode, details: str, goodbye: play.Goodbye | None) -> str:
    """Returns why a stream that ended is not opened again; nothing where it may be."""
    said = goodbye.note if goodbye else ""
    return (said or details or code.name) if code in _FINAL else ""
