"""What bots do wrong with their answers, over real gRPC."""

import asyncio
from pathlib import Path

import pytest

from referee.match import events as ev
from referee.match.config import Penalties
from referee.replay.reader import read
from referee.replay.verify import verify
from referee.server.host import MatchOutcome
from referee.v1 import fault_pb2 as faults
from referee.v1 import play_service_pb2 as pb
from referee.v1.block_dominoes_pb2 import BlockDominoesAction
from referee.v1.game_pb2 import Action
from tests.patience import PATIENCE
from tests.server.client import Client, act, finish, opened, records, room, run


def assert_sound(outcome: MatchOutcome) -> None:
    """Checks that the log of a finished match holds."""
    assert outcome.replay
    assert verify(read(outcome.replay)).ok


def test_m1_an_illegal_tile_costs_a_retry_and_the_match_is_played(tmp_path: Path) -> None:
    """An illegal action is refused with its reason; the turn stays open and the match ends as usual."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            await who.send(act(turn, text="play 0-1 right"))
            rejected = await who.expect("rejected")

            assert rejected.fault == faults.FAULT_KIND_ILLEGAL
            assert (rejected.turn_id, rejected.answered_turn_id) == (turn.turn_id, turn.turn_id)
            assert rejected.retries_left == 2
            assert rejected.HasField("remaining_duration")

            outcome = await finish(playing, who, *others, also=turn)
            assert outcome.termination == "completed"
            assert not any(other.all("rejected") for other in others)
            assert_sound(outcome)

    run(play())


def test_past_the_retries_the_default_action_is_told_with_one_refusal(tmp_path: Path) -> None:
    """The refusal past the retries names the action that was played, and the strike."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall, penalties=Penalties(retries=1))
            await who.send(act(turn, index=99))
            first = await who.expect("rejected")
            await who.send(act(turn, index=99))
            second = await who.expect("rejected")

            assert (first.retries_left, first.strike_count) == (0, 0)
            assert (second.fault, second.strike_count) == (faults.FAULT_KIND_MALFORMED, 1)
            assert second.played_action in turn.legal_actions
            assert second.turn_id == 0

            assert_sound(await finish(playing, who, *others))

    run(play())


def test_m3_an_act_out_of_turn_changes_nothing_for_the_seat_to_act(tmp_path: Path) -> None:
    """Seat B names A's legal move in A's turn: B is told NOT_YOUR_TURN, A hears nothing of it."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, (meddler, *rest), playing = await opened(hall)
            await meddler.send(act(turn, action=turn.legal_actions[0]))
            rejected = await meddler.expect("rejected")

            assert rejected.fault == faults.FAULT_KIND_NOT_YOUR_TURN
            assert rejected.turn_id == 0
            assert not rejected.HasField("remaining_duration")

            outcome = await finish(playing, who, meddler, *rest, also=turn)
            assert not who.all("rejected")
            assert_sound(outcome)

    run(play())


def test_m6_of_three_moves_at_once_only_the_first_counts(tmp_path: Path) -> None:
    """Moves for turns that were not asked yet are refused by turn id and never kept for later."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            seat = who.matches[turn.match_id].seat
            await who.send(act(turn), act(turn, turn_id=2), act(turn, turn_id=3))
            refused = [await who.expect("rejected") for _ in range(2)]
            for other in others:
                other.auto = True
                for one in other.all("turn"):
                    await other.send(act(one))
            following = await who.expect("turn")
            plies = hall.live.match.plies
            await who.send(act(turn, turn_id=9))  # its refusal shows that all before it was judged
            await who.expect("rejected", lambda rejected: rejected.answered_turn_id == 9)

            assert [one.answered_turn_id for one in refused] == [2, 3]
            assert {one.fault for one in refused} == {faults.FAULT_KIND_NOT_YOUR_TURN}
            assert following.turn_id == 2
            assert hall.live.match.current_turn(seat) == 2
            assert hall.live.match.plies == plies

            outcome = await finish(playing, who, *others, also=following)
            mine = [record.turn for record in records(outcome, ev.Act) if record.seat == seat]
            assert mine == list(range(1, len(mine) + 1))
            assert_sound(outcome)

    run(play())


def test_m9_a_stale_answer_is_told_the_current_turn(tmp_path: Path) -> None:
    """The turn before the last is stale, another answer to the last one conflicts; the bot can still move."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            for other in others:
                other.auto = True
            await who.send(act(turn))
            second = await who.expect("turn")
            await who.send(act(second))
            third = await who.expect("turn")
            await who.send(act(turn))
            stale = await who.expect("rejected")
            await who.send(act(second))  # the same answer again is no fault
            await who.send(act(second, index=1000))
            conflicting = await who.expect("rejected")

            assert (stale.fault, stale.answered_turn_id) == (faults.FAULT_KIND_STALE, 1)
            assert (conflicting.fault, conflicting.answered_turn_id) == (faults.FAULT_KIND_CONFLICTING, 2)
            for rejected in (stale, conflicting):
                assert rejected.turn_id == third.turn_id == 3
                assert rejected.HasField("remaining_duration")
            assert hall.live.match.current_turn(who.matches[turn.match_id].seat) == 3

            outcome = await finish(playing, who, *others, also=third)
            assert outcome.termination == "completed"
            assert not records(outcome, ev.Default)
            assert_sound(outcome)

    run(play())


def test_m10_ownership_comes_from_the_referee_alone(tmp_path: Path) -> None:
    """A tile that the bot does not hold is refused, and so is one that no set has."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            held = set(turn.observation.block_dominoes.private.hand_tiles)
            foreign = next(
                code for code in (0x00, 0x01, 0x11, 0x12, 0x22, 0x33, 0x44, 0x55) if code not in held
            )
            await who.send(act(turn, action=Action(block_dominoes=BlockDominoesAction(tile=foreign))))
            first = await who.expect("rejected")
            await who.send(act(turn, action=Action(block_dominoes=BlockDominoesAction(tile=0x79))))
            second = await who.expect("rejected")

            assert first.fault == faults.FAULT_KIND_ILLEGAL
            assert second.fault == faults.FAULT_KIND_MALFORMED

            assert_sound(await finish(playing, who, *others, also=turn))

    run(play())


@pytest.mark.parametrize(
    ("text", "bad_byte"),
    [
        ("play 6-6", None),
        ("play 6-6\r", 8),
        ("play 6-6 ", 9),
        (" play 6-6", 0),
        ("\ufeffplay 6-6", 0),
        ("PLAY 6-6", 0),
        ("play 6-6\0", 8),
        ("play 6\u20136", 6),
        ("", 0),
    ],
)
def test_m12_move_text_is_read_or_its_first_bad_byte_named(
    tmp_path: Path, text: str, bad_byte: int | None
) -> None:
    """The opening in its canonical text is played; any other spelling is refused with the byte."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            await who.send(act(turn, text=text))
            if bad_byte is None:
                await hall.first_turn(others)
                assert hall.live.match.plies == 1
            else:
                rejected = await who.expect("rejected")
                assert (rejected.fault, rejected.turn_id) == (faults.FAULT_KIND_MALFORMED, turn.turn_id)
                assert rejected.reason.startswith(f"byte {bad_byte}: ")
                assert hall.live.match.plies == 0

            outcome = await finish(playing, who, *others, also=None if bad_byte is None else turn)
            assert bool(records(outcome, ev.Rejected)) == (bad_byte is not None)
            assert_sound(outcome)

    run(play())


def written(turn: pb.Turn) -> str:
    """Returns the first legal action in text, its tile the other way round."""
    action = turn.legal_actions[0].block_dominoes
    end = {1: " left", 2: " right"}.get(action.end, "")
    return f"play {action.tile & 15}-{action.tile >> 4}{end}"


class Writer(Client):
    """A bot that answers every turn in text."""

    def _take(self, got: pb.PlayResponseFrame) -> list[pb.PlayRequestFrame]:
        answers = super()._take(got)
        return [act(got.turn, text=written(got.turn))] if got.WhichOneof("frame") == "turn" else answers


def test_m12_every_move_in_text_is_accepted_down_to_the_last(tmp_path: Path) -> None:
    """The move that ends a match may come in text like any other, and a tile may be turned."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            for name in "abcd":
                hall.tokens[name] = hall.arena.add_guest(name, owner=name)
                hall.clients.append(await Writer(hall.address, hall.tokens[name]).hello())
            outcome = await asyncio.wait_for(hall.play(), PATIENCE)

            assert outcome.end
            assert outcome.termination == "completed"
            assert isinstance(records(outcome)[-3], ev.Act)
            assert not records(outcome, ev.Rejected)
            assert not any(place.faults for place in outcome.end.places)
            assert_sound(outcome)

    run(play())


def test_m13_a_bad_answer_in_every_phase_fails_its_seat_only(tmp_path: Path) -> None:
    """A seat that answers nothing but nonsense forfeits; nobody else has a fault."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            conduct = Penalties(retries=0, strikes=2)
            who, turn, others, playing = await opened(hall, penalties=conduct, options={"target": 50})
            for other in others:
                other.auto = True
            await who.send(act(turn, index=-7))
            while not playing.done() and len(who.all("rejected")) < 2:
                again = asyncio.ensure_future(who.expect("turn"))
                await asyncio.wait({again, playing}, return_when=asyncio.FIRST_COMPLETED)
                if again.done():
                    await who.send(act(again.result(), text="nonsense"))
            outcome = await finish(playing, who, *others)
            seat = who.matches[outcome.match_id or ""].seat

            assert outcome.end
            assert [place.forfeited for place in outcome.end.places] == [at == seat for at in range(4)]
            assert [bool(place.faults) for place in outcome.end.places] == [at == seat for at in range(4)]
            assert_sound(outcome)

    run(play())
