"""Bots that fail at every stage of their life, and runs that are interrupted: nothing is left of them."""

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.replay.reader import read
from referee.replay.verify import verify
from referee.replay.writer import remove_headless
from tests.e2e.commands import Command, eventually
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from subprocess import Popen

HOUSE = ("easy", "normal", "expert")
CALM = ("--time", "20s+0,bank=0", "--option", "target=30", "--seed", "5")
DEAF = """
import signal
from referee.bot import main
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
main(lambda turn: turn.legal_actions[0], games=["block_dominoes"], version="1")
"""
"""A bot that no SIGTERM reaches, not even one of the kit's own threads."""
FAMILY = 6
"""The processes of a run with four bots: they, the referee, and the spawner between."""


@pytest.fixture
def referee(tmp_path: Path) -> Command:
    """Returns the command in an empty folder."""
    return Command(tmp_path)


def interrupt(running: "Popen[str]") -> None:
    """Does what Ctrl-C does: every process of the command's group hears it."""
    os.killpg(running.pid, signal.SIGINT)


@pytest.mark.parametrize(
    ("stage", "termination", "status", "forfeited"),
    [
        ("--at 0", "no_show", 3, False),
        ("--on welcome", "no_show", 3, False),
        ("--on match_started", "no_show", 3, False),
        ("--on event", "completed", 0, True),
        ("--at 1", "completed", 0, True),
        ("--on match_ended", "completed", 0, False),
    ],
    ids=["start", "handshake", "seated", "ready", "turn", "end"],
)
def test_d5_crash_at_any_stage_leaves_nothing(
    stage: str, termination: str, status: int, *, forfeited: bool, referee: Command
) -> None:
    """A bot that falls over costs its own seat at most, and no process of the match outlives it."""
    done, result = referee.json("match", *HOUSE, f"misbehaving/crash {stage}", *CALM)

    assert (done.returncode, result["termination"]) == (status, termination), done.stderr
    assert bool(result["placements"]) is bool(result["replay"])
    assert result["replay"] is None or stage != "--at 0"
    if result["replay"]:  # a bot that has joined may have been seated before it was seen to be gone
        *others, place = result["placements"]
        assert [other["faults"] for other in others] == [{}] * 3
        assert place["faults"].keys() <= {"dropped", "no_show"}
        assert ("no_show" in place["faults"]) is (termination == "no_show")
        assert place["forfeited"] is forfeited
        assert verify(read(referee.folder / result["replay"])).ok
    (output,) = referee.folder.glob("output/*/*crash*.txt")
    assert "RuntimeError: crash, as ordered" in output.read_text()
    assert referee.left() == []


@pytest.mark.parametrize("end", ["played", "interrupted"])
def test_d5_series_of_crashes_never_has_more_processes_than_bots(end: str, referee: Command) -> None:
    """While a bot falls over again and again there is one process for each bot, and in the end none."""
    words = ("round-robin", *HOUSE, "misbehaving/crash --at 9", *CALM, "--matches", "4", "--parallel", "1")
    most = 0

    def launched() -> int:
        nonlocal most
        most = max(most, len(referee.left()))
        return len([*referee.folder.glob("output/*/*-crash.txt")])

    with referee.start(*words) as running:
        eventually(lambda: launched() >= 3)
        if end == "interrupted":
            interrupt(running)
        eventually(lambda: launched() and running.poll() is not None)
        _, stderr = running.communicate()

    assert running.returncode == (130 if end == "interrupted" else 0), stderr
    assert FAMILY - 1 <= most <= FAMILY
    assert referee.left() == []
    logs = [read(path) for path in referee.logs()]
    assert logs
    assert all(log.ended and verify(log).ok for log in logs)
    assert referee.logs("*.part") == []


def test_m1_illegal_bot_costs_no_match_of_a_series(referee: Command) -> None:
    """A bot that is illegal whenever it is asked is penalised in each of ten matches, and all are played."""
    words = ("round-robin", *HOUSE, "misbehaving/illegal", "-n", "10", *CALM)

    done, result = referee.json(*words)

    assert done.returncode == 0, done.stderr
    assert (result["played"], result["unplayed"]) == (10, {})
    ends = [read(path) for path in referee.logs()]
    assert len(ends) == 10
    for log in ends:
        assert log.end
        assert log.end.termination == "completed"
        found = {info.name: place for info, place in zip(log.setup.seats, log.end.places, strict=True)}
        assert set(found["illegal"].faults) == {"illegal"}
        assert found["illegal"].strikes >= 1
        assert all(found[bot].faults == {} for bot in HOUSE)
        assert verify(log).ok
    assert referee.left() == []


def live(last: str) -> tuple[str, ...]:
    """Returns a round robin whose matches are long, four at once."""
    long = ("--matches", "40", "--parallel", "4", "--option", "target=2000", "--time", "20s+0")
    return ("round-robin", *HOUSE, last, *long)


def test_u3_interrupt_of_four_live_matches_closes_their_logs(referee: Command) -> None:
    """One Ctrl-C: every log gets its end, void or complete, and no bot is left."""
    with referee.start(*live("easy")) as running:
        eventually(lambda: len(referee.logs("*.part")) == 4)
        interrupt(running)
        _, stderr = running.communicate(timeout=PATIENCE)

    assert running.returncode == 130
    assert "stopping, press again to force" in stderr
    assert "Traceback" not in stderr
    logs = [read(path) for path in referee.logs()]
    assert [log.end.termination for log in logs if log.end].count("void") >= 1
    assert len(logs) >= 4
    assert all(verify(log).ok for log in logs)
    assert referee.logs("*.part") == referee.logs("*.secret") == []
    assert referee.left() == []


@pytest.mark.parametrize("presses", [1, 2])
def test_u3_interrupt_ends_bots_that_hear_no_sigterm(presses: int, referee: Command) -> None:
    """A deaf bot in four live matches holds up neither the first Ctrl-C nor the second."""
    deaf = referee.bot("deaf.py", DEAF)
    with referee.start(*live(f"{deaf} --matches 4")) as running:
        eventually(lambda: len(referee.logs("*.part")) == 4)
        interrupt(running)
        assert running.stderr is not None
        assert "stopping, press again to force" in running.stderr.readline()
        if presses == 2:
            interrupt(running)
        running.communicate(timeout=PATIENCE)

    assert running.returncode == 130
    assert presses == 2 or referee.logs("*.part") == []
    eventually(lambda: not referee.left())


@pytest.mark.parametrize("matches", [50, pytest.param(124, marks=pytest.mark.soak)])
def test_p1_killed_referee_has_every_finished_match_on_disk(matches: int, referee: Command) -> None:
    """After kill -9 all finished logs are whole, and the running ones read up to their last record."""
    words = ("--matches", "1000", "--parallel", "3", "--option", "target=10")
    with referee.start("round-robin", *HOUSE, "easy", *words) as running:
        eventually(lambda: len(referee.logs()) >= matches and referee.logs("*.part"))
        running.kill()
        running.communicate(timeout=PATIENCE)
    eventually(lambda: not referee.left())

    finished = [read(path) for path in referee.logs("*.jsonl")]
    # A log without a whole header is one of a match that nobody had been told of yet.
    begun = [read(path) for path in referee.logs("*.part") if not remove_headless(path)]
    assert len(finished) >= matches
    assert all(log.ended and verify(log).ok for log in finished)
    # One that has its end already was killed before it got its final name.
    assert all(log.fault is None for log in begun)
    assert all([record.n for record in log.records] == [*range(1, len(log.records) + 1)] for log in begun)
    assert all(log.secret or log.ended for log in begun)
    _, standings = referee.json("standings")
    assert [sum(table["terminations"].values()) for table in standings["tables"]] == [len(finished)]
