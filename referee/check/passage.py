"""One stream through the front: the bot on one side, the referee on the other."""

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import grpc
from google.protobuf.message import DecodeError
from grpc import aio

from referee.check.journal import CLOSED, SLOW_CONSUMER, Journal, now
from referee.v1 import play_service_pb2 as pb

if TYPE_CHECKING:
    from referee.check.front import Front

Context: TypeAlias = "aio.ServicerContext[bytes, bytes]"
Call: TypeAlias = "aio.StreamStreamCall[bytes, bytes]"
End: TypeAlias = tuple[grpc.StatusCode, str]

UNREAD: Final = 2.0
"""How long a bot may leave a message unread, in seconds."""
_EXPECTED: Final = frozenset(
    {grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.ABORTED}
)
"""Statuses with which the referee ends a stream of which the bot is not to blame."""
_TOO_LARGE: Final = "larger than"
"""What both gRPC and the referee say of a message above a limit."""
_LOST: Final = (aio.AioRpcError, asyncio.InvalidStateError, aio.UsageError)
_PARTING: Final = 2.0


class Passage:
    """Passes on what both sides say, as the front's tamper has it, and notes it in its journal."""

    def __init__(self, front: "Front", context: Context, call: Call) -> None:
        self.journal: Journal = front.journal
        self._front = front
        self._context = context
        self._call = call
        self._notes = self.journal.opened()
        self._cut: asyncio.Future[End] = asyncio.get_running_loop().create_future()
        self._cut_next = False
        self._messages: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._writing = asyncio.Lock()
        self._passing_up = asyncio.Lock()

    async def run(self) -> None:
        """Lives until the stream ends, from either side or by `cut`."""
        up = asyncio.ensure_future(self._up())
        tasks = [up, asyncio.ensure_future(self._fetch()), down := asyncio.ensure_future(self._down())]
        ends: set[asyncio.Future[Any]] = {up, down, self._cut}
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if up.done() and not down.done() and not self._cut.done():
                self._note_end("bot")
                with contextlib.suppress(*_LOST):
                    await self._call.done_writing()
                await asyncio.wait(ends - {up}, timeout=_PARTING, return_when=asyncio.FIRST_COMPLETED)
            end = self._cut.result() if self._cut.done() else await self._upstream_end(down)
            self._note_end("check" if self._cut.done() else "referee")
        except asyncio.CancelledError:
            self._note_end("bot")
            raise
        finally:
            for task in tasks:
                task.cancel()
            self._call.cancel()
        if end[0] is not grpc.StatusCode.OK:
            await self._context.abort(*end)

    def cut(self, code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE, text: str = "connection lost") -> None:
        """Ends the stream, as a broken line would unless told otherwise."""
        if not self._cut.done():
            self._note_end("check")
            self._cut.set_result((code, text))

    def cut_after_this(self) -> None:
        """Ends the stream as soon as the message at hand is written."""
        self._cut_next = True

    async def tell(self, frame: pb.PlayResponseFrame) -> None:
        """Tells the bot something that the referee has not said."""
        await self._write([frame])

    async def pass_up(self, frames: list[pb.PlayRequestFrame]) -> None:
        """Tells the referee something now."""
        await self._send_up(pb.PlayRequest(frames=frames).SerializeToString())

    def _note_end(self, ender: str) -> None:
        front_closes = self._front.closing and ender == "bot"
        self.journal.ended(self._notes, "check" if front_closes else ender)

    async def _upstream_end(self, down: "asyncio.Future[None]") -> End:
        if not down.done():
            return grpc.StatusCode.OK, ""
        code, text = await self._call.code(), await self._call.details()
        if self._notes.welcome is None and code is not grpc.StatusCode.OK and code not in _EXPECTED:
            self._notes.refusal = f"{code.name}: {text}"
        if code not in _EXPECTED:
            if self._notes.welcome and _TOO_LARGE in text:
                most = self._notes.welcome.limits.max_request_bytes // 1024
                text += f"; a message to the referee may have {most} KiB"
            self.journal.offend(CLOSED, f"the referee closed the stream with {code.name}: {text}")
        return code, text

    async def _up(self) -> None:
        """Passes on what the bot says until it ends its side, or the referee's is gone."""
        with contextlib.suppress(*_LOST):
            while isinstance(data := await self._context.read(), bytes):
                at = now()
                try:
                    frames = list(pb.PlayRequest.FromString(data).frames)
                except DecodeError:
                    await self._send_up(data)  # the referee says what it makes of that
                    continue
                if self._cut.done():
                    return
                self.journal.said(self._notes, frames, at)
                await self._send_up(await self._altered(data, frames))
            return
        await asyncio.shield(self._cut)  # nobody hears the bot any more, and the end is about to be told

    async def _send_up(self, data: bytes) -> None:
        async with self._passing_up:
            await self._call.write(data)

    async def _altered(self, data: bytes, frames: list[pb.PlayRequestFrame]) -> bytes:
        kept: list[Any] = []
        for frame in frames:
            kept += await self._front.tamper.to_referee(self, frame)
        same = len(kept) == len(frames) and all(a is b for a, b in zip(kept, frames, strict=True))
        return data if same else pb.PlayRequest(frames=kept).SerializeToString()

    async def _fetch(self) -> None:
        with contextlib.suppress(*_LOST):
            while isinstance(data := await self._call.read(), bytes):
                self._messages.put_nowait(data)
        self._messages.put_nowait(None)

    async def _down(self) -> None:
        """Passes on what the referee says until it has said all."""
        while (data := await self._messages.get()) is not None:
            parts = [data]
            if self._front.tamper.gather:
                await asyncio.sleep(self._front.tamper.gather)
                while not self._messages.empty() and (more := self._messages.get_nowait()) is not None:
                    parts.append(more)
                    data = more
            kept: list[pb.PlayResponseFrame] = []
            for frame in pb.PlayResponse.FromString(b"".join(parts)).frames:
                kept += await self._front.tamper.to_bot(self, frame)
            if kept:
                await self._write(kept)
            if self._cut_next:
                self.cut()

    async def _write(self, frames: list[pb.PlayResponseFrame]) -> None:
        self.journal.told(self._notes, frames)
        loop = asyncio.get_running_loop()
        text = f"it left a message unread for {UNREAD:g} s"
        unread = loop.call_later(UNREAD, self.journal.offend, SLOW_CONSUMER, text)
        try:
            with contextlib.suppress(*_LOST):
                async with self._writing:
                    await self._context.write(pb.PlayResponse(frames=frames).SerializeToString())
        finally:
            unread.cancel()
