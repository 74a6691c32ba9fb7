"""Many matches at a time on a busy machine: nobody is late by the referee's fault."""

import asyncio
import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

from referee.match.config import SECOND, TimeControl
from referee.match.events import Act, Default, Forfeit, Stall, Strike
from referee.server.request import MatchOutcome
from tests.server.client import records, room, run

HOG = "import time\nend = time.monotonic() + 60\nwhile time.monotonic() < end: pass"


def burden(data: Path, matches: int, target: int) -> list[MatchOutcome]:
    """Plays matches of four bots at the same time, beside a process that takes what time it can get."""
    outcomes: list[MatchOutcome] = []

    async def play() -> None:
        control = TimeControl(base=5 * SECOND, bank=0, join=60 * SECOND, start=60 * SECOND)
        async with room(data, time_control=control) as hall:
            for name in "abcd":
                await hall.bot(name, matches_at_once=matches)
            running = [hall.play(options={"target": target}, seed=seed) for seed in range(matches)]
            outcomes.extend(await asyncio.gather(*running))

    with subprocess.Popen([sys.executable, "-c", HOG]) as hog:
        try:
            run(play())
        finally:
            hog.kill()
    return outcomes


def expect_no_fault(outcomes: list[MatchOutcome]) -> None:
    """Every match is complete, nobody has a fault, and no turn was charged more than its budget."""
    assert {outcome.termination for outcome in outcomes} == {"completed"}
    for outcome in outcomes:
        assert outcome.end
        assert all(not place.faults for place in outcome.end.places)
        assert all(act.think <= 5 * SECOND for act in records(outcome, Act))


def test_t1_64_matches_beside_a_hog_have_no_fault(tmp_path: Path) -> None:
    """Bots that answer at once are never late, whatever else the machine does."""
    expect_no_fault(burden(tmp_path, matches=64, target=10))


@pytest.mark.soak
def test_t1_128_long_matches_beside_a_hog_have_no_fault(tmp_path: Path) -> None:
    """The same for longer, with twice the matches."""
    expect_no_fault(burden(tmp_path, matches=128, target=100))


def timed(
    data: Path, matches: int, target: int, bots: tuple[float, float, int], *, hog: bool = False
) -> list[MatchOutcome]:
    """Plays matches with 100 ms for each turn, and no bank; `bots` is what `timed_bots` takes.

    The bots have a process of their own, as has the hog.
    """
    outcomes: list[MatchOutcome] = []

    async def play() -> None:
        control = TimeControl(base=SECOND // 10, bank=0, join=60 * SECOND, start=60 * SECOND)
        async with room(data, time_control=control) as hall:
            tokens = [hall.arena.add_guest(name, owner=name) for name in "abcd"]
            words = ["-m", "tests.server.timed_bots", hall.address, *map(str, bots), *tokens]
            process = await asyncio.create_subprocess_exec(sys.executable, *words)
            try:
                running = [hall.play(options={"target": target}, seed=seed) for seed in range(matches)]
                outcomes.extend(await asyncio.gather(*running))
            finally:
                process.kill()
                await process.wait()

    with contextlib.ExitStack() as stack:
        if hog:
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", HOG]))
            stack.callback(process.kill)
        asyncio.run(asyncio.wait_for(play(), 600))
    return outcomes


def told(outcomes: list[MatchOutcome]) -> tuple[list[Act], list[Default]]:
    """Returns the answers in time and the late ones, and prints how long they took."""
    acts = [act for outcome in outcomes for act in records(outcome, Act)]
    late = [one for outcome in outcomes for one in records(outcome, Default) if one.cause == "late"]
    thinks = sorted(act.think for act in acts)
    stalls = [one.duration for outcome in outcomes for one in records(outcome, Stall)]
    print(
        f"\n{len(outcomes)} matches, {len(acts)} answers in time, {len(late)} late; think in ms: "
        f"median {thinks[len(thinks) // 2] / 1000:.1f}, 99.9 % {thinks[-len(thinks) // 1000] / 1000:.1f}, "
        f"longest {thinks[-1] / 1000:.1f}; lag credited {sum(act.credit > 0 for act in acts)} times, "
        f"stalls {len(stalls)}, longest {max(stalls, default=0) / 1000:.0f} ms"
    )
    return acts, late


@pytest.mark.soak
@pytest.mark.parametrize("matches", [64, 128])
def test_t1_bots_that_take_5_ms_of_100_are_never_late_beside_a_hog(tmp_path: Path, matches: int) -> None:
    """With a budget of 100 ms nobody is late, though a process takes all the time that it can get."""
    outcomes = timed(tmp_path, matches, 100, (0.005, 0, 0), hog=True)
    _, late = told(outcomes)

    assert not late
    assert {outcome.termination for outcome in outcomes} == {"completed"}


@pytest.mark.soak
def test_t13_jitter_costs_strikes_that_the_log_shows_and_no_match(tmp_path: Path) -> None:
    """Bots at 70 ms of 100, with up to 50 ms more on one turn of a hundred, under the load of 64 matches."""
    outcomes = timed(tmp_path, 64, 50, (0.07, 0.05, 100))
    acts, late = told(outcomes)
    strikes = [one for outcome in outcomes for one in records(outcome, Strike)]

    assert {outcome.termination for outcome in outcomes} == {"completed"}
    assert not any(records(outcome, Forfeit) for outcome in outcomes)
    assert len(strikes) == len(late)
    assert 0 < len(late) < len(acts) / 100
    assert all(one.think > one.budget + one.credit for one in late)
