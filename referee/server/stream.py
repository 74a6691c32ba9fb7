"""One stream of a bot: a reader that never pauses, a writer that joins what waits.

The reader stamps a message first thing and acts on it at once; limits refuse, they do not wait. The
writer wakes once for all frames of a turn of the event loop and sends them as one message. The clock
of a turn starts when its write is attempted, or when it is queued behind a write that is blocked.
"""

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import grpc
import msgspec
import structlog
from grpc import aio

from referee.server import frames, logs
from referee.server import session as said
from referee.server.auth import Identity
from referee.server.hello import Introduction
from referee.server.session import Closing, Session
from referee.v1 import play_service_pb2 as pb

if TYPE_CHECKING:
    from referee.server.host import Host
    from referee.server.live import LiveMatch
    from referee.server.member import Member

Context: TypeAlias = "aio.ServicerContext[bytes, bytes]"

_log = structlog.get_logger("referee.stream")
_LAST_WORDS: Final = 1.0
"""How long a closing stream may take for what was queued, and for its status, in seconds."""
_GATHERING: Final = 0.001
"""How long a message waits for more turns, in seconds, while the bot has others to think about."""
_PARTING: Final = 0.5
"""How long a bot may take to end its side after `Goodbye`, in seconds."""
_QUEUE_PER_MATCH: Final = 8

CODES: Final[Mapping[int, grpc.StatusCode]] = {
    pb.GOODBYE_REASON_TAKEN_OVER: grpc.StatusCode.ABORTED,
    pb.GOODBYE_REASON_TOO_MANY_TAKEOVERS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    pb.GOODBYE_REASON_SLOW_CONSUMER: grpc.StatusCode.RESOURCE_EXHAUSTED,
    pb.GOODBYE_REASON_STREAM_FAULTS: grpc.StatusCode.INVALID_ARGUMENT,
    pb.GOODBYE_REASON_BAD_HELLO: grpc.StatusCode.INVALID_ARGUMENT,
    pb.GOODBYE_REASON_DRAINING: grpc.StatusCode.UNAVAILABLE,
    pb.GOODBYE_REASON_REVOKED: grpc.StatusCode.UNAUTHENTICATED,
    pb.GOODBYE_REASON_INTERNAL: grpc.StatusCode.INTERNAL,
}
"""The status that a stream ends with, by the reason of its `Goodbye`; `LEFT` ends with OK."""


class Connection:
    """The stream while it lasts.

    Attributes:
        identity: whom its token stands for.
        session: what the bot has said.
        member: who it is, after `Hello`.
        writing_since: when the write that is under way began, 0 while there is none.
        catching_up: whether matches are told again, which does not count as waiting to be read.
    """

    def __init__(self, host: "Host", context: Context, identity: Identity) -> None:
        self.member: Member | None = None
        self.writing_since = 0
        self.catching_up = False
        self._host = host
        self._context = context
        self.identity = identity
        self._log = _log.bind(bot=identity.bot_id)
        self._now = host.runner.now
        self._stamp = host.runner.stamp
        self._opened = self._now()
        self.session = Session(host.config.limits, self._opened)
        self._queue: deque[tuple[bytes, LiveMatch | None, int, int]] = deque()
        self._queued = 0
        self._excused = 0
        self._asking = 0
        self._wake: asyncio.Future[None] | None = None
        self._closing: asyncio.Future[Closing] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """Lives until the stream ends, from either side."""
        reader = asyncio.ensure_future(self._read())
        writer = asyncio.ensure_future(self._write())
        self._host.streams.add(self)
        try:
            ends: set[asyncio.Future[Any]] = {reader, writer, self._closing}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            self._detach()
            if self._closing.done():
                await self._end(reader, writer, self._closing.result())
        finally:
            reader.cancel()
            writer.cancel()
            self._detach()

    def send(self, data: bytes) -> None:
        """Queues a frame."""
        self._put(data, None, 0, 0)

    def ask(self, data: bytes, match: "LiveMatch", seat: int, turn: int) -> None:
        """Queues a turn; its clock starts with the write, or now if the bot is not reading."""
        self.session.turn_opened()
        self._asking += 1
        if self.writing_since:
            match.asked(seat, turn, self._now(), self.session.lag)
            self._put(data, None, seat, turn)
        else:
            self._put(data, match, seat, turn)

    def close(self, reason: int, note: str, code: str = "") -> None:
        """Ends the stream soon; the first reason counts. `code` is as in `Closing`."""
        if self._closing.done():
            return
        self.session.close()
        if reason != pb.GOODBYE_REASON_SLOW_CONSUMER:
            goodbye = frames.goodbye(reason, note)
            self._queue.append((goodbye, None, 0, 0))
            self._queued += len(goodbye)
        self._closing.set_result(Closing(reason, note, code))
        self._awake()

    def chores(self, now: int) -> None:
        """Ends a stream whose bot does not read, or does not say who it is."""
        limits = self._host.config.limits
        if self.member is None and now - self._opened > limits.hello:
            self.close(pb.GOODBYE_REASON_BAD_HELLO, "a stream begins with Hello, and none came")
        if self.writing_since and now - self.writing_since > limits.write:
            self.close(pb.GOODBYE_REASON_SLOW_CONSUMER, "a write took too long")

    def measure(self, now: int) -> None:
        """Sends a ping where that measures something."""
        ping_id = 0 if self._queue or self.writing_since else self.session.ping(now)
        if ping_id:
            self.send(frames.ping(ping_id))

    def stalled(self, duration: int) -> None:
        """Does not charge the referee's own delay to a write."""
        self._opened += duration
        if self.writing_since:
            self.writing_since += duration

    # Reading

    async def _read(self) -> None:
        read, stamp = self._context.read, self._stamp
        try:
            while True:
                data = await read()
                now = stamp()
                if not isinstance(data, bytes):
                    return
                for signal in self.session.receive(data, now):
                    self._heed(signal, now)
        except Exception:  # noqa: BLE001  whatever it is, only this stream ends by it
            self.close(pb.GOODBYE_REASON_INTERNAL, logs.incident("the stream failed", self._log))

    def _heed(self, signal: said.Signal, now: int) -> None:
        kind = type(signal)
        if kind is said.Acted:
            self._act(signal.act, now)  # type: ignore[union-attr]
        elif isinstance(signal, said.ReadySaid):
            if found := self._seat(signal.match_id, 0, now):
                found[0].ready(found[1], signal.entropy, now)
        elif isinstance(signal, said.Flooded):
            if found := self._seat(signal.match_id, 0, now):
                found[0].flooded(found[1], now)
        elif isinstance(signal, said.StreamFault):
            self.send(frames.refusal(signal.fault, signal.reason, signal.match_id, signal.turn_id))
        elif isinstance(signal, Introduction):
            self._introduced(signal)
        elif isinstance(signal, Closing):
            self.close(*msgspec.structs.astuple(signal))
        elif isinstance(signal, said.PracticeAsked):
            if self.member:
                self._host.practice(self.member, signal.wish)
        elif self.member:
            self.member.leaving = True
            self._host.lobby.forget_idle(self.member)

    def _act(self, act: pb.Act, now: int) -> None:
        if found := self._seat(act.match_id, act.turn_id, now):
            found[0].act(found[1], act, now)

    def _seat(self, match_id: str, turn_id: int, now: int) -> "tuple[LiveMatch, int] | None":
        member = self.member
        found = member.seats.get(match_id) if member else None
        if found is None and member:
            ended = match_id in member.ended
            for signal in self.session.unknown_match(match_id, turn_id, ended=ended):
                self._heed(signal, now)
        return found

    def _introduced(self, introduction: Introduction) -> None:
        refusal = self._host.join(self, self.identity, introduction)
        if refusal:
            self.close(*msgspec.structs.astuple(refusal))

    # Writing

    def _put(self, data: bytes, match: "LiveMatch | None", seat: int, turn: int) -> None:
        if self._closing.done():
            if match:
                match.asked(seat, turn, self._now())
            return
        self._queue.append((data, match, seat, turn))
        self._queued += len(data)
        if self.catching_up:
            self._excused += len(data)
        if self._queued - self._excused > self._host.config.limits.queue_bytes + len(data):
            self.close(pb.GOODBYE_REASON_SLOW_CONSUMER, "too many bytes wait to be read")
        if self._wake:
            self._awake()
        elif len(self._queue) > self._limit():
            self.close(pb.GOODBYE_REASON_SLOW_CONSUMER, "too many frames wait to be read")

    def _awake(self) -> None:
        """Wakes the writer if it waits for something to write, or for the end."""
        if self._wake and not self._wake.done():
            self._wake.set_result(None)

    def _limit(self) -> int:
        running = len(self.member.seats) if self.member else 0
        return self._host.config.limits.queue_frames + _QUEUE_PER_MATCH * running

    async def _write(self) -> None:
        write, now = self._context.write, self._now
        loop = asyncio.get_running_loop()
        while True:
            if not self._queue:
                self._excused = 0
                if self._closing.done():
                    return
                self._wake = loop.create_future()
                await self._wake
                self._wake = None
                if self.member and len(self.member.open_turns) > self._asking and not self._closing.done():
                    await asyncio.sleep(_GATHERING)
                if self.member and len(self.member.seats) > 1:
                    await asyncio.sleep(0)  # what other streams have ready may ask this bot more
            self.writing_since = now()
            await write(self._take(self.writing_since))
            self.writing_since = 0

    def _take(self, now: int) -> bytes:
        """Returns the next message and starts the clocks of the turns in it."""
        queue, room = self._queue, self._host.config.limits.response_bytes
        parts: list[bytes] = []
        while queue and (len(queue[0][0]) <= room or not parts):
            data, match, seat, turn = queue.popleft()
            parts.append(data)
            room -= len(data)
            self._queued -= len(data)
            self._asking -= turn > 0
            if match:
                match.asked(seat, turn, now, self.session.lag)
        return b"".join(parts) if len(parts) > 1 else parts[0]

    # The end

    async def _end(
        self, reader: "asyncio.Future[None]", writer: "asyncio.Future[None]", closing: Closing
    ) -> None:
        code = grpc.StatusCode[closing.code] if closing.code else CODES.get(closing.reason)
        if closing.reason != pb.GOODBYE_REASON_SLOW_CONSUMER:
            await asyncio.wait({writer}, timeout=_LAST_WORDS)
            # A client library may throw away what it has not handed on when the status comes, so the
            # bot gets time to read and to end its side; what it still says is not heeded.
            await asyncio.wait({reader}, timeout=_PARTING)
        reader.cancel()
        writer.cancel()
        if code is None:
            return
        self._log.info("stream closed", reason=closing.note)
        try:
            await asyncio.wait_for(self._context.abort(code, closing.note), _LAST_WORDS)
        except TimeoutError:
            # A client that does not read finds the status behind what it has not read; the handler
            # does not wait for that.
            raise asyncio.CancelledError from None

    def _detach(self) -> None:
        """Frees the seat for a new stream; turns that were never written run on from now."""
        if self not in self._host.streams:
            return
        self._host.streams.discard(self)
        self.session.close()
        now = self._now()
        for _, match, seat, turn in tuple(self._queue):  # a match that fails by it queues its end
            if match:
                match.asked(seat, turn, now)
        if self.member:
            self._host.left(self.member, self)
