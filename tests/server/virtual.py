"""A server without sockets and threads, whose time passes only when nothing is left to do.

Streams are queues. All that happens between two waits happens at one moment, so each of a run's steps
can be a drop, a stall or a full disk at the line where it hurts most.
"""

import asyncio
import contextlib
import heapq
import math
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from referee.match.config import SECOND
from referee.server import runner as runners
from referee.server.auth import Identity
from referee.server.config import ArenaConfig
from referee.server.host import Host
from referee.server.stream import Connection
from referee.v1 import fault_pb2 as faults
from referee.v1 import play_service_pb2 as pb
from tests.server.client import GAME, act, frame, ready, request

if TYPE_CHECKING:
    from referee.server.live import LiveMatch

_ABOUT = ("match_started", "turn", "event", "deal_ended", "rejected", "match_ended")


def _is_stray(arm: str, about: Any) -> bool:
    return arm == "rejected" and about.fault == faults.FAULT_KIND_UNKNOWN_MATCH


class VirtualLoop(asyncio.SelectorEventLoop):
    """Jumps to the next timer when nothing else is to do; `us` is its time in microseconds."""

    us = 1_000 * SECOND

    def time(self) -> float:
        """Returns its own time in seconds."""
        return self.us / SECOND

    def monotonic_ns(self) -> int:
        """Returns the same in nanoseconds, in place of that of the module `time`."""
        return self.us * 1000

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]
        """Does the work at once."""
        del executor
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001  it belongs to who waits
            done.set_exception(error)
        return done

    def _run_once(self) -> None:
        timers: list[Any] = self._scheduled  # type: ignore[attr-defined]
        while timers and timers[0]._cancelled:
            heapq.heappop(timers)._scheduled = False
            self._timer_cancelled_count -= 1  # type: ignore[attr-defined]
        if timers and not self._ready:  # type: ignore[attr-defined]
            self.us = max(self.us, math.ceil(timers[0]._when * SECOND))
        super()._run_once()  # type: ignore[misc]


class Line:
    """What gRPC is to a stream: the bytes from a bot, and those to it while they are not held up."""

    def __init__(self, heard: Callable[[bytes], None]) -> None:
        self.up: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.flows = asyncio.Event()
        self.flows.set()
        self._heard = heard

    async def read(self) -> bytes | None:
        """Returns the next message, None at the end."""
        return await self.up.get()

    async def write(self, data: bytes) -> None:
        """Hands a message to the bot, once it flows."""
        await self.flows.wait()
        self._heard(data)

    async def abort(self, code: object, text: str) -> None:
        """Ends the call as gRPC does, by an exception."""
        raise ConnectionAbortedError(code, text)


class Bot:
    """A bot, whose streams come and go; `prompt` ones answer at once, others are told to.

    Attributes:
        turns: by match id what it was asked last, and has not answered.
        matches: the matches that it was told of on its stream, and not the end of.
        ended: the matches of which it was told the end.
        wrong: what it was told that it must not be.
    """

    def __init__(self, host: Host, name: str, *, prompt: bool, loop: VirtualLoop) -> None:
        self.name, self.prompt, self.host, self.loop = name, prompt, host, loop
        self.turns: dict[str, pb.Turn] = {}
        self.matches: dict[str, pb.MatchStarted] = {}
        self.ended: set[str] = set()
        self.wrong: list[str] = []
        self.line: Line | None = None
        self.lines: list[Line] = []
        self.calls: set[asyncio.Task[None]] = set()

    def connect(self) -> None:
        """Opens a stream, beside one that it may have, and says hello."""
        told: dict[str, bool] = {}
        line = Line(lambda data: self._take(line, data, told))
        self.line = line
        self.lines.append(line)
        self.turns.clear()
        self.matches.clear()
        hello = pb.Hello(protocol_version=1, bot_version="1", games=[GAME], matches_at_once=3)
        line.up.put_nowait(request(frame(hello=hello)))
        call = asyncio.ensure_future(self._live(line))
        self.calls.add(call)
        call.add_done_callback(self.calls.discard)

    def say(self, *frames: pb.PlayRequestFrame) -> None:
        """Sends a message, if it has a stream."""
        if self.line and frames:
            self.line.up.put_nowait(request(*frames))

    def drop(self) -> None:
        """Ends its stream from its own side."""
        if self.line:
            self.line.up.put_nowait(None)
            self.line.flows.set()
            self.line = None

    def leave(self) -> None:
        """Ends all its streams, those too from which another one took over, or failed to."""
        for line in self.lines:
            line.up.put_nowait(None)
            line.flows.set()
        self.line = None

    async def _live(self, line: Line) -> None:
        identity = Identity(f"{self.name}/{self.name}", self.name, self.name)
        with contextlib.suppress(ConnectionAbortedError, asyncio.CancelledError):
            await Connection(self.host, line, identity).run()  # type: ignore[arg-type]
        if self.line is line:
            self.line = None

    def _take(self, line: Line, data: bytes, over: dict[str, bool]) -> None:
        """Takes a message, and notes what must not be among those of one stream."""
        for got in pb.PlayResponse.FromString(data).frames:
            arm = got.WhichOneof("frame") or ""
            about = getattr(got, arm)
            if over.get("goodbye"):
                self.wrong.append(f"{arm} after goodbye")
            if arm in _ABOUT and about.match_id in over and not _is_stray(arm, about):
                self.wrong.append(f"{arm} after the end of its match")
            if arm == "ping":
                line.up.put_nowait(request(frame(pong=pb.Pong(ping_id=about.ping_id))))
            elif arm == "goodbye":
                over["goodbye"] = True
            elif arm == "match_ended":
                over[about.match_id] = True
            if line is self.line:
                self._note(arm, about)

    def _note(self, arm: str, about: Any) -> None:
        if arm == "match_started":
            self.matches[about.match_id] = about
            if self.prompt:
                self.say(ready(about))
        elif arm == "turn":
            self.turns[about.match_id] = about
            if self.prompt:
                self.answer(about.match_id)
        elif arm == "match_ended":
            self.ended.add(about.match_id)
            self.matches.pop(about.match_id, None)
            self.turns.pop(about.match_id, None)

    def get_ready(self) -> None:
        """Says so of all its matches."""
        self.say(*map(ready, self.matches.values()))

    def answer(self, match_id: str, **changed: Any) -> None:
        """Answers an open turn with its first legal action, or with something else."""
        turn = self.turns[match_id] if changed else self.turns.pop(match_id)
        self.say(act(turn, **changed))


class Town:
    """One host and its bots."""

    def __init__(self, config: ArenaConfig, loop: VirtualLoop) -> None:
        self.loop = loop
        self.over: list[LiveMatch] = []
        self.bots: list[Bot] = []
        self.start(config)

    def start(self, config: ArenaConfig) -> None:
        """Starts a host in place of one that may have been there."""
        self.host = Host(config, None, lambda: self.loop.us)
        self.host.on_over.append(self.over.append)
        self.host.runner.start()
        for bot in self.bots:
            bot.host = self.host

    def bot(self, name: str, *, prompt: bool = True) -> Bot:
        """Returns a bot that has a stream."""
        bot = Bot(self.host, name, prompt=prompt, loop=self.loop)
        self.bots.append(bot)
        bot.connect()
        return bot

    def stand_still(self, seconds: float) -> None:
        """Has the referee stand still, here and now."""
        self.loop.us += int(seconds * SECOND)

    async def restart(self) -> None:
        """Goes on with another host, as another process would; it takes up nothing yet."""
        config = self.host.config
        await self.stop()
        self.over.clear()
        self.start(config)

    async def stop(self) -> None:
        """Ends the host and all streams."""
        self.host.lobby.drain()
        for live in tuple(self.host.matches.values()):
            live.suspend()
        for bot in self.bots:
            bot.leave()
        await asyncio.gather(*(call for bot in self.bots for call in bot.calls))
        self.host.runner.stop()


def run_virtual(
    patch: pytest.MonkeyPatch,
    data: Path,
    test: Callable[[Town], Coroutine[Any, Any, None]],
    **config: Any,
) -> None:
    """Runs a test with a server of its own in a time of its own."""
    loop = VirtualLoop()
    trouble: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: trouble.append(context))
    with patch.context() as patched, contextlib.closing(loop):
        patched.setattr(runners, "time", loop)

        async def play() -> None:
            town = Town(ArenaConfig(data=data, **config), loop)
            try:
                await test(town)
            finally:
                await town.stop()
            assert [bot.wrong for bot in town.bots if bot.wrong] == []

        loop.run_until_complete(play())
    assert trouble == []
