"""What becomes of the matches that an earlier process left in the middle."""

import asyncio
import os
from pathlib import Path

from referee.match import events as ev
from referee.match.config import SECOND
from referee.replay.reader import read, scan, unfinished
from referee.replay.verify import verify
from referee.store.store import Store
from tests.patience import PATIENCE
from tests.server.client import CALM, act, finish, opened, room, run, running_log
from tests.server.outage import cut_off


def test_a_match_cut_off_a_short_while_ago_goes_on(tmp_path: Path) -> None:
    """The pending turn keeps its id and its time; the outage is one record, and nobody is late."""

    async def play() -> None:
        tokens, asked = await cut_off(tmp_path)
        async with room(tmp_path, recover=True) as hall:
            live = hall.live
            clients = []
            for name, token in tokens.items():
                hall.tokens[name] = token
                clients.append(await hall.bot(name, auto=False))
            started = [await client.expect("match_started") for client in clients]
            who, turn = await hall.first_turn(clients)

            assert all(one.resumed for one in started)
            assert turn.turn_id == asked.turn
            assert turn.clock.remaining_duration.ToMicroseconds() <= asked.budget
            for client in clients:
                client.auto = True
            await who.send(act(turn))
            await asyncio.wait_for(asyncio.shield(live.ended), PATIENCE)
            assert live.match.end
            assert live.match.end.termination == "completed"
        (path,) = scan(tmp_path)
        log = read(path)

        assert verify(log).ok
        assert sum(isinstance(record, ev.Resumed) for record in log.records) == 1
        assert not [record for record in log.records if isinstance(record, ev.Default)]
        with Store.under(tmp_path) as store:
            assert [result.match_id for result in store.results()] == [log.setup.match_id]

    run(play())


def test_t8_the_way_back_after_an_outage_is_charged_to_nobody(tmp_path: Path) -> None:
    """The clock of the pending turn starts when its seat has it again, with the time that it had."""

    async def play() -> None:
        tokens, asked = await cut_off(tmp_path)
        async with room(tmp_path, recover=True) as hall:
            live = hall.live
            hall.tokens = dict(tokens)
            limit = live.deadline()
            assert limit is not None
            assert 0 < limit - hall.host.runner.now() <= CALM.join
            live.expire(limit - 1)
            assert live.deadline() == limit
            assert live.match.remaining(limit)[0] == asked.budget
            back = [await hall.bot(name, auto=False) for name in "abcd"]
            who, turn = await hall.first_turn(back)
            question = live.match.open_turn

            assert question
            assert question.start is not None
            assert who.matches[turn.match_id].seat == question.seat == asked.seat
            assert turn.turn_id == question.turn == asked.turn
            assert turn.clock.remaining_duration.ToMicroseconds() == asked.budget
            assert live.match.deadline() == live.match._journal.clock(question.start + asked.budget + 1)

    run(play())


def test_t8_a_bot_that_does_not_come_back_after_an_outage_is_late_in_the_end(tmp_path: Path) -> None:
    """It has as long as it may take to join, and then the time of its turn."""

    async def play() -> None:
        _, asked = await cut_off(tmp_path)
        async with room(tmp_path, recover=True) as hall:
            live = hall.live
            limit = live.deadline()
            assert limit is not None
            live.expire(limit)
            assert live.match.open_turn
            assert live.match.open_turn.turn == asked.turn
            assert live.deadline() == limit + asked.budget + 1
            live.expire(limit + asked.budget)
            assert live.match.open_turn.turn == asked.turn
            live.expire(limit + asked.budget + 1)

            assert live.match.conduct.faults[asked.seat] == {"late": 1}

    run(play())


def test_a_match_whose_bot_cannot_come_back_is_void(tmp_path: Path) -> None:
    """Whoever was revoked, or launched by the process that is gone, does not lose by that."""

    async def play() -> None:
        await cut_off(tmp_path)
        with Store.under(tmp_path) as store:
            store.revoke_bot("c")
        async with room(tmp_path, recover=True) as hall:
            assert not hall.host.matches
        (path,) = scan(tmp_path)
        log = read(path)

        assert verify(log).ok
        assert log.end
        assert (log.end.termination, log.end.note) == ("void", "the referee was gone, and c cannot come back")

    run(play())


def test_a_match_cut_off_long_ago_is_void(tmp_path: Path) -> None:
    """Past the window it ends without a result; its log is whole and in the index."""

    async def play() -> None:
        await cut_off(tmp_path)
        path = running_log(tmp_path)
        written = path.stat().st_mtime_ns // 1000
        async with room(tmp_path, recover=True, wall=lambda: written + 61 * SECOND) as hall:
            assert not hall.host.matches
        (path,) = scan(tmp_path)
        log = read(path)

        assert verify(log).ok
        assert log.end
        assert log.end.termination == "void"
        assert "61 s" in log.end.note
        assert not list(unfinished(tmp_path))
        with Store.under(tmp_path) as store:
            assert [result.termination for result in store.results()] == ["void"]

    run(play())


def test_a_log_that_another_process_writes_is_left_alone(tmp_path: Path) -> None:
    """Two servers on one data root do not take each other's matches."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, _turn, others, playing = await opened(hall)
            os.utime(running_log(tmp_path), (0, 0))
            async with room(tmp_path, recover=True) as second:
                assert not second.host.matches
            outcome = await finish(playing, who, *others)

            assert outcome.termination == "completed"

    run(play())


def test_a_log_with_a_bad_line_is_named_and_left(tmp_path: Path) -> None:
    """What cannot be trusted is not continued, and costs nothing else."""

    async def play() -> None:
        await cut_off(tmp_path)
        path = running_log(tmp_path)
        lines = path.read_bytes().split(b"\n")
        path.write_bytes(b"\n".join([*lines[:3], *lines[4:]]))
        before = path.read_bytes()
        async with room(tmp_path, recover=True) as hall:
            assert not hall.host.matches
        assert path.read_bytes() == before

    run(play())
