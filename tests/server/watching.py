"""A match that is played turn by turn while somebody watches."""

import asyncio
from functools import partial
from typing import Any

import grpc

from referee.match.machine import Match
from referee.server.host import MatchOutcome
from tests.server.client import Client, Room, act, opened, until
from tests.server.spectator import Spectator

DELAY = 8
"""Plies by which a spectator is late unless a server is set otherwise."""


def was_asked(client: Client, turn: int) -> bool:
    """Says whether a turn has come to its bot."""
    return any(told.turn_id == turn for told in client.all("turn"))


def has_moved(match: Match, plies: int) -> bool:
    """Says whether another action was played."""
    return match.plies > plies


async def step(hall: Room, clients: list[Client], count: int = 1) -> None:
    """Has some turns answered, one after another."""
    for _ in range(count):
        match = hall.live.match
        question, plies = match.open_turn, match.plies
        assert question
        client = clients[question.seat]
        await until(partial(was_asked, client, question.turn))
        await client.send(act(client.all("turn")[-1]))
        await until(partial(has_moved, match, plies))


async def table(hall: Room, **about: Any) -> tuple[list[Client], asyncio.Task[MatchOutcome], str]:
    """Returns the bots of a match by seat, the match, and its id; nobody answers by itself."""
    who, _turn, others, playing = await opened(hall, **about)
    match = hall.live.match
    named = {client.all("match_started")[0].seat: client for client in (who, *others)}
    return [named[seat] for seat in range(4)], playing, match.setup.match_id


def was_shown(spectator: Spectator, count: int) -> bool:
    """Says whether a spectator was shown so many tables."""
    return len(spectator.all("observation")) == count


async def check_whole(spectator: Spectator, seats: list[Client]) -> None:
    """Checks what was told of a whole match against what its seats were told."""
    heard = await seats[0].expect("match_ended")
    assert seats[0].all("match_ended") == [heard]
    first = spectator.started.event_id + 1
    assert spectator.events == list(range(first, first + len(spectator.events))), spectator.events
    asked = {
        turn.observation.block_dominoes.public.SerializeToString()
        for seat in seats
        for turn in seat.all("turn")
    }
    shown = [one.block_dominoes for one in (spectator.started.observation, *spectator.all("observation"))]
    assert not any(one.HasField("private") for one in shown)
    assert {one.public.SerializeToString() for one in shown} >= asked
    assert spectator.all("deal_ended") == seats[0].all("deal_ended")
    (ended,) = spectator.all("ended")
    assert (ended.termination, ended.reveal) == (heard.termination, heard.reveal)
    assert list(ended.placements) == list(heard.placements)


def caught_up(spectator: Spectator, missed: list[int]) -> bool:
    """Says whether somebody was told as much as others before."""
    return bool(spectator.frames) and len(spectator.events) >= len(missed)


async def status(hall: Room, match_id: str, last: int = 0) -> grpc.StatusCode:
    """Returns the status with which watching a match ends."""
    spectator = Spectator(hall.address, match_id, last)
    code: grpc.StatusCode = await spectator.code
    await spectator.close()
    return code
