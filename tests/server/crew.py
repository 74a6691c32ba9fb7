"""Bots of one process that come back by themselves, of all kinds, and write down what they were told.

Each line of what they write is one fact: `turn MATCH SEAT TURN` when a seat was asked, `again ...` when
it was asked the same once more and saw the same, `differs ...` when it saw something else, `ended MATCH
TERMINATION` at the end, and `rejected MATCH FAULT`.
"""

import asyncio
import sys
import time
from typing import TextIO

from referee import games
from referee.bot.connection import Connection
from referee.bot.endpoint import Endpoint
from referee.bot.session import Bot, EventWish
from referee.bot.turn import Turn
from referee.v1 import fault_pb2, match_pb2
from referee.v1 import play_service_pb2 as pb

THINK = 0.002
"""How long a bot thinks about all turns of one message, in seconds."""
WISHES: tuple[EventWish, ...] = ("with_turn", "at_once", "none")


class Member:
    """One bot of the crew: by its number it takes one or many matches, and hears events as it likes."""

    def __init__(self, number: int, told: TextIO) -> None:
        self._told = told
        self._seen: dict[tuple[str, int], bytes] = {}
        self._seats: dict[str, int] = {}
        self.bot = Bot(
            choose_batch=self._choose,
            games=games.names(),
            matches_at_once=(1, 4, 16)[number % 3],
            events=WISHES[number // 3 % 3],
            on_match=lambda started: self._seats.update({started.match_id: started.seat}),
            on_match_ended=self._ended,
            on_rejected=self._rejected,
            verbose=False,
        )

    def _choose(self, turns: list[Turn]) -> list[int]:
        time.sleep(THINK)
        return [self._answer(turn) for turn in turns]

    def _answer(self, turn: Turn) -> int:
        match_id, seen = turn.message.match_id, turn.observation.SerializeToString(deterministic=True)
        key = (match_id, turn.turn_id)
        kind = "turn" if key not in self._seen else "again" if self._seen[key] == seen else "differs"
        self._seen[key] = seen
        self._tell(kind, match_id, self._seats[match_id], turn.turn_id)
        return turn.turn_id % len(turn.legal_actions)

    def _ended(self, ended: pb.MatchEnded) -> None:
        self._tell("ended", ended.match_id, match_pb2.Termination.Name(ended.termination)[12:].lower())

    def _rejected(self, rejected: pb.Rejected) -> None:
        self._tell("rejected", rejected.match_id, fault_pb2.FaultKind.Name(rejected.fault))

    def _tell(self, *words: object) -> None:
        print(*words, file=self._told, flush=True)


async def play(address: str, told: TextIO, tokens: list[str]) -> None:
    """Plays with a bot for each token until the process is killed."""
    crew = [Member(number, told) for number in range(len(tokens))]
    await asyncio.gather(
        *(
            Connection(member.bot, Endpoint(address, token)).run()
            for member, token in zip(crew, tokens, strict=True)
        )
    )


if __name__ == "__main__":
    with open(sys.argv[2], "a", encoding="utf-8") as file:  # noqa: PTH123  it is a name from the command line
        asyncio.run(play(sys.argv[1], file, sys.argv[3:]))
