"""Frames that concern no running match, last words, and what the operator hears of a seat."""

import asyncio
import io
import json
from pathlib import Path

import grpc
import pytest
import structlog

from referee.errors import StoreError
from referee.match.config import Penalties
from referee.server import logs
from referee.store.store import Store
from referee.v1 import fault_pb2
from referee.v1 import play_service_pb2 as pb
from tests.patience import PATIENCE
from tests.server.client import GAME, Client, act, finish, frame, opened, room, run


def stray(match_id: str) -> pb.PlayRequestFrame:
    """Returns an act for a match."""
    return frame(act=pb.Act(match_id=match_id, turn_id=1, index=0))


@pytest.mark.parametrize("attempt", range(10))
def test_third_frame_for_an_unknown_match_closes_the_stream_with_a_goodbye(
    tmp_path: Path, attempt: int
) -> None:
    """It is a stream fault like others, and the last word is not lost on its way."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            bot = await hall.bot("a")
            for number in range(3):
                await bot.send(stray(f"no such match {attempt} {number}"))
            goodbye = await bot.expect("goodbye")
            code, _ = await bot.status()

            assert goodbye.reason == pb.GOODBYE_REASON_STREAM_FAULTS
            assert code == grpc.StatusCode.INVALID_ARGUMENT
            refused = bot.all("rejected")
            assert {one.fault for one in refused} == {fault_pb2.FAULT_KIND_UNKNOWN_MATCH}
            assert [one.match_id for one in refused] == [f"no such match {attempt} {n}" for n in range(3)]

    run(play())


def test_frames_that_cross_the_end_of_their_match_are_no_faults(tmp_path: Path) -> None:
    """They are refused by name, and the stream goes on whatever their number."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            bots = await hall.bots()
            outcome = await hall.play()
            for _ in range(5):
                await bots[0].send(stray(str(outcome.match_id)))
                await bots[0].expect("rejected")
            again = await hall.play()

            assert again.termination == "completed"
            assert bots[0].goodbye is None

    run(play())


def test_bot_that_plays_another_game_is_named_at_once(tmp_path: Path) -> None:
    """A match that waits for it does not wait for the join limit."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots("abc")
            await hall.bot("d", games=["dominoes"])
            outcome = await asyncio.wait_for(hall.play(), PATIENCE / 2)

            assert (outcome.termination, outcome.missing) == ("no_show", ("d",))
            assert outcome.note == f"d plays dominoes, not {GAME}"

    run(play())


def test_log_lines_of_a_match_carry_match_seat_and_bot(tmp_path: Path) -> None:
    """What happens to a seat is told with all that is needed to find it; the match has one summary."""
    told = io.TextIOWrapper(io.BytesIO())
    logs.configure(stream=told)

    async def play() -> tuple[str, int]:
        async with room(tmp_path, penalties=Penalties(retries=0, strikes=1)) as hall:
            who, turn, others, playing = await opened(hall)
            await who.send(act(turn, index=99))
            outcome = await finish(playing, who, *others)
            assert outcome.match_id
            return outcome.match_id, who.matches[turn.match_id].seat

    try:
        found: list[tuple[str, int]] = []

        async def keep() -> None:
            found.append(await play())

        run(keep())
    finally:
        structlog.reset_defaults()
    lines = [json.loads(line) for line in told.buffer.getvalue().splitlines()]
    ((match_id, seat),) = found
    forfeits = [line for line in lines if line["event"] == "seat forfeit"]
    ends = [line for line in lines if line["event"] == "match ended"]

    name = "abcd"[seat]
    assert [(one["match_id"], one["seat"], one["bot"]) for one in forfeits] == [
        (match_id, seat, f"{name}/{name}")
    ]
    assert [one["match_id"] for one in ends] == [match_id]


def test_l17_trouble_with_the_register_is_told_by_an_incident_id_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No path and no text of the exception reaches a peer, with or without a valid token."""

    def broken(*_: object) -> None:
        raise StoreError(f"{tmp_path}/referee.db: is no database")

    async def play() -> None:
        monkeypatch.setattr(Store, "bot_by_token", broken)
        async with room(tmp_path) as hall:
            bot = Client(hall.address, "a token that is not known yet")
            code, details = await bot.status()
            await bot.close()

            assert code == grpc.StatusCode.INTERNAL
            assert details.startswith("the referee failed; incident ")
            assert str(tmp_path) not in details

    run(play())
