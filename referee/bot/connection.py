"""The stream to the referee: opened, kept, opened again. The only module of the kit that does I/O.

Everything runs on one thread, `choose` too: while it thinks, nothing is read. gRPC's own threads
keep the connection alive meanwhile. Those of the asyncio API hold no lock of Python's, so that the
interpreter can end beside them; those of the synchronous stub do, and may leave it waiting for ever.
"""

import asyncio
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NamedTuple, TypeAlias

import grpc
import grpc.aio

from referee.bot.endpoint import Endpoint
from referee.bot.last_status import LastStatus
from referee.bot.practice import Practice
from referee.bot.session import Bot, Session
from referee.bot.telling import Trouble, say
from referee.v1 import play_service_pb2 as play
from referee.v1.play_service_pb2_grpc import PlayServiceStub

FIRST_DELAY = 0.1
"""Seconds before the first new try; doubled each time, always with jitter."""
LAST_DELAY = 5.0
"""The longest wait between two tries, in seconds."""

_FINAL_CODES = frozenset(
    {
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.UNIMPLEMENTED,
    }
)
_FINAL_REASONS = frozenset(
    {
        play.GOODBYE_REASON_TAKEN_OVER,
        play.GOODBYE_REASON_STREAM_FAULTS,
        play.GOODBYE_REASON_BAD_HELLO,
        play.GOODBYE_REASON_REVOKED,
    }
)
_PATIENT_REASONS = frozenset({play.GOODBYE_REASON_DRAINING, play.GOODBYE_REASON_TOO_MANY_TAKEOVERS})

_EARLY = "waits for the matches of its earlier version; stop that if it still runs"

_SIGNALS = (signal.SIGTERM, signal.SIGINT)

_Call: TypeAlias = "grpc.aio.StreamStreamCall[play.PlayRequest, play.PlayResponse]"


class Refused(Exception):  # noqa: N818 -- the word of the protocol; nothing went wrong in the kit
    """Says in one line why the referee will not have this bot, so that trying again is no use."""


class _Ending(NamedTuple):
    """How a stream ended: the status, and a line that tells of it."""

    code: grpc.StatusCode
    why: str


class Connection:
    """Plays one bot at one endpoint until it is over for good."""

    def __init__(self, bot: Bot, endpoint: Endpoint) -> None:
        self._bot = bot
        self._endpoint = endpoint
        self._address = endpoint.address
        self._metadata = (("authorization", f"Bearer {endpoint.token}"),)
        self._practice = Practice(bot.practice, bot.games)
        self._session = Session(bot, self._practice)
        self._leaving = asyncio.Event()
        self._writing = asyncio.Lock()
        self._greeted: Session | None = None
        self._failures = 0
        self._trouble = Trouble(asyncio.get_running_loop().time)

    async def run(self) -> None:
        """Returns when the bot has left; raises `Refused`, or what the bot itself raised."""
        with self._catching_signals():
            while not self._leaving.is_set():
                async with self._endpoint.channel() as channel:
                    end = await self._stream(PlayServiceStub(channel).Play(None, metadata=self._metadata))
                if self._leaving.is_set() or self._is_over(end):
                    break
                if self._is_early(end):
                    self._trouble.say(f"{self._address}: {_EARLY}")
                elif not self._is_stopping():
                    self._trouble.say(f"{end.why}; trying again, at least every {LAST_DELAY:g} s")
                await self._wait()
        if self._practice.refused and not self._practice.played:
            raise Refused(f"nothing was practised at {self._address}")

    async def _stream(self, call: _Call) -> _Ending:
        """Plays over one stream and returns how it ended; raises `Refused`."""
        self._session = session = Session(self._bot, self._practice)
        last = LastStatus(call)
        leaver = asyncio.ensure_future(self._leave(call))
        try:
            await self._write(call, session.hello())
            while isinstance(response := await call.read(), play.PlayResponse):
                for request in session.receive(response):
                    await self._write(call, request)
                self._greet(session)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await _drain(call, session)
        finally:
            leaver.cancel()
        code, details = await last.wait()
        if code in _FINAL_CODES and session.goodbye is None:
            raise Refused(f"{self._address} refused the bot: {code.name}: {details}")
        said = f"{self._address}: {code.name}: {details}" if details else f"{self._address} closed the stream"
        advice = self._endpoint.advice(details)
        return _Ending(code, f"{said}; {advice}" if advice else said)

    def _is_over(self, end: _Ending) -> bool:
        goodbye = self._session.goodbye
        if goodbye is None or self._is_early(end):
            return False
        if goodbye.reason in _FINAL_REASONS:
            name = play.GoodbyeReason.Name(goodbye.reason).removeprefix("GOODBYE_REASON_")
            raise Refused(f"{self._address} ended the session: {name}: {goodbye.note or end.why}")
        return goodbye.reason == play.GOODBYE_REASON_LEFT

    def _is_early(self, end: _Ending) -> bool:
        """Says whether only the matches that the bot still plays in another version are in the way."""
        goodbye = self._session.goodbye
        bad_hello = goodbye is not None and goodbye.reason == play.GOODBYE_REASON_BAD_HELLO
        return bad_hello and end.code is grpc.StatusCode.FAILED_PRECONDITION

    def _is_stopping(self) -> bool:
        """Says whether the server has ended the stream because it stops.

        That is no news to a bot that was launched for its matches, and others hear of it as soon as
        nobody is there any more.
        """
        goodbye = self._session.goodbye
        return goodbye is not None and goodbye.reason == play.GOODBYE_REASON_DRAINING

    def _greet(self, session: Session) -> None:
        """Tells once for each stream, when asked to or after trouble was told, that it stands."""
        if session.welcome is None or self._greeted is session:
            return
        self._greeted = session
        self._failures = 0
        if self._bot.verbose or self._trouble.told:
            say(f"connected to {self._address} as {session.welcome.display_name}")
        self._trouble.over()

    async def _write(self, call: _Call, request: play.PlayRequest) -> None:
        async with self._writing:
            await call.write(request)

    async def _leave(self, call: _Call) -> None:
        await self._leaving.wait()
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self._write(call, self._session.leave())

    async def _wait(self) -> None:
        """Waits before the next try, longer each time; full jitter keeps bots from coming in step."""
        goodbye = self._session.goodbye
        self._failures += 1
        longest = min(LAST_DELAY, FIRST_DELAY * 2 ** min(self._failures - 1, 10))
        if goodbye is not None and goodbye.reason in _PATIENT_REASONS:
            longest = LAST_DELAY
        with suppress(TimeoutError):
            await asyncio.wait_for(self._leaving.wait(), random.uniform(longest / 2, longest))  # noqa: S311

    @contextmanager
    def _catching_signals(self) -> Iterator[None]:
        """Makes the first SIGTERM or interrupt a `Leave`, and the second the end of the process.

        Afterwards they are what they were, for a program that goes on.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()

        def leave(_signal: int, _frame: FrameType | None) -> None:
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            loop.call_soon_threadsafe(self._leaving.set)

        before = [(number, signal.getsignal(number)) for number in _SIGNALS]
        for number in _SIGNALS:
            # A signal that comes just before the loop waits for the network would not end that wait.
            # The loop's own handler, though replaced at once, leaves the loop awake to signals.
            with suppress(NotImplementedError):  # Windows
                loop.add_signal_handler(number, self._leaving.set)
            signal.signal(number, leave)
        try:
            yield
        finally:
            for number, handler in before:
                with suppress(NotImplementedError):
                    loop.remove_signal_handler(number)
                signal.signal(number, handler)


async def _drain(call: _Call, session: Session) -> None:
    """Reads what came before the stream broke: its last word may be the reason."""
    with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
        while isinstance(response := await call.read(), play.PlayResponse):
            for frame in response.frames:
                if frame.HasField("goodbye"):
                    session.goodbye = frame.goodbye
