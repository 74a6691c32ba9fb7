"""A referee for one bot: it listens as the real one does, and says what it is given to say.

Bytes are read by the session of the real referee, so the same is taken, and the same refused.
"""

import asyncio
import secrets
import time
from typing import TYPE_CHECKING, Final, TypeAlias

import grpc
from grpc import aio

from referee.match.config import Setup
from referee.server import frames
from referee.server import session as said
from referee.server.app import OPTIONS, PLAY
from referee.server.auth import REFUSAL, Identity
from referee.server.config import Limits
from referee.server.hello import Introduction
from referee.server.session import Closing, Session
from referee.server.stream import CODES
from referee.v1 import play_service_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Callable

Context: TypeAlias = "aio.ServicerContext[bytes, bytes]"
_HOST: Final = "127.0.0.1"
_TAKEN_OVER: Final = "another stream of this bot and instance took over"


class Desk:
    """Where the bot of a drill dials in; a new stream takes over from the one before.

    Attributes:
        token: what the bot has to show.
        address: where it dials in.
        acts: what it answered, with the time of each in microseconds of the monotonic clock.
        introduced: done when it has said `Hello` for the first time.
        ready: done when it has said `Ready`.
        open_turns: the turn that waits for an answer, by match id.
        again: returns what a stream is told that comes while the match runs.
    """

    def __init__(self, setup: Setup, seat: int) -> None:
        loop = asyncio.get_running_loop()
        self.token = secrets.token_urlsafe(24)
        self.address = ""
        self.acts: asyncio.Queue[tuple[pb.Act, int]] = asyncio.Queue()
        self.introduced: asyncio.Future[Introduction] = loop.create_future()
        self.ready: asyncio.Future[None] = loop.create_future()
        self.open_turns: dict[str, int] = {}
        self.again: Callable[[Introduction], bytes] | None = None
        self._setup = setup
        self._limits = Limits()
        who = setup.seats[seat]
        self._identity = Identity(who.bot, who.name, who.owner)
        self._stream: Context | None = None
        self._server: aio.Server | None = None

    async def start(self) -> None:
        """Listens on a free port."""
        server = aio.server(options=list(OPTIONS))
        handler = grpc.stream_stream_rpc_method_handler(self._play)
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(PLAY, {"Play": handler})])
        port = server.add_insecure_port(f"{_HOST}:0")
        await server.start()
        self._server = server
        self.address = f"{_HOST}:{port}"

    async def stop(self) -> None:
        """Ends the stream and listens no more."""
        if self._server:
            await self._server.stop(0)

    async def tell(self, data: bytes) -> None:
        """Writes frames to the stream of now; without one they are not heard."""
        stream = self._stream
        if stream:
            try:
                await stream.write(data)
            except (grpc.RpcError, aio.AbortError, asyncio.InvalidStateError, aio.UsageError):
                self._leave(stream)

    def _leave(self, stream: Context) -> None:
        if self._stream is stream:
            self._stream = None

    async def _play(self, _requests: object, context: Context) -> None:
        shown = str(dict(context.invocation_metadata() or ()).get("authorization", ""))
        if not secrets.compare_digest(shown.encode(), f"Bearer {self.token}".encode()):
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, REFUSAL)
        session = Session(self._limits, _now())
        session.adopt(self.open_turns)
        try:
            while isinstance(data := await context.read(), bytes):
                now = _now()
                for signal in session.receive(data, now):
                    if not await self._heed(session, signal, now, context):
                        return
        finally:
            self._leave(context)

    async def _heed(self, session: Session, signal: said.Signal, now: int, context: Context) -> bool:
        """Acts on what was said; returns whether the stream goes on."""
        if isinstance(signal, Introduction):
            await self._introduce(session, signal, context)
        elif isinstance(signal, said.Acted):
            self.acts.put_nowait((signal.act, now))
        elif isinstance(signal, said.ReadySaid):
            if not self.ready.done():
                self.ready.set_result(None)
        elif isinstance(signal, said.StreamFault):
            refusal = frames.refusal(signal.fault, signal.reason, signal.match_id, signal.turn_id)
            await context.write(refusal)
        elif isinstance(signal, Closing):
            await context.write(frames.goodbye(signal.reason, signal.note))
            await context.abort(CODES[signal.reason], signal.note)
        elif isinstance(signal, said.LeaveAsked):
            return False
        return True

    async def _introduce(self, session: Session, introduction: Introduction, context: Context) -> None:
        if self._stream:
            old, self._stream = self._stream, None
            await old.write(frames.goodbye(pb.GOODBYE_REASON_TAKEN_OVER, _TAKEN_OVER))
        control, conduct = self._setup.time_control, self._setup.penalties
        welcome = frames.welcome("drill", self._identity, self._limits, control, conduct)
        session.match_started(self._setup.match_id)
        known = self.again(introduction) if self.again else b""
        self._stream = context
        await context.write(welcome + known)
        if not self.introduced.done():
            self.introduced.set_result(introduction)


def _now() -> int:
    return time.monotonic_ns() // 1000
