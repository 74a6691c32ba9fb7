"""Matches as they are: every seat, short time, few choices, many choices, many matches."""

import asyncio
from contextlib import AsyncExitStack
from typing import Final

from referee import games
from referee.check.bench import Bench, usual_seats
from referee.check.journal import MatchNotes
from referee.check.scenario import Failed, NotApplicable, Scenario, Terms
from referee.check.tamper import Gather, Newer
from referee.match.config import SECOND, TimeControl

SHORT_TIME: Final = 0.4
"""The share of the base that a turn has where time is short."""
LONG_LISTS: Final = {"guan_pai": (2083, 2, 3), "mexican_train": (9, 0, 8)}
"""Seed, seat and seats of a match with a long legal list, where a game has one.

Guan Pai: the first turn of this hand has 309 plays. Mexican Train: eight seats, and so up to ten trains.
"""
PADDING: Final = 900 * 1024
"""Bytes that make a message nearly as large as the largest that the referee sends, 1 MiB."""
_MOST_AT_ONCE: Final = 8
_TRIES: Final = 3


async def _hello(bench: Bench, terms: Terms) -> str:
    opened = bench.journal.streams[0].opened if bench.journal.streams else 0
    stream = await bench.greeted(terms.time.join / SECOND)
    hello = stream.hello
    if hello is None:
        raise Failed("it did not say Hello")
    known = [game for game in hello.games if game in games.names()]
    if not known:
        raise Failed(f"Hello names no game of this referee, only {', '.join(hello.games)}")
    del opened
    at_once = max(1, hello.matches_at_once)
    matches = "1 match" if at_once == 1 else f"{at_once} matches"
    return f"version {hello.bot_version!r}, {_count(len(known), 'game')}, {matches} at a time"


async def _matches(bench: Bench, terms: Terms) -> str:
    played = []
    for game in terms.games:
        seats = usual_seats(games.find(game).info)
        played += [
            await bench.play(game, seat=seat, time=terms.time)
            for seat in (range(1) if terms.quick else range(seats))
        ]
    seats_told = "one seat" if terms.quick else "every seat"
    return f"{_count(len(played), 'match')} in {seats_told}, {_count(_turns(played), 'turn')}"


async def _short_time(bench: Bench, terms: Terms) -> str:
    base = max(1, int(terms.time.base * SHORT_TIME))
    short = TimeControl(base=base, bank=0, join=terms.time.join, start=terms.time.start)
    played = [await bench.play(game, time=short) for game in terms.games]
    longest = max((question.think or 0) for match in played for question in match.questions.values())
    return f"{base / SECOND:g} s a turn and no bank: the longest took {longest / SECOND:.3f} s"


async def _one_choice(bench: Bench, terms: Terms) -> str:
    found = passes = 0
    for game in terms.games:
        for _ in range(_TRIES):
            match = await bench.play(game)
            single = [q for q in match.questions.values() if len(q.turn.legal_actions) == 1]
            if single or bench.journal.greeted[-1].hello is None or _omits(bench):
                found += len(single)
                passes += sum(_is_pass(q.turn) for q in single)
                break
    if _omits(bench):
        return "played; its Hello asks for no legal actions, so they were not counted"
    return f"{_count(found, 'turn')} with one legal action, {passes} of them a pass"


async def _long_lists(bench: Bench, terms: Terms) -> str:
    longest = []
    for game in terms.games:
        seed, seat, seats = LONG_LISTS.get(game, (None, 0, 0))
        match = await bench.play(game, seed=seed, seat=seat, seats=seats)
        longest.append(f"{game} {max(len(q.turn.legal_actions) for q in match.questions.values())}")
    await bench.play(terms.games[0], tamper=Newer(PADDING), options=_one_deal(terms.games[0]))
    return f"longest lists: {', '.join(longest)}; messages of {PADDING // 1024} KiB"


async def _newer(bench: Bench, terms: Terms) -> str:
    played = [await bench.play(game, tamper=Newer()) for game in terms.games]
    return f"{_count(len(played), 'match')} with unknown frames, fields and options in every message"


async def _at_once(bench: Bench, terms: Terms) -> str:
    stream = bench.journal.greeted[-1]
    declared = max(1, stream.hello.matches_at_once if stream.hello else 1)
    if declared == 1:
        raise NotApplicable("it plays one match at a time")
    count = min(declared, _MOST_AT_ONCE)
    bench.front.tamper = Gather()
    stream.messages = stream.turns = stream.replies = stream.acts = 0
    async with AsyncExitStack() as stack:
        sittings = [
            await stack.enter_async_context(
                bench.sit(terms.games[number % len(terms.games)], time=terms.time)
            )
            for number in range(count)
        ]
        await asyncio.gather(*(sitting.ended() for sitting in sittings))
    asked, told = stream.turns / max(1, stream.messages), stream.acts / max(1, stream.replies)
    return f"{count} matches: {asked:.1f} turns a message, {told:.1f} answers a message"


def _one_deal(game: str) -> dict[str, int]:
    named = {option.name for option in games.find(game).info.options}
    return {"deals": 1} if "deals" in named else {"target": 1}


def _omits(bench: Bench) -> bool:
    hello = bench.journal.greeted[-1].hello
    return hello is not None and hello.omit_legal_actions


def _is_pass(turn: object) -> bool:
    action = turn.legal_actions[0]  # type: ignore[attr-defined]
    return bool(action.guan_pai.kind == 2) if action.HasField("guan_pai") else False


def _turns(played: list[MatchNotes]) -> int:
    return sum(len(match.questions) for match in played)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}{'es' if what == 'match' else 's'}"


HELLO: Final = Scenario(
    name="hello",
    expected="it dials in with its token and opens its stream with a valid Hello",
    anchor="a-session",
    play=_hello,
    calm=True,
)
MATCHES: Final = Scenario(
    name="matches",
    expected="it is ready within the start limit, and answers every turn in time with a legal action",
    anchor="a-session",
    play=_matches,
    calm=True,
)
SHORT: Final = Scenario(
    name="short_time",
    expected="it heeds the time that Turn.clock tells, however short",
    anchor="time",
    play=_short_time,
    calm=True,
)
SCENARIOS: Final = (
    Scenario(
        name="one_choice",
        expected="it answers also where one action is legal, and where that is a pass",
        anchor="turns",
        play=_one_choice,
    ),
    Scenario(
        name="long_lists",
        expected="it takes long legal lists, and messages up to Limits.max_response_bytes",
        anchor="limits",
        play=_long_lists,
    ),
    Scenario(
        name="newer",
        expected="it skips frames that it does not know and ignores fields that it does not know",
        anchor="compatibility",
        play=_newer,
    ),
    Scenario(
        name="at_once",
        expected="it plays as many matches at a time as its Hello says, and answers each turn by its ids",
        anchor="many-matches-at-a-time",
        play=_at_once,
    ),
)
