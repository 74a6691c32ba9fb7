"""Bots of a process of their own that take the same time for each turn, and now and then some more."""

import asyncio
import random
import sys

from referee.v1 import play_service_pb2 as pb
from tests.server.client import Client, act, ready


class Timed(Client):
    """A bot that thinks about each turn by itself, and sends at once what is ready.

    `think` is what a turn takes in seconds, and one of `every` turns up to `jitter` more; 0 is none.
    """

    def __init__(self, address: str, token: str, think: float, jitter: float, every: int) -> None:
        super().__init__(address, token, auto=False, matches_at_once=256)
        self._think = think
        self._jitter = jitter
        self._every = every
        self._chance = random.Random(token)
        self._ready: asyncio.Queue[pb.PlayRequestFrame] = asyncio.Queue()

    async def play(self) -> None:
        """Says hello, and sends whatever is ready until the stream ends."""
        await self.send(pb.PlayRequestFrame(hello=pb.Hello(**self._hello)))
        while True:
            frames = [await self._ready.get()]
            while not self._ready.empty():
                frames.append(self._ready.get_nowait())
            await self.send(*frames)

    def _take(self, got: pb.PlayResponseFrame) -> list[pb.PlayRequestFrame]:
        answers = super()._take(got)
        self.frames.clear()
        if got.HasField("turn"):
            self._later(act(got.turn))
        elif got.HasField("match_started"):
            answers = [ready(got.match_started)]
        for answer in answers:
            self._ready.put_nowait(answer)
        return []

    def _later(self, answer: pb.PlayRequestFrame) -> None:
        more = self._every and not self._chance.randrange(self._every)
        seconds = self._think + (self._chance.uniform(0, self._jitter) if more else 0)
        asyncio.get_running_loop().call_later(seconds, self._ready.put_nowait, answer)


async def main(address: str, think: str, jitter: str, every: str, *tokens: str) -> None:
    """Plays until the process is killed."""
    bots = [Timed(address, token, float(think), float(jitter), int(every)) for token in tokens]
    await asyncio.gather(*(bot.play() for bot in bots))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
