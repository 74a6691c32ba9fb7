"""What is no message, or too much of it, over real gRPC."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from referee.match import events as ev
from referee.match.config import Penalties
from referee.replay.reader import read
from referee.replay.verify import verify
from referee.server.config import Limits
from referee.server.host import MatchOutcome
from referee.v1 import fault_pb2 as faults
from referee.v1 import play_service_pb2 as pb
from referee.v1.game_pb2 import Action
from tests.patience import PATIENCE
from tests.server.client import act, finish, frame, opened, records, request, room, run


def assert_sound(outcome: MatchOutcome) -> None:
    """Checks that the log of a finished match holds."""
    assert outcome.replay
    assert verify(read(outcome.replay)).ok


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"\x0a\x00", faults.FAULT_KIND_UNPARSABLE),  # a frame without an arm
        (b"\x0a\x04\x9a\x06\x01x", faults.FAULT_KIND_UNPARSABLE),  # an arm that nobody knows
        (b"\xff\xff\xff\xff", faults.FAULT_KIND_UNPARSABLE),
        (b"\x0a\x05\x1a\x03\x0a\x01\xff", faults.FAULT_KIND_UNPARSABLE),  # invalid UTF-8 as match id
        (request(frame(hello=pb.Hello(protocol_version=1))), faults.FAULT_KIND_OUT_OF_ORDER),
        (request(frame(act=pb.Act(match_id="no such match", index=0))), faults.FAULT_KIND_UNKNOWN_MATCH),
        (request(frame(ready=pb.Ready(match_id="no such match"))), faults.FAULT_KIND_UNKNOWN_MATCH),
        (request(frame(ready=pb.Ready(match_id="x", entropy=bytes(65)))), faults.FAULT_KIND_OVERSIZE),
    ],
)
def test_m2_garbage_is_named_to_its_sender_alone(tmp_path: Path, data: bytes, fault: int) -> None:
    """Garbage on the stream is refused by name; the match goes on as if it had not been."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            await others[0].raw(b"")
            await others[0].raw(data)
            rejected = await others[0].expect("rejected")

            assert rejected.fault == fault
            assert rejected.turn_id == 0

            outcome = await finish(playing, who, *others, also=turn)
            assert outcome.end
            assert not any(place.strikes or place.faults for place in outcome.end.places)

    run(play())


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ({"index": -1}, faults.FAULT_KIND_MALFORMED),
        (
            {"action": Action.FromString(b"\x0a\x04\x08\x66\x10\x63")},
            faults.FAULT_KIND_MALFORMED,
        ),
        ({"action": Action()}, faults.FAULT_KIND_MALFORMED),
        ({"text": ""}, faults.FAULT_KIND_MALFORMED),
    ],
)
def test_m2_an_unreadable_answer_is_a_match_fault(tmp_path: Path, answer: dict[str, Any], fault: int) -> None:
    """An act that names match and turn and holds no readable action is refused as malformed."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            await who.send(act(turn, **answer))
            rejected = await who.expect("rejected")

            assert (rejected.fault, rejected.turn_id) == (fault, turn.turn_id)

            assert_sound(await finish(playing, who, *others, also=turn))

    run(play())


def test_m2_an_act_without_an_answer_is_malformed_and_an_index_too_wide_is_unparsable(tmp_path: Path) -> None:
    """2^63 as an index is refused and not read as its low half, which would be a legal answer."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            empty = pb.Act(match_id=turn.match_id, turn_id=turn.turn_id).SerializeToString()
            for body in (empty, empty + b"\x20" + b"\x80" * 9 + b"\x01"):
                inner = b"\x1a" + bytes((len(body),)) + body
                await who.raw(b"\x0a" + bytes((len(inner),)) + inner)
            first = await who.expect("rejected")
            second = await who.expect("rejected")

            assert first.fault == faults.FAULT_KIND_MALFORMED
            assert second.fault == faults.FAULT_KIND_UNPARSABLE
            assert "index" in second.reason

            assert_sound(await finish(playing, who, *others, also=turn))

    run(play())


def test_m2_the_third_stream_fault_closes_the_stream(tmp_path: Path) -> None:
    """Bytes that are no message are forgiven twice."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            bot = await hall.bot("a")
            for _ in range(3):
                await bot.raw(b"\xff")
            code, _ = await bot.status()

            assert code == grpc.StatusCode.INVALID_ARGUMENT
            assert bot.goodbye
            assert bot.goodbye.reason == pb.GOODBYE_REASON_STREAM_FAULTS
            assert len(bot.all("rejected")) == 3

    run(play())


def test_m2_raw_bytes_on_the_port_cost_no_match(tmp_path: Path) -> None:
    """A peer that speaks no HTTP/2 is dropped; the running match is played."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            host, _, port = hall.address.partition(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"\x00\xffGET / HTTP/1.1\r\n\r\n" * 100)
            async with asyncio.timeout(PATIENCE):
                await reader.read()
            writer.close()
            outcome = await finish(playing, who, *others, also=turn)

            assert outcome.termination == "completed"

    run(play())


def test_d16_a_flood_of_acts_is_refused_and_costs_its_sender(tmp_path: Path) -> None:
    """Acts above the rate limit are refused by name with a strike; the others play on."""

    async def play() -> None:
        async with room(tmp_path, limits=Limits(acts_per_second=5, acts_per_second_per_match=1)) as hall:
            who, turn, others, playing = await opened(hall, penalties=Penalties(strays=1000))
            await others[0].send(*[act(turn)] * 40)
            flooded = await others[0].expect("rejected", lambda r: r.fault == faults.FAULT_KIND_RATE_LIMITED)

            assert flooded.strike_count >= 1

            outcome = await finish(playing, who, *others, also=turn)
            assert outcome.end
            guilty = others[0].matches[outcome.match_id or ""].seat
            assert [bool(place.strikes) for place in outcome.end.places] == [at == guilty for at in range(4)]
            refused = [found for found in records(outcome, ev.Rejected) if found.seat == guilty]
            assert len(refused) < 40
            assert_sound(outcome)

    run(play())


def test_d16_many_times_the_rate_in_messages_closes_the_stream(tmp_path: Path) -> None:
    """The stream ends with RESOURCE_EXHAUSTED, and the match goes on for the others."""

    async def play() -> None:
        limits = Limits(acts_per_second=1, acts_per_second_per_match=1)  # slow machines send more, too
        async with room(tmp_path, limits=limits) as hall:
            _, turn, others, playing = await opened(hall)
            with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):
                for _ in range(1_000):
                    await others[0].send(act(turn))
            code, _ = await others[0].status()

            assert code == grpc.StatusCode.RESOURCE_EXHAUSTED

            playing.cancel()

    run(play())
