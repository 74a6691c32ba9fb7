"""L19: whoever sits where, nobody hears another byte of an anonymous match before its names are told."""

import asyncio
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest
from msgspec import UNSET

from referee.games import REGISTRY, names
from referee.games.base import Game
from referee.match.config import Block, SeatInfo, Setup
from referee.match.events import End, Place, TerminationName
from referee.server.reads import describe
from referee.server.request import BlockPart, DealGroup, MatchRequest
from referee.server.watch import message
from referee.v1 import match_pb2
from tests.games.worlds import Pair
from tests.match.harness import SECRET, setup
from tests.server import worlds
from tests.server.client import GAME, Room, room, run, until
from tests.server.spectator import Spectator
from tests.server.test_arena_service import get, ids, played
from tests.server.watched_worlds import WatchedWorld, tables, watched
from tests.server.watching import status

every_game = pytest.mark.parametrize("game", REGISTRY, ids=names())
DELAY = 3
PARTS = (UNSET, Block(kind="rotate", part=0, parts=2))
NAMES = ("alpha", "bravo", "charlie", "delta")


def who(number: int) -> SeatInfo:
    """Returns a bot whose every text has another length than those of the others."""
    name = "long" * number + str(number)
    return SeatInfo(owner=f"{name}'s", bot=f"{name}/id", name=name, version="1" + ".0" * number)


def seated(
    pair: Pair, order: Sequence[int], patch: pytest.MonkeyPatch, *, anonymous: bool, block: Any = UNSET
) -> WatchedWorld:
    """Returns one match of a pair, played up to its last position, with the bots in this order."""

    def header(**about: Any) -> Setup:
        seats = tuple(map(who, order))
        made = setup(**about)
        return msgspec.structs.replace(made, seats=seats, anonymous=anonymous or UNSET, block=block)

    with patch.context() as inner:
        inner.setattr(worlds, "setup", header)
        return watched(pair, 0, DELAY, inner)


def heard(world: WatchedWorld) -> list[object]:
    """Returns all that spectators, readers and the viewer's seat hear of a match before its end."""
    running = describe.running(world.match).SerializeToString(deterministic=True)
    return [world.told, world.joined, world.inputs, running]


def orders(pair: Pair) -> list[tuple[int, ...]]:
    """Returns some ways in which the same bots can sit down, each with everybody in another seat."""
    seats = range(pair.sitting.seats)
    turned = [tuple((seat + by) % len(seats) for seat in seats) for by in seats]
    return [*turned, *list(permutations(seats))[1:-1:5]][:8]


@every_game
@pytest.mark.parametrize("block", PARTS, ids=["single", "block"])
def test_l19_every_byte_before_the_end_is_the_same_whoever_sits_where(
    game: Game, block: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For who watches from the beginning, who comes late, who reads of the match, and who plays."""
    told = 0
    for pair in tables(game)[::3]:
        one, *others = (
            seated(pair, order, monkeypatch, anonymous=True, block=block) for order in orders(pair)
        )
        told += len(b"".join(one.told))

        assert all(heard(other) == heard(one) for other in others)
    assert told > 1000


@every_game
def test_l19_names_that_are_told_make_the_worlds_differ(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison sees who sits where as soon as anything tells it."""
    pair = tables(game)[0]
    one, other = (seated(pair, order, monkeypatch, anonymous=False) for order in orders(pair)[:2])

    assert one.joined != other.joined
    assert one.inputs != other.inputs
    assert heard(one)[-1] != heard(other)[-1]


def ended(termination: TerminationName, order: Sequence[int]) -> bytes:
    """Returns the last message about a match with this end."""
    header = msgspec.structs.replace(setup(), seats=tuple(map(who, order)), anonymous=True)
    places = tuple(
        Place(seat=at, rank=at + 1, score=0, points=0.0, forfeited=False, strikes=0, faults={})
        for at in range(len(order))
    )
    end = End(
        n=1,
        t=0,
        termination=termination,
        note="a note",
        at_fault=(),
        places=places,
        plies=0,
        secret=SECRET.hex(),
        contributions=(),
    )
    return message.ended(header, end)


def test_l19_a_match_that_came_to_nothing_tells_its_spectators_no_names_at_all() -> None:
    """Its pairing is played again, by the same bots in the same seats; a result tells who they were."""
    one, other = (0, 1, 2, 3), (3, 2, 1, 0)

    assert ended("void", one) == ended("void", other)
    assert ended("no_show", one) == ended("no_show", other)
    assert ended("completed", one) != ended("completed", other)


def unnamed(match: match_pb2.Match) -> bool:
    """Says whether nothing of a match tells a name."""
    seats = [(seat.display_name, seat.bot_id, seat.bot_version) for seat in match.seats]
    told = [place.display_name for place in match.placements]
    nobody = [f"seat {seat}" for seat in range(4)]
    return seats == [(name, "", "") for name in nobody] and told in (nobody, [])


async def rotated(hall: Room, group: DealGroup, part: int) -> str:
    """Plays one match of an anonymous block, each bot one seat further than in the one before."""
    asked = MatchRequest(
        game=GAME,
        options={"target": 10},
        bots=(*NAMES[part:], *NAMES[:part]),
        pairing_id=f"cup/3.{part}",
        tournament="cup",
        anonymous=True,
        block=BlockPart(group=group, kind="rotate", part=part, parts=2),
    )
    outcome = await asyncio.ensure_future(hall.arena.play(asked))
    assert outcome.match_id
    return outcome.match_id


def test_l19_a_block_tells_no_names_before_its_last_match_has_ended(tmp_path: Path) -> None:
    """Who knew the seats of one match would know those of the next, which has the same deals."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            for name in NAMES:
                await hall.bot(name)
            with hall.arena.block() as group:
                first = await rotated(hall, group, 0)
                early = await get(hall, first)
                assert early.state == match_pb2.MATCH_STATE_ENDED
                assert len(early.placements) == 4
                assert unnamed(early)
                assert not any(name.encode() in early.SerializeToString() for name in NAMES)
                assert await ids(hall, bot_id="alpha/alpha") == []
                assert await status(hall, first) == grpc.StatusCode.FAILED_PRECONDITION
                second = await rotated(hall, group, 1)
            for number, match_id in enumerate((first, second)):
                found = await get(hall, match_id)
                names = [*NAMES[number:], *NAMES[:number]]
                assert [seat.display_name for seat in found.seats] == names
                assert [place.display_name for place in found.placements] == names
            assert set(await ids(hall, bot_id="alpha/alpha")) == {first, second}

    run(play())


@pytest.mark.parametrize("anonymous", [True, False])
def test_l19_a_spoiled_attempt_does_not_tell_who_sits_where_in_the_next(
    tmp_path: Path,
    anonymous: bool,  # noqa: FBT001  a parameter of a test
) -> None:
    """Neither a match, nor a list, nor what is told to who watches it names the bots of a void attempt."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            done = await played(hall, "abcd", anonymous=anonymous)
            for client in hall.clients:
                client.auto = False
            playing = hall.play(anonymous=anonymous, pairing_id="cup/1", tournament="cup")
            await until(lambda: hall.host.matches)
            spoiled = hall.live.match.setup.match_id
            playing.cancel()
            await until(lambda: not hall.host.matches)
            assert hall.host.index
            await hall.host.index.settled()
            playing = hall.play(anonymous=anonymous, pairing_id="cup/1", tournament="cup", attempt=2)
            await until(lambda: hall.host.matches)
            (again,) = hall.host.matches

            assert unnamed(await get(hall, spoiled)) == anonymous
            assert not unnamed(await get(hall, done))
            assert await ids(hall, bot_id="a/a", page_size=1) == [done if anonymous else again]
            assert await ids(hall, bot_id="a/a") == ([done] if anonymous else [again, spoiled, done])
            assert await ids(hall) == [again, spoiled, done]
            spectator = Spectator(hall.address, spoiled)
            assert await spectator.code == grpc.StatusCode.OK
            assert (b"a/a" in spectator.received) != anonymous
            await spectator.close()
            playing.cancel()
            await until(lambda: not hall.host.matches)

    run(play())
