"""Matches as they are: every seat, short time, few choices, many choices, many matches."""

import asyncio
from contextlib import AsyncExitStack
from typing import Final

from referee import games
from referee.check.bench import Bench, usual_seats
from referee.check.notes import MatchNotes, StreamNotes
from referee.check.scenario import Failed, NotApplicable, Scenario, Terms
from referee.check.tamper import Gather, Newer
from referee.match.config import MAX_ENTROPY, SECOND, TimeControl
from referee.v1 import play_service_pb2 as pb
from referee.v1.guan_pai_pb2 import GUAN_PAI_ACTION_KIND_PASS

LONG_LISTS: Final = {
    "block_dominoes": (5984, 2),
    "guan_pai": (2083, 2),
    "mexican_train": (4449, 3),
    "ding_niu": (218, 2),
}
"""Seed and seat of a match with a long legal list.

Guan Pai: the first turn of this hand has 309 plays. In the others the list depends on what is played; a
bot that always plays the first action, as the partners do, meets 8, 20 and 7.
"""
PADDING: Final = 900 * 1024
"""Bytes that make a message nearly as large as the largest that the referee sends, 1 MiB."""
_MOST_AT_ONCE: Final = 8
_TRIES: Final = 3
_OMITTED: Final = "its Hello asks for no legal actions, so that they were not counted"


async def _hello(bench: Bench, terms: Terms) -> str:
    stream = await bench.greeted(terms.time.join / SECOND)
    hello = stream.hello or pb.Hello()
    known = [game for game in hello.games if game in games.names()]
    if not known:
        told = f"Hello names no game of this referee, only {', '.join(hello.games)}"
        raise Failed(told, rest="the bot plays no game of this referee")
    if hello.practice_only:
        told = "its Hello asks for practice only (practice_only): no other match comes to it"
        raise Failed(told, anchor="practice", rest="the bot asks for practice only")
    at_once = _count(_matches_at_once(stream), "match")
    return f"version {hello.bot_version!r}, {_count(len(known), 'game')}, {at_once} at a time"


async def _matches(bench: Bench, terms: Terms) -> str:
    played = []
    for game in terms.games:
        seats = usual_seats(games.find(game).info)
        played += [
            await bench.play(game, terms.time, seat=seat)
            for seat in (range(1) if terms.quick else range(seats))
        ]
        if (entropy := max(match.entropy for match in played)) > MAX_ENTROPY:
            told = f"{game}: Ready.entropy holds {entropy} bytes, above the limit of {MAX_ENTROPY}"
            raise Failed(f"{told}: no match whose deals can be proven starts with it", anchor="limits")
    await bench.settled()
    seats_told = "one seat" if terms.quick else "every seat"
    return f"{_count(len(played), 'match')} in {seats_told}, {_count(_turns(played), 'turn')}"


async def _short_time(bench: Bench, terms: Terms) -> str:
    played = [await bench.play(game, terms.short) for game in terms.games]
    longest = max((question.think or 0) for match in played for question in match.questions.values())
    return f"{terms.short.base / SECOND:g} s a turn and no bank: the longest took {longest / SECOND:.3f} s"


async def _one_choice(bench: Bench, terms: Terms) -> str:
    found = [turn for game in terms.games for turn in await _single_choices(bench, game, terms.time)]
    if _omits(bench):
        raise NotApplicable(_OMITTED)
    if not found:
        raise NotApplicable("it met no turn with one legal action")
    passes = sum(turn.legal_actions[0].guan_pai.kind == GUAN_PAI_ACTION_KIND_PASS for turn in found)
    return f"{_count(len(found), 'turn')} with one legal action, {passes} of them a pass"


async def _single_choices(bench: Bench, game: str, time: TimeControl) -> list[pb.Turn]:
    """Plays until there was a turn with one legal action, some times at the most; returns all such turns."""
    for _ in range(_TRIES):
        match = await bench.play(game, time)
        found = [question.turn for question in match.questions.values()]
        if single := [turn for turn in found if len(turn.legal_actions) == 1]:
            return single
    return []


async def _long_lists(bench: Bench, terms: Terms) -> str:
    longest = []
    for game in terms.games:
        seed, seat = LONG_LISTS.get(game, (None, 0))
        match = await bench.play(game, terms.time, seed=seed, seat=seat)
        longest.append(f"{game} {max(len(q.turn.legal_actions) for q in match.questions.values())}")
    game = terms.games[0]
    await bench.play(game, terms.time, tamper=Newer(PADDING))
    lists = _OMITTED if _omits(bench) else f"longest lists: {', '.join(longest)}"
    return f"{lists}; messages of {PADDING // 1024} KiB"


async def _newer(bench: Bench, terms: Terms) -> str:
    played = [await bench.play(game, terms.time, tamper=Newer()) for game in terms.games]
    for match in played:
        question = match.questions.get(Newer.REFUSED)
        if question and len(question.answers) > len(question.told) + question.refusals:
            told = f"turn {Newer.REFUSED} was answered again after a Rejected with an unknown fault"
            raise Failed(f"{match.game}: {told}", anchor="faults-and-what-follows")
    newer = "unknown frames, fields and options in every message, and an unknown fault"
    return f"{_count(len(played), 'match')} with {newer}"


async def _at_once(bench: Bench, terms: Terms) -> str:
    stream = bench.journal.greeted[-1]
    count = min(_matches_at_once(stream), _MOST_AT_ONCE)
    if count == 1:
        raise NotApplicable("it plays one match at a time")
    bench.front.tamper = Gather()
    stream.messages = stream.turns = stream.replies = stream.acts = 0
    async with AsyncExitStack() as stack:
        sittings = [
            await stack.enter_async_context(bench.sit(terms.games[number % len(terms.games)], terms.time))
            for number in range(count)
        ]
        await asyncio.gather(*(sitting.ended() for sitting in sittings))
    asked, told = stream.turns / max(1, stream.messages), stream.acts / max(1, stream.replies)
    return f"{count} matches: {asked:.1f} turns a message, {told:.1f} answers a message"


def _omits(bench: Bench) -> bool:
    """Says whether the bot wished for no legal actions."""
    hello = bench.journal.greeted[-1].hello
    return hello is not None and hello.omit_legal_actions


def _matches_at_once(stream: StreamNotes) -> int:
    return max(1, stream.hello.matches_at_once if stream.hello else 1)


def _turns(played: list[MatchNotes]) -> int:
    return sum(len(match.questions) for match in played)


def _count(number: int, what: str) -> str:
    """Returns a number of things in words."""
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
        expected="it skips frames that it does not know and ignores fields and faults that it does not know",
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
