"""Streams that are lost, silent for long, taken over, and servers that stop and come back."""

import asyncio
from typing import Final

import grpc

from referee.check.bench import COMES_BACK, Bench, Sitting
from referee.check.journal import CLOSED, DROPPED
from referee.check.notes import StreamNotes
from referee.check.scenario import Failed, Scenario, Terms
from referee.check.tamper import Lose, LoseReady, Mishap, Silence
from referee.match.config import SECOND
from referee.v1 import play_service_pb2 as pb

_SPOILED: Final = 2
"""The turn in which something happens."""
_LINE_DOWN: Final = 1.0
"""How long nobody listens where the whole connection is lost, in seconds."""
_AWAY: Final = 4.0
"""How long the server that drained is not back yet, in seconds."""
_MOST_ATTEMPTS: Final = 12
"""How many attempts in that time are not too many."""
_WATCHED: Final = 3.0
"""How long a bot is watched that must not come back, in seconds."""


async def _lost_stream(bench: Bench, terms: Terms) -> str:
    slowest = await _lost_ready(bench, terms)
    for number, game in enumerate(terms.games):
        before = bench.journal.greeted[-1]
        async with bench.sit(game, terms.patient) as sitting:
            await _happened(bench, sitting, Lose(_SPOILED, answered=number % 2 == 1))
            if number % 2:
                await bench.front.stop()
                await asyncio.sleep(_LINE_DOWN)
                await bench.front.start()
            slowest = max(slowest, await came_back(bench, before))
            match = await sitting.ended()
        question = match.questions.get(_SPOILED)
        if question is None or not question.answers:
            raise Failed(f"{game}: turn {_SPOILED} was told again, and was not answered")
    came = f"it came back within {slowest:.1f} s and answered the open turn"
    return f"lost with its Ready, and in mid-turn in each game; {came}"


async def _lost_ready(bench: Bench, terms: Terms) -> float:
    """Loses the stream with the `Ready` on it; returns how long the bot took to come back, in seconds."""
    before = bench.journal.greeted[-1]
    bench.front.tamper = mishap = LoseReady()
    async with bench.sit(terms.games[0], terms.patient) as sitting:
        await sitting.until(lambda: mishap.happened, "it said no Ready")
        took = await came_back(bench, before)
        limit = (terms.time.start + terms.patient.base) / SECOND + COMES_BACK
        await bench.until(lambda: sitting.answered or sitting.over, limit, "its match did not begin")
        if not sitting.answered:
            raise Failed("its Ready was lost with the stream, and it said none to the resumed MatchStarted")
        await sitting.ended()
    return took


async def _happened(bench: Bench, sitting: Sitting, mishap: Mishap) -> None:
    """Waits until a mishap has happened, in the turn that it is meant for."""
    bench.front.tamper = mishap
    await sitting.until(lambda: mishap.happened, f"turn {_SPOILED} never came")


async def came_back(bench: Bench, before: StreamNotes) -> float:
    """Waits for a new stream of the same instance; returns the seconds that it took, or raises `Failed`."""
    stream = await bench.arrived(before, COMES_BACK, f"it did not come back within {COMES_BACK:g} s")
    old, new = before.hello, stream.hello
    if old and new:
        if old.instance_id != new.instance_id:
            raise Failed(f"it came back as instance {new.instance_id!r}, not {old.instance_id!r}")
        if old.bot_version != new.bot_version or set(old.games) != set(new.games):
            raise Failed("it came back with another version or other games in the middle of a match")
    return (stream.opened - (before.ended or stream.opened)) / SECOND


async def _idle(bench: Bench, terms: Terms) -> str:
    game = terms.games[0]
    before = len(bench.journal.streams)
    silence = Silence(_SPOILED, terms.idle)
    async with bench.sit(game, terms.silent) as sitting:
        await _happened(bench, sitting, silence)
        gave_up = f"it gave its stream up while it was told nothing for {terms.idle:g} s"
        over = terms.idle + COMES_BACK
        await bench.until(lambda: silence.over or bench.journal.streams[-1].ended is not None, over, gave_up)
        if closed := bench.offence(CLOSED):
            raise Failed(closed)
        if not silence.over or len(bench.journal.streams) > before:
            raise Failed(gave_up)
        await sitting.ended()
    return f"told nothing for {terms.idle:g} s; the stream stayed, and the next turn was answered"


async def _drain(bench: Bench, terms: Terms) -> str:
    game, journal = terms.games[0], bench.journal
    sitting = bench.sit(game, terms.patient)
    async with sitting:
        await sitting.until(lambda: sitting.answered > 1, "it answered no two turns")
        before = journal.greeted[-1]
        bench.front.upstream, token = None, bench.venue.token(bench.name)
        await bench.venue.stop()
        await asyncio.sleep(_AWAY)
    attempts = len(journal.attempts)
    (resumed,) = await bench.venue.restart()
    outcome = asyncio.ensure_future(resumed)
    outcome.add_done_callback(lambda _: bench.journal.stir())
    bench.front.upstream = bench.venue.address, token
    try:
        if attempts > _MOST_ATTEMPTS:
            raise Failed(
                f"it tried to come back {attempts} times within {_AWAY:g} s, without pauses that grow"
            )
        await came_back(bench, before)
        await sitting.resumed(outcome)
    finally:
        outcome.cancel()
        await asyncio.wait({outcome})
    tries = {0: "did not try meanwhile", 1: "tried once"}.get(attempts, f"tried {attempts} times")
    return f"the server was away for {_AWAY:g} s: it {tries}, came back, and finished its match"


async def _taken_over(bench: Bench, terms: Terms) -> str:
    del terms
    passage = bench.front.newest()
    if passage is None:
        raise Failed("it has no stream that another one could take over from")
    before = len(bench.journal.streams)
    note = "another stream of this bot and instance took over"
    await passage.tell(
        pb.PlayResponseFrame(goodbye=pb.Goodbye(reason=pb.GOODBYE_REASON_TAKEN_OVER, note=note))
    )
    await asyncio.sleep(0.1)
    passage.cut(grpc.StatusCode.ABORTED, note)
    if await bench.journal.until(lambda: len(bench.journal.streams) > before, _WATCHED):
        raise Failed(
            "it came back after Goodbye(TAKEN_OVER), and would take turns with its other self for ever"
        )
    return f"told Goodbye(TAKEN_OVER), it stayed away for {_WATCHED:g} s"


LOST: Final = Scenario(
    name="lost_stream",
    expected=(
        "after a lost stream it comes back as the same instance, says Ready to a match that has not begun,"
        " and answers the turn that is open"
    ),
    anchor="coming-back",
    play=_lost_stream,
)
IDLE: Final = Scenario(
    name="idle",
    expected="its stream stays open however long it is told nothing",
    anchor="limits",
    play=_idle,
    own=frozenset({DROPPED}),
    waits=True,
)
DRAIN: Final = Scenario(
    name="drain",
    expected="it comes back after Goodbye(DRAINING), with pauses that grow, and its match goes on",
    anchor="coming-back",
    play=_drain,
    alone=True,
)
TAKEN_OVER: Final = Scenario(
    name="taken_over",
    expected="it does not come back after Goodbye(TAKEN_OVER)",
    anchor="coming-back",
    play=_taken_over,
    last=True,
)
