"""Think times and memory, as the report tells them."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from referee.check.figures import Think, think
from referee.check.journal import Journal
from referee.check.memory import resident
from referee.check.notes import MatchNotes, Question
from referee.v1 import play_service_pb2 as pb


def test_percentiles_are_the_least_times_that_so_many_do_not_exceed() -> None:
    """Of a hundred times the 50th, the 90th and the 99th; turns without an answer do not count."""

    async def journal() -> Journal:
        found = Journal()
        match = MatchNotes(pb.MatchStarted(match_id="m", game="ding_niu"), 0)
        for number in range(1, 101):
            match.questions[number] = Question(pb.Turn(), [1000], [1000 + number])
        match.questions[101] = Question(pb.Turn(), [1000])
        found.matches["m"] = match
        return found

    assert think([asyncio.run(journal())]) == {
        "ding_niu": Think(turns=100, p50=50, p90=90, p99=99, max=100),
    }


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_memory_is_that_of_a_process_with_all_that_it_started() -> None:
    """What a child holds is counted with its parent, and nothing twice."""
    inner = "x = bytearray(40_000_000); print(flush=True); input()"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    command = [sys.executable, "-c", outer]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdin
        process.stdout.readline()
        taken = resident([process.pid, 2**30])
        process.stdin.write(b"\n")

    assert 40_000_000 < taken[process.pid] < 150_000_000
    assert taken[2**30] == 0
