"""S1: blocks of duplicate play between bots that are launched anew for each match."""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from referee.engine.entrants import Entry, entries
from referee.engine.local import LocalArena
from referee.errors import UsageError
from referee.match import events as ev
from referee.match.config import DuplicateKind
from referee.replay.reader import Log, finished_path, read, scan, sealed
from referee.replay.verify import verify
from referee.server.config import ArenaConfig
from referee.server.request import MatchOutcome, MatchRequest
from tests.server.client import CALM, GAME, Client, run, until
from tests.server.keeping import held

HOUSE = ("easy", "normal", "expert")
BROKEN = f"broken={sys.executable} -c 'raise SystemExit(3)'"


def _found(*texts: str) -> tuple[Entry, ...]:
    return entries(texts, GAME)


def _arena(data: Path, per_match: Sequence[Entry], bots: Sequence[Entry] = ()) -> LocalArena:
    config = ArenaConfig(data=data, time_control=CALM)
    return LocalArena(config, bots, GAME, data / "output" / "run", lambda _: None, per_match=per_match)


def _rotated(seats: Sequence[str]) -> list[tuple[str, ...]]:
    return [(*seats[at:], *seats[:at]) for at in range(len(seats))]


async def _block(
    arena: LocalArena,
    sittings: Sequence[tuple[str, ...]],
    kind: DuplicateKind = "rotate",
    ended: Callable[[MatchOutcome], None] = lambda _: None,
    **more: Any,
) -> list[MatchOutcome]:
    request = MatchRequest(
        game=GAME, options={"target": 10}, bots=sittings[0], pairing_id="cup/7", attempt=2, **more
    )
    return await arena.play_block(request, sittings, kind, ended)


def _logs(outcomes: Sequence[MatchOutcome]) -> list[Log]:
    return [read(one.replay) for one in outcomes if one.replay]


def _agree(logs: Sequence[Log]) -> bool:
    """Says whether all logs have the same deals, as far as each goes."""
    deals = [[record.order for record in log.records if isinstance(record, ev.Deal)] for log in logs]
    return all(one[: len(other)] == other[: len(one)] for one in deals for other in deals)


def _run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    before = psutil.Process().children(recursive=True)
    run(test())
    left = [child for child in psutil.Process().children(recursive=True) if child.is_running()]
    assert [child for child in left if child not in before] == []


def test_s1_rotate_takes_the_deals_through_all_seats(tmp_path: Path) -> None:
    """Every bot plays every hand once, each time in a process that has not seen the deals before."""

    async def test() -> None:
        found = _found(*HOUSE, "sample_bots/python/first_bot.py")
        sittings = _rotated([entry.name for entry in found])
        early: list[list[Path]] = []
        async with _arena(tmp_path, found) as arena:
            outcomes = await _block(arena, sittings, ended=lambda _: early.append(list(scan(tmp_path))))
        logs = _logs(outcomes)

        assert early == [[]] * 4
        assert [one.termination for one in outcomes] == ["completed"] * 4
        assert [log.setup.pairing_id for log in logs] == [f"cup/7.{part}" for part in range(4)]
        assert [log.setup.attempt for log in logs] == [2] * 4
        assert [tuple(seat.name for seat in log.setup.seats) for log in logs] == sittings
        assert len({seat.instance for log in logs for seat in log.setup.seats}) == 16
        assert _agree(logs)
        assert all(verify(log).ok for log in logs)
        outputs = tmp_path / "output" / "run"
        assert sorted(path.name for path in outputs.iterdir()) == ["referee.jsonl", "reports"]
        assert {path.stem for path in (outputs / "reports").iterdir()} == {log.setup.match_id for log in logs}

    _run(test)


def test_s1_same_seat_gives_competitors_the_same_opponents(tmp_path: Path) -> None:
    """Competitors play many matches in one process, their opponents are new each time."""

    async def test() -> None:
        first, house = _found("sample_bots/python/first_bot.py"), _found(*HOUSE)
        names = [entry.name for entry in house]
        sittings = [(names[0], bot, names[1], names[2]) for bot in (first[0].name, "afar")]
        async with _arena(tmp_path, house, first) as arena:
            token = arena.arena.add_guest("afar", "afar")
            afar = await Client(arena.address, token).hello()
            blocks = [await _block(arena, sittings, "same_seat") for _ in range(2)]
            await afar.close()
        for logs in map(_logs, blocks):
            assert [log.setup.seats[1].name for log in logs] == ["first_bot", "afar"]
            assert {log.setup.seats[1].instance for log in logs} == {"default"}
            assert _agree(logs)
        one, other = map(_logs, blocks)
        assert not _agree([one[0], other[0]])
        seats = [seat for log in (*one, *other) for seat in log.setup.seats if seat.name in names]
        assert len({seat.instance for seat in seats}) == 12

    _run(test)


def test_a_bot_that_remembers_does_not_meet_a_deal_twice(tmp_path: Path) -> None:
    """Deals rotate among bots of this referee only; with same_seat a bot of another kind has one match."""

    async def test() -> None:
        house = _found(*HOUSE)
        async with _arena(tmp_path, house) as arena:
            with pytest.raises(UsageError, match="bot afar may remember the hands"):
                await _block(arena, _rotated([*HOUSE, "afar"]))
            with pytest.raises(UsageError, match="bot afar would meet the same deals 2 times"):
                await _block(arena, [(*HOUSE, "afar"), (*HOUSE, "afar")], "same_seat")
        assert list(scan(tmp_path)) == []

    _run(test)


@pytest.mark.parametrize(("kind", "apart"), [("rotate", False), ("same_seat", True)])
def test_s1_a_rated_block_holds_one_bot_of_each_owner(
    tmp_path: Path,
    kind: DuplicateKind,
    apart: bool,  # noqa: FBT001
) -> None:
    """Wherever its bots run, at one table or at two: both would meet the same deals."""

    async def test() -> None:
        found = [replace(one, owner="ann", house=False) for one in _found(*HOUSE[:2])]
        guest = Entry("afar", "ann", "afar", (), house=False)
        table, other = ("easy", *HOUSE[2:]), ("normal" if kind == "rotate" else "afar", *HOUSE[2:])
        sittings = [table, other] if apart else [(*table, *other[:1])]
        config = ArenaConfig(data=tmp_path)
        async with LocalArena(config, [guest], GAME, tmp_path, lambda _: None, per_match=found) as arena:
            with pytest.raises(UsageError, match="have one owner, who would meet the deals"):
                await _block(arena, sittings, kind)
        assert list(scan(tmp_path)) == []

    _run(test)


def test_an_unrated_match_may_seat_a_bot_twice(tmp_path: Path) -> None:
    """Each seat has a process of its own, with a seed of its own where there is one."""

    async def test() -> None:
        found = _found("easy", "normal")
        async with _arena(tmp_path, found) as arena:
            outcomes = await _block(arena, [("easy", "normal", "easy", "normal")], rated=False, seed=3)
        (log,) = _logs(outcomes)

        assert outcomes[0].termination == "completed"
        assert len({seat.instance for seat in log.setup.seats}) == 4

    _run(test)


@pytest.mark.parametrize("command", [BROKEN, "broken=./made-later"])
def test_a_bot_that_does_not_start_ends_the_block(tmp_path: Path, command: str) -> None:
    """The first match is a no-show that names it, and no other is played."""

    async def test() -> None:
        (broken,) = entries([BROKEN], GAME)
        if "made-later" in command:
            broken = Entry("broken", "broken", "broken/broken", (str(tmp_path / "nothing"),), house=False)
        async with _arena(tmp_path, (*_found(*HOUSE), broken)) as arena:
            outcomes = await _block(arena, _rotated([*HOUSE, "broken"]))
            reports = arena.reports()

        assert [(one.termination, one.missing) for one in outcomes] == [("no_show", ("broken",))]
        assert "broken never joined" in outcomes[0].note
        ended = {report.bot for report in reports}  # perhaps with what was started for the next match
        assert ended == (set() if "made-later" in command else {"broken"})

    _run(test)


def test_a_bot_that_ends_in_a_match_forfeits_it_and_plays_the_next(tmp_path: Path) -> None:
    """Its crash is its own fault; it costs the others nothing and the block goes on."""

    async def test() -> None:
        crash = f"crash={sys.executable} {Path('sample_bots/misbehaving/crash.py').absolute()}"
        found = _found(*HOUSE, crash)
        async with _arena(tmp_path, found) as arena:
            outcomes = await _block(arena, _rotated([entry.name for entry in found])[:2])
            reports = arena.reports()
        places = [place for one in outcomes if one.end for place in one.end.places]

        assert [one.termination for one in outcomes] == ["completed"] * 2
        assert [place.seat for place in places if place.forfeited] == [3, 2]
        assert [report.bot for report in reports] == ["crash"] * 2
        assert all(report.stderr for report in reports)

    _run(test)


def test_a_block_that_is_called_off_leaves_nothing_sealed(tmp_path: Path) -> None:
    """The running match is void, the others can be read, and no process is left."""

    async def test() -> None:
        found = _found(*HOUSE, "sample_bots/python/first_bot.py")
        first = asyncio.Event()
        async with _arena(tmp_path, found) as arena:
            sittings = _rotated([entry.name for entry in found])
            playing = asyncio.create_task(_block(arena, sittings, ended=lambda _: first.set()))
            await first.wait()
            playing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await playing
            assert list(sealed(tmp_path)) == []
            assert 1 <= len(list(scan(tmp_path))) <= 2

    _run(test)


@pytest.mark.parametrize("part", [0, 1])
def test_a_block_that_is_called_off_after_the_end_of_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    """After the last one it is whole; after another one nothing more is played, nor another block."""

    async def test() -> None:
        found = _found("easy", "normal")
        sittings = [("easy", "normal") * 2, ("normal", "easy") * 2]

        async def play() -> int:
            whole = len(await _block(arena, sittings, rated=False))
            with pytest.raises(asyncio.CancelledError):
                await _block(arena, sittings, rated=False)
            return whole

        async with _arena(tmp_path, found) as arena:
            begun = held(monkeypatch, part)
            playing = asyncio.create_task(play())
            await until(lambda: begun.is_set() or playing.done())
            playing.cancel()
            await asyncio.wait({playing})
            assert playing.cancelled() == (part == 0)
            assert part == 0 or playing.result() == 2
            assert list(sealed(tmp_path)) == []
            assert len(list(scan(tmp_path))) == part + 1

    _run(test)


def test_names_of_logs_are_those_of_the_end(tmp_path: Path) -> None:
    """What is returned are files that are there."""

    async def test() -> None:
        found = _found("easy", "normal")
        async with _arena(tmp_path, found) as arena:
            outcomes = await _block(arena, [("easy", "normal") * 2, ("normal", "easy") * 2], rated=False)
            assert [one.replay for one in outcomes] == [finished_path(path) for path in scan(tmp_path)]

    _run(test)
