"""Bots of one process that take their time: `slow_bots.py ADDRESS SECONDS TOKEN...`."""

import asyncio
import random
import sys
import time

from referee import games
from referee.bot.connection import Connection
from referee.bot.endpoint import Endpoint
from referee.bot.session import Bot
from referee.bot.turn import Turn


async def play(address: str, think: float, tokens: list[str]) -> None:
    """Plays with a bot for each token until the process is ended."""

    def choose(turns: list[Turn]) -> list[int]:
        time.sleep(think)
        return [random.randrange(len(turn.legal_actions)) for turn in turns]

    bots = [Bot(choose_batch=choose, games=games.names(), verbose=False) for _ in tokens]
    endpoints = [Endpoint(address, token) for token in tokens]
    streams = map(Connection, bots, endpoints)
    await asyncio.gather(*(stream.run() for stream in streams))


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1], float(sys.argv[2]), sys.argv[3:]))
