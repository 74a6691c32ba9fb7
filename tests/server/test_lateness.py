"""Answers that come too late or not at all, and what the lag of a bot excuses; over real gRPC."""

import asyncio
import time
from pathlib import Path

import pytest

from referee.match import events as ev
from referee.match.config import SECOND, Penalties, TimeControl
from referee.replay.reader import read
from referee.replay.verify import verify
from referee.server import runner as runners
from referee.server.host import MatchOutcome
from referee.v1 import fault_pb2 as faults
from referee.v1 import play_service_pb2 as pb
from tests.server.client import Client, Room, act, finish, opened, ready, records, room, run, until

QUICK = TimeControl(base=SECOND // 2, bank=0)
SLACK = 5 * SECOND
"""How long after a deadline its judgement may come, beside what the log says that the referee stood still.

A referee that is behind by a tenth of a second logs a stall, which moves the deadline; what is left
are single delays below that.
"""


def assert_judged_in_time(outcome: MatchOutcome) -> None:
    """Checks that every turn that ran out was judged after its deadline and not long after it."""
    late = [record for record in records(outcome, ev.Default) if record.cause == "late"]
    stalled = sum(record.duration for record in records(outcome, ev.Stall))
    assert late
    for record in late:
        over = record.think - record.budget - record.credit
        assert 0 < over <= SLACK + stalled, record


def assert_sound(outcome: MatchOutcome) -> None:
    """Checks that the log of a finished match holds."""
    assert outcome.replay
    assert verify(read(outcome.replay)).ok


def test_t3_a_late_move_costs_one_strike_and_is_not_applied(tmp_path: Path) -> None:
    """A valid act after the deadline changes nothing and adds no second strike."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall, time_control=QUICK)
            late = await who.expect("rejected")
            await who.send(act(turn))
            again = await who.expect("rejected")

            assert late.fault == again.fault == faults.FAULT_KIND_LATE
            assert (late.strike_count, again.strike_count) == (1, 1)
            assert late.played_action in turn.legal_actions
            assert not again.HasField("played_action")

            outcome = await finish(playing, who, *others)
            (default, *_) = records(outcome, ev.Default)
            assert default.budget == QUICK.base
            assert_judged_in_time(outcome)
            assert_sound(outcome)

    run(play())


def test_t11_a_silent_bot_forfeits_alone(tmp_path: Path) -> None:
    """A bot that never answers is charged at its deadline; the match goes on without it."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            control = TimeControl(base=2 * SECOND, bank=0)
            silent, _, others, playing = await opened(
                hall, time_control=control, penalties=Penalties(strikes=1), options={"target": 50}
            )
            outcome = await finish(playing, *others)
            seat = silent.matches[outcome.match_id or ""].seat

            assert outcome.termination == "completed"
            assert outcome.end
            assert [place.forfeited for place in outcome.end.places] == [at == seat for at in range(4)]
            assert outcome.end.places[seat].rank == 4
            assert_judged_in_time(outcome)
            assert_sound(outcome)

    run(play())


LAG = 0.19
"""How much later than it might a distant bot answers a ping, in seconds."""


class Distant(Client):
    """A bot whose answers to pings take their time; with `pongs` off there are none."""

    def __init__(self, address: str, token: str, *, pongs: bool) -> None:
        super().__init__(address, token, auto=False)
        self._pongs = pongs

    def _take(self, got: pb.PlayResponseFrame) -> list[pb.PlayRequestFrame]:
        answers = super()._take(got)
        if got.WhichOneof("frame") != "ping":
            return answers
        if self._pongs:
            asyncio.get_running_loop().call_later(LAG, self._answer, answers[0])
        return []

    def _answer(self, pong: pb.PlayRequestFrame) -> None:
        self.sending = asyncio.ensure_future(self.send(pong))


async def answer_past_the_budget(hall: Room, bot: Client, turn: pb.Turn, over: int) -> None:
    """Answers a turn as soon as what the referee reads is so far past its budget, in microseconds.

    What it reads while it is behind itself counts from before that, and is not.
    """
    match = hall.host.matches[turn.match_id].match
    question = match.open_turn
    assert question
    await until(lambda: question.start is not None)
    await until(
        lambda: (
            match._journal.exact(hall.host.runner.stamp()) - (question.start or 0) > question.budget + over
        )
    )
    await bot.send(act(turn))


@pytest.mark.parametrize("pongs", [True, False])
def test_measured_lag_saves_an_answer_past_the_budget_and_silence_does_not(
    tmp_path: Path,
    pongs: bool,  # noqa: FBT001
) -> None:
    """A bot that answers pings late is credited as much as it needs; without pongs it is late."""

    async def play() -> None:
        control = TimeControl(base=SECOND, bank=0)
        async with room(tmp_path) as hall:
            hall.tokens["a"] = hall.arena.add_guest("a", owner="a")
            distant = Distant(hall.address, hall.tokens["a"], pongs=pongs)
            hall.clients.append(await distant.hello())
            member = hall.host.lobby.members["a/a", "default"]
            if pongs:
                await until(lambda: member.stream and member.stream.session.lag)
            others = await hall.bots("bcd")
            playing = hall.play(
                time_control=control, penalties=Penalties(strikes=100), options={"target": 20}
            )
            started = await distant.expect("match_started")
            await distant.send(ready(started))
            answered = 0
            while not playing.done() and answered < 3:
                coming = asyncio.ensure_future(distant.expect("turn"))
                await asyncio.wait({coming, playing}, return_when=asyncio.FIRST_COMPLETED)
                if coming.done():
                    await answer_past_the_budget(hall, distant, coming.result(), 20_000)
                    answered += 1
            outcome = await finish(playing, distant, *others)

            mine = [one for one in records(outcome, ev.Act) if one.seat == started.seat]
            late = [one for one in records(outcome, ev.Default) if one.seat == started.seat]
            credited = [one.credit for one in mine if one.credit]
            assert answered
            assert bool(credited) == pongs
            assert all(0 < credit <= control.base // 5 for credit in credited)
            assert all(one.credit == max(0, one.think - control.base) for one in mine)
            if not pongs:
                assert len(late) == answered
                assert {one.credit for one in late} == {0}
                assert_judged_in_time(outcome)
            assert_sound(outcome)

    run(play())


def test_t8_a_match_that_ends_before_the_loop_has_caught_up_tells_of_the_stall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The referee stood still, and then all answers come before it is sure that none is on its way."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, _turn, others, playing = await opened(hall)
            monkeypatch.setattr(runners, "DRAIN", 60 * SECOND)
            time.sleep(0.4)  # noqa: ASYNC251  it is the referee that has to stand still
            outcome = await finish(playing, who, *others)

            stalls = records(outcome, ev.Stall)  # a busy machine may have stood still before
            assert max(stall.duration for stall in stalls) >= SECOND // 5
            assert outcome.termination == "completed"
            assert not {record.fault for record in records(outcome, ev.Rejected)}
            assert_sound(outcome)

    run(play())
