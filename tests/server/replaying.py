"""Callers of `ReplayService`: what they are sent, and how the call ends."""

import asyncio
import io
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import msgspec
from google.protobuf.message import Message
from grpc import aio

from referee.match import events as ev
from referee.replay import record as record_lines
from referee.v1 import replay_service_pb2 as pb
from tests.patience import PATIENCE
from tests.replay import packed, scripts

OWN_CONNECTION = ("grpc.use_local_subchannel_pool", 1)


def long_log(data: Path, size: int, number: int = 1) -> Path:
    """Writes a finished log of at least `size` bytes, which is chained as any, and says little."""
    writer = packed.begin(data, number)
    *before, end = scripts.no_show("block_dominoes").records
    for record in before:
        writer.append(record)
    line = len(record_lines.Chain().record(ev.Stall(n=0, t=end.t, duration=0)))
    for n in range(end.n, end.n + size // line + 1):
        writer.append(ev.Stall(n=n, t=end.t, duration=0))
    writer.append(msgspec.structs.replace(end, n=n + 1))
    path = writer.finish()
    assert path.stat().st_size >= size
    return path


class Told(NamedTuple):
    """What came of a call: the messages, the status and its text."""

    messages: list[Any]
    code: grpc.StatusCode
    details: str

    @property
    def data(self) -> bytes:
        """The chunks, joined."""
        return b"".join(message.chunk for message in self.messages)

    @property
    def signature(self) -> bytes:
        """The signature that came with a log."""
        return b"".join(message.signature for message in self.messages)

    @property
    def missing(self) -> list[str]:
        """The matches that an archive lacks."""
        return [match_id for message in self.messages for match_id in message.missing_match_ids]

    @property
    def files(self) -> dict[str, bytes]:
        """The files of an archive in their order."""
        with tarfile.open(fileobj=io.BytesIO(self.data), mode="r:gz") as archive:
            members = [(member, archive.extractfile(member)) for member in archive]
            return {member.name: file.read() for member, file in members if file}


@asynccontextmanager
async def calling(
    address: str, method: str, request: Message, token: str | None = None, *options: tuple[str, Any]
) -> AsyncIterator[Any]:
    """Yields a call of the service that has begun, on a connection of its own."""
    channel: Any
    async with aio.insecure_channel(address, options=[OWN_CONNECTION, *options]) as channel:
        make = channel.unary_unary if method == "GetReport" else channel.unary_stream
        metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        yield make(f"/referee.v1.ReplayService/{method}")(request.SerializeToString(), metadata=metadata)


async def read_on(call: Any) -> None:
    """Reads a call to its end, whatever that is."""
    with suppress(aio.AioRpcError):
        while isinstance(await call.read(), bytes):
            pass


async def told(address: str, method: str, request: Message, token: str | None = None) -> Told:
    """Returns what came of a call, however it ended."""
    kind = getattr(pb, f"{method}Response")
    messages: list[Any] = []
    async with calling(address, method, request, token) as call, asyncio.timeout(PATIENCE):
        try:
            if method == "GetReport":
                messages.append(kind.FromString(await call))
            else:
                messages.extend([kind.FromString(data) async for data in call])
        except aio.AioRpcError:
            pass
        return Told(messages, await call.code(), await call.details())


async def replay(address: str, match_id: str, token: str | None = None) -> Told:
    """Returns what came of asking for one log."""
    return await told(address, "GetReplay", pb.GetReplayRequest(match_id=match_id), token)


async def report(address: str, match_id: str, token: str | None = None) -> Told:
    """Returns what came of asking for a report."""
    return await told(address, "GetReport", pb.GetReportRequest(match_id=match_id), token)


async def download(address: str, token: str | None = None, **fields: Any) -> Told:
    """Returns what came of asking for an archive."""
    return await told(address, "DownloadReplays", pb.DownloadReplaysRequest(**fields), token)
