"""One side of the wire benchmark: `arena` plays real matches, `echo` sends recorded messages back.

Usage: `python -m benchmarks.wire_server arena STREAMS MATCHES_AT_ONCE` or
`python -m benchmarks.wire_server echo RECORDING`. Prints the address, and the tokens of the bots,
as one line of JSON; ends when its standard input does.
"""

import asyncio
import itertools
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import uvloop

from referee.server.app import Arena
from referee.server.config import ArenaConfig, OpenTable


async def _arena(streams: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = OpenTable(game="block_dominoes", options={"target": 10_000})
        arena = Arena(ArenaConfig(data=Path(folder), auto_pair=True, tables=(table,)))
        address = await arena.start()
        tokens = [arena.add_guest(f"bot{n}", owner=f"owner{n}") for n in range(streams)]
        print(json.dumps({"address": address, "tokens": tokens}), flush=True)
        await _stdin_ends()
        await arena.stop(0)


async def _echo(recording: Path) -> None:
    messages = [bytes.fromhex(line) for line in recording.read_text().split()]

    async def play(requests: AsyncIterator[bytes], _: object) -> AsyncIterator[bytes]:
        answers = itertools.cycle(messages)
        async for _request in requests:
            yield next(answers)

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handler = grpc.stream_stream_rpc_method_handler(play)
    service = grpc.method_handlers_generic_handler("referee.v1.PlayService", {"Play": handler})
    server.add_generic_rpc_handlers((service,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(json.dumps({"address": f"127.0.0.1:{port}", "tokens": [""] * 64}), flush=True)
    await _stdin_ends()
    await server.stop(0)


async def _stdin_ends() -> None:
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    if sys.argv[1] == "arena":
        uvloop.run(_arena(int(sys.argv[2])))
    else:
        uvloop.run(_echo(Path(sys.argv[2])))
