"""A bot whose every frame is under control: raw gRPC, no kit.

`auto` answers turns with the first legal action and matches with `Ready`; without it nothing is sent
that the test does not send.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import grpc
from grpc import aio

from referee.match.config import SECOND, TimeControl
from referee.match.events import Record
from referee.replay.reader import read, unfinished
from referee.server.app import Arena
from referee.server.config import ArenaConfig
from referee.server.host import Host, MatchOutcome, MatchRequest
from referee.server.live import LiveMatch
from referee.v1 import play_service_pb2 as pb
from tests.patience import PATIENCE

GAME = "block_dominoes"
LONG = int(PATIENCE) * SECOND
CALM = TimeControl(base=LONG, bank=0, join=LONG, start=LONG)
"""Nobody is late by chance."""


def run(test: Coroutine[Any, Any, None]) -> None:
    """Runs an asynchronous test."""
    asyncio.run(asyncio.wait_for(test, 2 * PATIENCE))


async def until(true: Callable[[], object], what: str = "") -> None:
    """Waits until something is true."""
    async with asyncio.timeout(PATIENCE):
        while not true():
            await asyncio.sleep(0.005)
    assert true(), what


def frame(**arm: Any) -> pb.PlayRequestFrame:
    """Returns a frame with one arm."""
    return pb.PlayRequestFrame(**arm)


def request(*frames: pb.PlayRequestFrame) -> bytes:
    """Returns a message of frames."""
    return pb.PlayRequest(frames=frames).SerializeToString()


def act(turn: pb.Turn, index: int = 0, **changed: Any) -> pb.PlayRequestFrame:
    """Returns the answer to a turn, with fields changed."""
    fields: dict[str, Any] = {"match_id": turn.match_id, "turn_id": turn.turn_id, "index": index, **changed}
    if {"action", "text"} & changed.keys():
        del fields["index"]
    return frame(act=pb.Act(**fields))


class Client:
    """One stream of one bot.

    Attributes:
        frames: all that came, pings left out.
        received: the bytes of all messages that came.
    """

    def __init__(self, address: str, token: str, *, auto: bool = True, **hello: Any) -> None:
        self.auto = auto
        self.frames: list[pb.PlayResponseFrame] = []
        self.received = b""
        self.matches: dict[str, pb.MatchStarted] = {}
        self.goodbye: pb.Goodbye | None = None
        self.answered: set[tuple[str, int]] = set()
        self._cursor = 0
        self._came = asyncio.Event()
        self._writing = asyncio.Lock()
        self._hello = {"protocol_version": 1, "bot_version": "1", "games": [GAME], **hello}
        options = [("grpc.use_local_subchannel_pool", 1), *hello.pop("options", ())]
        self._hello.pop("options", None)
        # The stubs ask for serialisers that raw bytes do not need.
        channel: Any = aio.insecure_channel(address, options=options)
        self._channel = channel
        self.call = channel.stream_stream("/referee.v1.PlayService/Play")(
            metadata=(("authorization", f"Bearer {token}"),)
        )
        self._reader = asyncio.ensure_future(self._read())

    async def hello(self) -> "Client":
        """Says hello and waits for the welcome."""
        await self.send(frame(hello=pb.Hello(**self._hello)))
        await self.expect("welcome")
        return self

    async def send(self, *frames: pb.PlayRequestFrame) -> None:
        """Sends frames in one message."""
        self.answered |= {(sent.act.match_id, sent.act.turn_id) for sent in frames if sent.HasField("act")}
        await self.raw(request(*frames))

    async def raw(self, data: bytes) -> None:
        """Sends bytes; one message after another, since gRPC takes no two at once."""
        async with self._writing:
            await self.call.write(data)

    async def expect(self, arm: str, true: Callable[[Any], object] = lambda _: True) -> Any:
        """Returns the next frame with this arm for which something is true; skips all others."""
        async with asyncio.timeout(PATIENCE):
            while True:
                while self._cursor < len(self.frames):
                    found = self.frames[self._cursor]
                    self._cursor += 1
                    if found.WhichOneof("frame") == arm and true(getattr(found, arm)):
                        return getattr(found, arm)
                assert not self._reader.done(), f"the stream ended before {arm}: {self.frames[-3:]}"
                self._came.clear()
                await self._came.wait()

    def all(self, arm: str) -> list[Any]:
        """Returns all frames with this arm that came so far."""
        return [getattr(found, arm) for found in self.frames if found.WhichOneof("frame") == arm]

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """Waits for the end of the stream and returns its status."""
        async with asyncio.timeout(PATIENCE):
            return await self.call.code(), await self.call.details()

    async def close(self) -> None:
        """Ends the stream and its connection."""
        self.call.cancel()
        self._reader.cancel()
        await asyncio.wait({self._reader})
        await self._channel.close()

    async def _read(self) -> None:
        try:
            while isinstance(data := await self.call.read(), bytes):
                self.received += data
                answers = [a for got in pb.PlayResponse.FromString(data).frames for a in self._take(got)]
                self._came.set()
                if answers:
                    await self.send(*answers)
        except (aio.AioRpcError, asyncio.InvalidStateError):
            pass
        finally:
            self._came.set()

    def _take(self, got: pb.PlayResponseFrame) -> list[pb.PlayRequestFrame]:
        arm = got.WhichOneof("frame")
        if arm == "ping":
            return [frame(pong=pb.Pong(ping_id=got.ping.ping_id))]
        self.frames.append(got)
        if arm == "goodbye":
            self.goodbye = got.goodbye
        elif arm == "match_started":
            self.matches[got.match_started.match_id] = got.match_started
            return [ready(got.match_started)] if self.auto else []
        elif arm == "turn":
            self._check_clock(got.turn)
            return [act(got.turn)] if self.auto else []
        return []

    def _check_clock(self, turn: pb.Turn) -> None:
        control = self.matches[turn.match_id].time_control
        most = control.base_duration.ToMicroseconds() + control.bank_duration.ToMicroseconds()
        assert 0 <= turn.clock.remaining_duration.ToMicroseconds() <= most
        assert (
            0 <= turn.clock.bank_duration.ToMicroseconds() <= turn.clock.remaining_duration.ToMicroseconds()
        )


def ready(started: pb.MatchStarted, entropy: bytes = b"") -> pb.PlayRequestFrame:
    """Returns the answer to a match that starts."""
    return frame(ready=pb.Ready(match_id=started.match_id, entropy=entropy))


class Room:
    """An arena with scripted bots; everything is closed at its end."""

    def __init__(self, arena: Arena, address: str) -> None:
        self.arena = arena
        self.address = address
        self.tokens: dict[str, str] = {}
        self.clients: list[Client] = []

    @property
    def host(self) -> Host:
        """What runs the matches."""
        assert self.arena._host
        return self.arena._host

    @property
    def live(self) -> LiveMatch:
        """The one running match."""
        (live,) = self.host.matches.values()
        return live

    async def bot(self, name: str, **about: Any) -> Client:
        """Returns a bot that has said hello; a second one of a name has the same token."""
        client = self.silent(name, **about)
        return await client.hello()

    def silent(self, name: str, **about: Any) -> Client:
        """Returns a bot that has said nothing."""
        if name not in self.tokens:
            self.tokens[name] = self.arena.add_guest(name, owner=name)
        client = Client(self.address, self.tokens[name], **about)
        self.clients.append(client)
        return client

    async def bots(self, names: str = "abcd", **about: Any) -> list[Client]:
        """Returns one bot for each letter."""
        return [await self.bot(name, **about) for name in names]

    def play(self, names: str = "abcd", **about: Any) -> "asyncio.Task[MatchOutcome]":
        """Starts a short match."""
        options = about.pop("options", {"target": 10})
        fields: dict[str, Any] = {"game": GAME, "seed": 1, **about}
        asked = MatchRequest(options=options, bots=tuple(names), **fields)
        return asyncio.ensure_future(self.arena.play(asked))

    async def first_turn(self, clients: list[Client]) -> tuple[Client, pb.Turn]:
        """Returns who has to open and its turn; nobody may be `auto` for turns."""
        waits = {asyncio.ensure_future(client.expect("turn")): client for client in clients}
        done, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE)
        for wait in pending:
            wait.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        (wait,) = done
        return waits[wait], wait.result()


@contextlib.asynccontextmanager
async def room(data: Path, **config: Any) -> AsyncIterator[Room]:
    """Opens an arena on a free port."""
    wall = config.pop("wall", None)
    settings = {"time_control": CALM, **config}
    arena = Arena(ArenaConfig(data=data, **settings), **({"wall": wall} if wall else {}))
    opened = Room(arena, await arena.start())
    try:
        yield opened
    finally:
        for client in opened.clients:
            await client.close()
        await arena.stop(0)


async def opened(
    hall: Room, **about: Any
) -> tuple[Client, pb.Turn, list[Client], "asyncio.Task[MatchOutcome]"]:
    """Returns the seat that has the first turn, that turn, the others, and the running match.

    Every bot has said that it is ready; none answers by itself yet.
    """
    clients = await hall.bots(auto=False)
    playing = hall.play(**about)
    for client in clients:
        await client.send(ready(await client.expect("match_started")))
    who, turn = await hall.first_turn(clients)
    return who, turn, [client for client in clients if client is not who], playing


async def start_runs_out(live: LiveMatch, missing: int = 1) -> None:
    """Has the start limit of a match pass once all but so many seats are ready, however long that takes."""
    await until(lambda: sum(entropy is None for entropy in live.match._entropy) == missing)
    limit = live.deadline()
    assert limit is not None
    live.expire(limit)


async def finish(
    playing: Awaitable[MatchOutcome], *clients: Client, also: pb.Turn | None = None
) -> MatchOutcome:
    """Lets the bots play on by themselves to the end; `also` is a turn that is open in spite of an answer."""
    for client in clients:
        client.auto = True
        for turn in client.all("turn")[-1:]:
            if turn == also or (turn.match_id, turn.turn_id) not in client.answered:
                await client.send(act(turn))
    async with asyncio.timeout(PATIENCE):
        return await playing


def records(outcome: MatchOutcome, kind: type[Record] | None = None) -> list[Any]:
    """Returns the records of a finished match, of one kind if it is given."""
    assert outcome.replay
    found = read(outcome.replay).records
    return [record for record in found if kind is None or isinstance(record, kind)]


def running_log(data: Path) -> Path:
    """Returns the one log whose match is not over."""
    (path,) = unfinished(data)
    return path
