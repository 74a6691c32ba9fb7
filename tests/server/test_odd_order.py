"""Drops, stalls, floods, voids, full disks and spectators in any order: what must hold holds at each step."""

import asyncio
import contextlib
import errno
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.errors import RefereeError
from referee.match import events as ev
from referee.match.config import SECOND, TimeControl
from referee.replay import writer as writers
from referee.replay.reader import RUNNING, read, scan, unfinished
from referee.replay.verify import verify
from referee.server.host import MatchRequest
from referee.server.live import LiveMatch
from referee.server.reads.desk import Desk
from referee.server.recovery import recover
from referee.server.refusal import Refusal
from referee.server.watch.gallery import Gallery, Spectator
from tests.server.client import GAME
from tests.server.virtual import Bot, Town, run_virtual

CONTROL = TimeControl(base=SECOND // 2, bank=SECOND // 2, join=4 * SECOND, start=4 * SECOND)
STEPS = 250
STALLS = (0.02, 0.06, 0.099, 0.15, 0.7, 3.0, 70.0)


class Disorder:
    """One run: `a` and `b` answer at once whatever happens, the others do as it comes."""

    def __init__(self, town: Town, seed: int, patch: pytest.MonkeyPatch) -> None:
        self.town = town
        self.dice = Random(seed)
        self.good = [town.bot(name) for name in "ab"]
        self.wild = [town.bot(name, prompt=False) for name in "cdef"]
        self.played: list[asyncio.Task[Any]] = []
        self.watching: list[asyncio.Task[None]] = []
        self.faults = 0
        """Writes that are to fail, at the next chance."""
        self.must_fail = False
        self.failed = 0
        self.gallery = Gallery(town.host, Desk(town.host))
        self._patch(patch)

    def _patch(self, patch: pytest.MonkeyPatch) -> None:
        def failing(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any) -> Any:
                if self.faults and (self.must_fail or self.dice.random() < 0.5):
                    self.faults -= 1
                    self.failed += 1
                    raise OSError(errno.ENOSPC, "No space left on device")
                return real(*args)

            return call

        for name in ("write_all", "sync_folder"):
            patch.setattr(writers, name, failing(getattr(writers, name)))

    @property
    def bot(self) -> Bot:
        """One of those who do anything."""
        return self.dice.choice(self.wild)

    def live(self) -> LiveMatch | None:
        """Returns a running match."""
        running = sorted(self.town.host.matches)
        return self.town.host.matches[self.dice.choice(running)] if running else None

    # What may happen

    def begin(self) -> None:
        """Asks for a match, of two who are good and two who are not."""
        if len(self.town.host.matches) > 4:
            return
        others = self.dice.sample([bot.name for bot in self.wild], 2)
        bots = [*(bot.name for bot in self.good), *others]
        self.dice.shuffle(bots)
        request = MatchRequest(
            game=GAME,
            options={"target": self.dice.choice((10, 40))},
            bots=tuple(bots),
            seed=self.dice.randrange(99),
        )
        self.played.append(asyncio.ensure_future(self.town.host.play(request)))

    def answer(self) -> None:
        """Has all answer all."""
        for bot in self.wild:
            bot.get_ready()
            for match_id in tuple(bot.turns):
                bot.answer(match_id)

    def blunder(self) -> None:
        """Answers with nonsense, or a turn that is not asked."""
        bot = self.bot
        for match_id in tuple(bot.turns):
            bot.answer(match_id, **self.dice.choice(({"index": 99}, {"turn_id": 77}, {"text": "x"})))

    def flood(self) -> None:
        """Says far too much."""
        bot = self.bot
        for match_id in tuple(bot.turns):
            for _ in range(90):
                bot.answer(match_id, turn_id=1)

    def drop(self) -> None:
        """Ends a stream."""
        self.bot.drop()

    def connect(self) -> None:
        """Begins one, in place of another or of none."""
        self.bot.connect()

    def hold(self) -> None:
        """Reads nothing for a while."""
        if line := self.bot.line:
            line.flows.clear()

    def flow(self) -> None:
        """Reads again."""
        for bot in self.wild:
            if bot.line:
                bot.line.flows.set()

    def lose(self) -> None:
        """Is gone for good, until it comes again."""
        self.town.host.absent(self.bot.name, "it ended")

    def void(self) -> None:
        """Ends a match by order."""
        if live := self.live():
            live.void("an operator said so", self.town.host.runner.now())

    def call_off(self) -> None:
        """Cancels who waits for a match."""
        if self.played:
            self.dice.choice(self.played).cancel()

    def stall(self) -> None:
        """Stands still."""
        self.town.stand_still(self.dice.choice(STALLS))

    def break_disk(self) -> None:
        """Has writes fail."""
        self.faults = 1

    def worst(self) -> None:
        """Has the very next write fail, in a stall."""
        self.must_fail = True
        self.break_disk()
        self.town.stand_still(1)
        self.answer()

    def watch(self) -> None:
        """Has somebody watch a match, or look away."""
        if self.watching and self.dice.random() < 0.4:
            self.watching.pop().cancel()
        elif live := self.live():
            self.watching.append(asyncio.ensure_future(self._watch(live.match.setup.match_id)))

    async def _watch(self, match_id: str) -> None:
        async def take(_: bytes) -> None:
            await asyncio.sleep(0)

        with contextlib.suppress(Refusal):
            await self.gallery.watch(match_id, 0, Spectator("somewhere", take))

    # What must hold

    def check(self) -> None:
        """Checks all that can be seen between two steps."""
        host = self.town.host
        for match_id, live in host.matches.items():
            assert live in host.runner.running
            assert not live.ended.done()
            assert live.match.end is None
            assert live.failure is None
            for seat, member in enumerate(live.members):
                assert member.seats[match_id] == (live, seat)
                assert member.open_turns.get(match_id, 0) == live.match.current_turn(seat)
        assert len(host.runner.running) == len(host.matches)
        assert {id(live) for live in self.town.over}.isdisjoint(map(id, host.matches.values()))
        assert len({id(live) for live in self.town.over}) == len(self.town.over)
        for live in self.town.over:
            assert live.ended.done()
            assert live.failure in {None, "log"}
            assert live.match.end
        assert sum(live.failure == "log" for live in self.town.over) <= self.failed
        assert not host.failed or self.failed

    async def run(self, acts: list[str], steps: int = STEPS) -> None:
        """Does what comes, step by step."""
        for _ in range(steps):
            for _ in range(self.dice.choice((1, 1, 2, 4))):
                getattr(self, self.dice.choice(acts))()
            if self.dice.random() < 0.6:
                for _ in range(self.dice.randrange(12)):
                    await asyncio.sleep(0)
            else:
                await asyncio.sleep(self.dice.choice((0.0005, 0.002, 0.03, 0.3, 0.8)))
            self.check()

    async def end(self) -> None:
        """Lets all that runs come to its end."""
        self.faults = 0
        for bot in self.wild:
            bot.leave()
        async with asyncio.timeout(3600):
            while self.town.host.matches:
                await asyncio.sleep(1)
                self.check()
        await asyncio.gather(*self.played, *self.watching, return_exceptions=True)
        for task in self.played:
            assert task.cancelled() or not (error := task.exception()) or isinstance(error, RefereeError)


def whole(data: Path, failed: int) -> int:
    """Checks all finished logs, and returns how many there are."""
    paths = list(scan(data))
    for path in paths:
        log = read(path)
        verdict = verify(log)
        assert verdict.ok, verdict.problem
        names = [seat.name for seat in log.setup.seats]
        for record in log.records:
            if isinstance(record, ev.Strike | ev.Default | ev.Rejected):
                assert names[record.seat] not in "ab", (path, record)
            if isinstance(record, ev.Act) and names[record.seat] in "ab":
                assert record.think < SECOND // 8, (path, record)
    assert len(list(unfinished(data))) <= failed
    return len(paths)


USUAL = [
    "begin",
    "answer",
    "answer",
    "answer",
    "blunder",
    "drop",
    "connect",
    "connect",
    "hold",
    "flow",
    "flow",
]
USUAL += ["stall", "watch", "flood", "lose", "void", "call_off"]

BROKEN = ["break_disk", "worst"]


def disorder(patch: pytest.MonkeyPatch, data: Path, seed: int, acts: list[str]) -> None:
    """Plays one run, and checks what is left of it."""

    async def play(town: Town) -> None:
        run = Disorder(town, seed, patch)
        await run.run(acts)
        await run.end()
        run.check()
        assert len(town.over) == whole(data, run.failed) + sum(one.failure == "log" for one in town.over)
        assert all(path.name.endswith(RUNNING) for path in unfinished(data))

    run_virtual(patch, data, play, time_control=CONTROL)


def restarted(patch: pytest.MonkeyPatch, data: Path, seed: int) -> None:
    """Plays one run with restarts in it, and checks what is left of it."""

    async def play(town: Town) -> None:
        run = Disorder(town, seed, patch)
        known = frozenset(f"{bot.name}/{bot.name}" for bot in town.bots)
        begun = set()
        for _ in range(4):
            await run.run([act for act in USUAL if act not in {"lose", "call_off"}], STEPS // 4)
            begun |= {live.match.setup.match_id for live in town.over} | set(town.host.matches)
            left = set(town.host.matches)
            await town.restart()
            recover(town.host, known)
            assert set(town.host.matches) == left
            run.gallery = Gallery(town.host, Desk(town.host))
            for bot in town.bots:
                bot.connect()
        await run.end()
        assert whole(data, 0) >= len(begun)

    run_virtual(patch, data, play, time_control=CONTROL)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_order_things_happen_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Every match ends once, its log holds, and who answers at once is charged for nothing."""
    disorder(monkeypatch, tmp_path, seed, USUAL)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_write_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """A match whose log cannot be written is void, once, and the others go on."""
    disorder(monkeypatch, tmp_path, seed, [*USUAL, *BROKEN])


@pytest.mark.parametrize("seed", range(2))
def test_whatever_order_things_happen_in_before_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """What is suspended at any moment goes on in another process, and ends there, once."""
    restarted(monkeypatch, tmp_path, seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 200))
def test_whatever_happens_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """The same with many more orders, each second one with a disk that fails."""
    disorder(monkeypatch, tmp_path, seed, [*USUAL, *BROKEN] if seed % 2 else USUAL)
