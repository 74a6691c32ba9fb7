"""Many matches at a time on a busy machine: nobody is late by the referee's fault."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from referee.match.config import SECOND, TimeControl
from referee.match.events import Act
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
