"""A match that makes no progress, or that the referee itself spoils, ends; the others go on."""

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.errors import LogWriteError
from referee.games.block_dominoes import rules
from referee.match import events as ev
from referee.match.config import SECOND
from referee.replay.reader import read, unfinished
from referee.replay.verify import verify
from referee.server import guard
from referee.server.codec import Codec
from referee.server.stream import Connection
from tests.patience import PATIENCE
from tests.server.client import act, finish, opened, records, room, run, until


def test_d21_a_rule_that_never_returns_voids_its_match_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work without an end is ended from outside; its match goes to the next attempt, nobody is late."""
    monkeypatch.setattr(guard, "LIMIT", 0.1)
    truly = rules.State.apply
    hanging: list[object] = []

    def apply(self: rules.State, action: int) -> Any:
        while self in hanging:
            pass
        return truly(self, action)

    monkeypatch.setattr(rules.State, "apply", apply)

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            calm = [await hall.bot(name) for name in "efgh"]
            beside = hall.play("efgh", seed=2, options={"target": 100})
            hanging.append(hall.host.matches[turn.match_id].match.state)
            await who.send(act(turn))
            ended = [await client.expect("match_ended") for client in (who, *others)]
            outcome, calm_outcome = await playing, await finish(beside, *calm)

            assert (outcome.termination, calm_outcome.termination) == ("void", "completed")
            assert outcome.replay
            assert all("incident" in end.note for end in ended)
            assert verify(read(outcome.replay)).ok
            assert not records(calm_outcome, ev.Default)
            again = await finish(hall.play(), who, *others)
            assert again.termination == "completed"

    run(play())
    assert signal.getsignal(signal.SIGVTALRM) is signal.SIG_DFL


def _raise(*_: object, **_named: object) -> Any:
    raise AssertionError("a bug")


@pytest.mark.parametrize("kind", [ev.Act, ev.Turn, ev.DealResult, ev.End])
def test_a_bug_at_any_record_leaves_a_log_that_explains_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[ev.Record]
) -> None:
    """What the failed step had written is taken back: the log ends as void behind the step before it."""
    truly = Codec.record
    armed: list[int] = []

    def record(self: Codec, match: Any, told: ev.Record) -> None:
        if armed and isinstance(told, kind):
            armed.clear()
            raise AssertionError("a bug")
        truly(self, match, told)

    monkeypatch.setattr(Codec, "record", record)

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, _turn, others, playing = await opened(hall)
            armed.append(1)
            outcome = await finish(playing, who, *others)
            ended = [await client.expect("match_ended") for client in (who, *others)]

            assert outcome.termination == "void"
            assert outcome.replay
            assert {end.note for end in ended} == {outcome.note}
            assert "incident" in outcome.note
            log = read(outcome.replay)
            assert verify(log).ok
            assert log.end
            assert log.end.termination == "void"

    run(play())


@pytest.mark.parametrize("trouble", [LogWriteError("no space left"), AssertionError("another bug")])
def test_a_bug_whose_log_cannot_be_ended_is_void_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    """The bots hear of it, and the next start ends the log, however soon it comes."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            live = hall.live

            def refuse() -> Any:
                raise trouble

            with monkeypatch.context() as patch:
                patch.setattr(rules.State, "apply", _raise)
                patch.setattr(live.writer, "again", refuse)
                await who.send(act(turn))
                for client in (who, *others):
                    await client.expect("match_ended")
            outcome = await playing
            assert (outcome.termination, outcome.replay) == ("void", None)
            assert bool(hall.arena.failed) is isinstance(trouble, LogWriteError)
        assert len(list(unfinished(tmp_path))) == 1
        async with room(tmp_path, recover=True) as hall:
            assert not hall.host.matches
        assert not list(unfinished(tmp_path))

    run(play())


def test_d21_a_match_in_which_no_clock_runs_is_void(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bots are connected and answer pings; that is no progress."""

    def lose(self: Connection, *_: object) -> None:
        del self

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots()
            monkeypatch.setattr(Connection, "ask", lose)
            playing = hall.play()
            await until(lambda: hall.host.matches and hall.live.match.open_turn)
            live, now = hall.live, hall.host.runner.now()
            assert live.deadline() is None
            for passed in (0, guard.IDLE, guard.IDLE + 1):
                assert not live.ended.done()
                live.chores(now + passed)
            outcome = await asyncio.wait_for(playing, PATIENCE)

            assert outcome.termination == "void"
            assert outcome.replay
            assert verify(read(outcome.replay)).ok
            assert all(client.goodbye is None for client in clients)

    run(play())


def test_d21_progress_between_two_looks_is_enough() -> None:
    """Only a match that never has a deadline while it is looked at counts as one without."""
    idle = guard.Idle()
    looks: list[tuple[int | None, int]] = [
        (None, 0), (5, 20 * SECOND), (None, 25 * SECOND), (None, 55 * SECOND), (None, 55 * SECOND + 1)
    ]  # fmt: skip

    assert [idle.is_over(deadline, now) for deadline, now in looks] == [False] * 4 + [True]


def test_d21_a_loop_that_hangs_elsewhere_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is torn out of code that is no match's: the operator learns where it hangs."""
    from structlog.testing import capture_logs

    monkeypatch.setattr(guard, "LIMIT", 0.05)

    def hang_until(told: Callable[[], object]) -> None:
        while not told():
            pass

    watch = guard.Guard()
    with capture_logs() as written:
        watch.start()
        try:
            watch.beat()
            hang_until(lambda: written)
        finally:
            watch.stop()

    assert written[0]["event"] == "the event loop hangs"
    assert "hang_until" in written[0]["where"]
