"""What happens at the wrong moment: in a stall, in the middle of a message, after the end, in a callback."""

import asyncio
import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.errors import LogWriteError
from referee.match import events as ev
from referee.match.config import SECOND, TimeControl
from referee.replay import files
from referee.replay.reader import read, scan
from referee.replay.verify import verify
from referee.replay.writer import LogWriter
from referee.server.host import MatchOutcome, MatchRequest
from referee.server.live import LiveMatch
from referee.server.runner import Runner
from tests.server.client import GAME
from tests.server.test_runner import Waiting, ignore
from tests.server.virtual import Bot, Town, run_virtual

QUICK = TimeControl(base=SECOND // 2, bank=0, join=5 * SECOND, start=5 * SECOND)


def ask(town: Town, names: str = "abcd") -> "asyncio.Task[MatchOutcome]":
    """Asks for a match."""
    request = MatchRequest(game=GAME, options={"target": 10}, bots=tuple(names), seed=1)
    return asyncio.ensure_future(town.host.play(request))


async def seated(town: Town) -> tuple[LiveMatch, list[Bot], "asyncio.Task[MatchOutcome]"]:
    """Returns a match that has begun, and its bots from the one whose turn it is; none answers by itself."""
    bots = [town.bot(name, prompt=False) for name in "abcd"]
    playing = ask(town)
    await asyncio.sleep(0.01)
    for bot in bots:
        bot.get_ready()
    await asyncio.sleep(0.01)
    (live,) = town.host.matches.values()
    question = live.match.open_turn
    assert question
    assert bots[question.seat].turns
    return live, [*bots[question.seat :], *bots[: question.seat]], playing


def fail(_: object) -> None:
    """Fails, as nothing should."""
    raise RuntimeError("it failed")


def fail_stalls(patch: pytest.MonkeyPatch) -> None:
    """Has the disk fill up with the very record of a stall."""

    def write_all(descriptor: int, data: bytes) -> None:
        if b'"kind":"stall"' in data:
            raise OSError(errno.ENOSPC, "No space left on device")
        files.write_all(descriptor, data)

    patch.setattr("referee.replay.writer.write_all", write_all)


def test_a_seat_hears_nothing_of_a_match_that_fails_while_it_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its stream does not read, so its clock starts at once, behind a stall that cannot be logged."""

    async def play(town: Town) -> None:
        live, (first, second, *_), playing = await seated(town)
        match_id = live.match.setup.match_id
        other = ask(town)  # while it has another match, its stream stays
        await asyncio.sleep(0.01)
        assert second.line
        second.line.flows.clear()
        second.turns[match_id] = first.turns[match_id]
        second.answer(match_id, index=7)  # it is told that this is not its turn, and does not read it
        await asyncio.sleep(0.01)
        fail_stalls(monkeypatch)
        first.answer(match_id)
        town.stand_still(1)
        outcome = await playing
        second.line.flows.set()
        await asyncio.sleep(0.01)

        assert outcome.termination == "void"
        assert match_id in second.ended
        assert match_id not in second.turns
        other.cancel()

    run_virtual(monkeypatch, tmp_path, play, time_control=QUICK)


def test_a_stream_that_ends_with_a_turn_for_it_leaves_its_seat_whatever_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of a turn that was never written starts then, behind a stall that cannot be logged."""

    async def play(town: Town) -> None:
        live, (first, second, *_), playing = await seated(town)
        match_id = live.match.setup.match_id
        member = next(member for member in live.members if member.identity.name == second.name)
        connection = member.stream
        assert connection
        first.answer(match_id)
        while not connection._queue:
            await asyncio.sleep(0)
        fail_stalls(monkeypatch)
        town.stand_still(1)
        connection._detach()
        assert member.stream is None
        assert (await playing).termination == "void"
        assert town.host.failed

    run_virtual(monkeypatch, tmp_path, play, time_control=QUICK)


def test_whoever_hears_of_an_end_and_fails_keeps_it_from_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match has ended, its log is whole, and who waits for it goes on."""

    async def play(town: Town) -> None:
        town.host.on_over.insert(0, fail)
        for name in "abcd":
            town.bot(name)
        outcome = await asyncio.wait_for(ask(town), 600)
        (live,) = town.over
        assert (live.failure, outcome.termination) == (None, "completed")
        assert outcome.replay
        assert verify(read(outcome.replay)).ok
        assert town.host.failed == ""
        assert not town.host.lobby.members[("a/a", "default")].seats

    run_virtual(monkeypatch, tmp_path, play, time_control=QUICK)


def test_an_owner_that_fails_does_not_void_what_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end is in the log, and stays; who waits for it hears of it."""

    async def play(town: Town) -> None:
        for name in "abcd":
            town.bot(name)
        monkeypatch.setattr(town.host, "match_over", lambda _: 1 // 0)
        outcome = await asyncio.wait_for(ask(town), 600)
        assert outcome.termination == "completed"
        town.host.matches.clear()

    run_virtual(monkeypatch, tmp_path, play, time_control=QUICK)
    (log,) = map(read, scan(tmp_path))
    assert log.end
    assert log.end.termination == "completed"


def absent(town: Town, other: Bot) -> None:
    """Has the process of a bot end."""
    town.host.absent(other.name, "it ended")


def back(town: Town, other: Bot) -> None:
    """Has a bot come on another stream."""
    del town
    other.connect()


def away(town: Town, other: Bot) -> None:
    """Has the stream of a bot end."""
    del town
    other.drop()


@pytest.mark.parametrize("happens", [absent, back, away])
@pytest.mark.parametrize("seconds", [0.09, 3])
def test_what_happens_to_another_seat_in_a_stall_costs_nobody_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, happens: Callable[[Town, Bot], None], seconds: float
) -> None:
    """It is heard before an answer that came in time; that is judged by when it came all the same."""

    async def play(town: Town) -> None:
        live, (first, second, *_), playing = await seated(town)
        match_id = live.match.setup.match_id
        town.stand_still(seconds)
        happens(town, second)
        for _ in range(12):
            await asyncio.sleep(0)
        first.answer(match_id)
        await asyncio.sleep(0.5)
        live.void("enough", town.host.runner.now())
        outcome = await playing
        assert outcome.replay
        log = read(outcome.replay)
        seat = next(at for at, info in enumerate(log.setup.seats) if info.name == first.name)
        act = next(record for record in log.records if isinstance(record, ev.Act) and record.seat == seat)
        assert act.think < 50_000
        assert verify(log).ok

    run_virtual(monkeypatch, tmp_path, play, time_control=QUICK)


def test_a_clock_that_starts_with_the_match_is_in_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are ready at the moment of the start, before the clock of the server has moved on."""

    async def play(town: Town) -> None:
        bots = [town.bot(name, prompt=False) for name in "abcd"]
        await asyncio.sleep(0.01)
        town.stand_still(0.05)
        playing = ask(town)
        while not town.host.matches:
            await asyncio.sleep(0)
        (live,) = town.host.matches.values()
        began = town.host.runner.now()
        for seat in range(4):
            live.ready(seat, b"", began)
        assert live.match.open_turn
        seat = live.match.open_turn.seat
        live.asked(seat, 1, began)
        while not bots[seat].turns:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.1)
        bots[seat].answer(live.match.setup.match_id)
        await asyncio.sleep(0.1)
        live.void("enough", town.host.runner.now())
        outcome = await playing
        assert outcome.replay
        log = read(outcome.replay)
        assert any(isinstance(record, ev.Act) for record in log.records)
        verdict = verify(log)
        assert verdict.ok, verdict.problem

    run_virtual(monkeypatch, tmp_path, play, time_control=QUICK)


def test_a_start_that_fails_as_it_is_called_off_is_called_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever cancels hears of that, and of nothing else."""

    async def play(town: Town) -> None:
        for name in "abcd":
            town.bot(name)
        await asyncio.sleep(0.1)
        playing = ask(town)

        def create(*_: object) -> LogWriter:
            playing.cancel()
            raise LogWriteError("no space left")

        monkeypatch.setattr(LogWriter, "create", create)
        await asyncio.wait({playing})
        assert playing.cancelled()

    run_virtual(monkeypatch, tmp_path, play, time_control=QUICK)


# The clock


def test_chores_that_fail_stop_no_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deadlines are judged afterwards as before."""

    async def play(town: Town) -> None:
        troubles: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context))
        runner = Runner(fail, ignore)
        runner.start()
        one = Waiting(town.loop.us + 2 * SECOND)
        runner.add(one)
        await asyncio.sleep(3)
        runner.stop()
        assert troubles
        assert one.expired

    run_virtual(monkeypatch, tmp_path, play)


def test_a_deadline_that_is_set_as_another_is_judged_waits_for_its_own_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer came in time, the next turn ran out in a stall: that moves it first."""

    async def play(town: Town) -> None:
        runner = Runner(ignore, ignore)
        runner.start()
        one = Waiting(town.loop.us + SECOND // 2)
        runner.add(one)
        original = runner._expired
        moved: list[int] = []

        def expired() -> None:
            asyncio.get_running_loop().call_soon(answered)
            original()

        def answered() -> None:
            if not moved:
                moved.append(town.loop.us)
                one.at = town.loop.us + SECOND // 2
                runner.watch(one)
                town.stand_still(2)

        monkeypatch.setattr(runner, "_expired", expired)
        runner._timer_due = 0
        runner._arm()
        await asyncio.sleep(5)
        runner.stop()
        (judged,) = one.expired
        assert sum(one.stalls) > SECOND
        assert judged >= moved[0] + SECOND // 2 + sum(one.stalls)

    run_virtual(monkeypatch, tmp_path, play)
