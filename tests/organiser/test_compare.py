"""`referee compare`: blocks are played until the test has its answer, also over an interruption."""

import json
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from referee.cli.app import run
from referee.match.config import Penalties, TimeControl
from referee.organiser.compare import Duel, before
from referee.replay.reader import read, scan
from referee.tournament.sequential import FEWEST
from tests.e2e.commands import LIMIT, Command
from tests.tournament.samples import result

DUEL = Duel(
    run="cmp-1",
    game="guan_pai",
    options={},
    old="easy",
    new="normal",
    third="expert",
    seats=3,
    seed=None,
    time_control=TimeControl(),
    penalties=Penalties(),
    gain=0.1,
    alpha=0.05,
    beta=0.05,
    blocks=10,
)
OLD, NEW, THIRD = (bot.bot_id for bot in DUEL.bots())


def test_s8_only_whole_blocks_count_after_a_resume() -> None:
    """A block that was cut off, or has a void match, is played once more under the next attempt."""
    results = [
        *(result(at, {NEW: 3, OLD: 2, THIRD: 1}, pairing=f"cmp-1/0.{at}", parts=3) for at in range(3)),
        *(result(10 + at, {NEW: 3, OLD: 2, THIRD: 1}, pairing=f"cmp-1/1.{at}", parts=3) for at in range(2)),
        *(
            result(20 + at, {NEW: 3, OLD: 2, THIRD: 1}, pairing=f"cmp-1/2.{at}", parts=3, termination=ended)
            for at, ended in enumerate(("completed", "completed", "void"))
        ),
        *(
            result(30 + at, {NEW: 1, OLD: 2, THIRD: 3}, pairing=f"cmp-1/2.{at}", parts=3, attempt=2)
            for at in range(3)
        ),
    ]
    found = before(DUEL, results)

    assert found.differences == {0: 0.5, 2: -0.5}
    assert found.attempts == {0: 1, 1: 1, 2: 2}


@pytest.fixture(name="command")
def _command(tmp_path: Path) -> Command:
    return Command(tmp_path)


def test_s8_an_interrupted_comparison_tells_what_it_knows_and_goes_on(command: Command) -> None:
    """The second call plays what is missing, and ends with an answer; every block counts once."""
    words = ["compare", "easy", "easy", "--gain", "0.9", "--blocks", "9", "--parallel", "2"]
    with command.start(*words, "--option", "target=10", "--json") as running:
        until = time.monotonic() + LIMIT
        while not list(scan(command.folder)) and time.monotonic() < until:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=LIMIT)
    first = json.loads(out)

    assert running.returncode == 130
    assert first["verdict"] is None
    assert first["blocks"] < FEWEST
    assert f"compare --resume {first['run_id']}" in err

    done, last = command.json("compare", "--resume", first["run_id"], "--parallel", "2", "-q")

    assert (done.returncode, done.stderr) == (0, "")
    assert last["verdict"] == "not_better"
    assert last["blocks"] >= FEWEST
    assert last["matches"] == 2 * last["blocks"]
    counted: Counter[str] = Counter()
    for path in scan(command.folder):
        log = read(path)
        assert log.setup.block
        assert not log.setup.rated
        counted[log.setup.pairing_id] += log.end is not None and log.end.termination == "completed"
    assert all(
        counted[f"{last['run_id']}/{index}.{part}"] >= 1 for index in range(last["blocks"]) for part in (0, 1)
    )


def test_a_bot_that_does_not_start_ends_a_comparison(command: Command) -> None:
    """No block can be played then: one line, status 3."""
    done = command.run("compare", "easy", f"{sys.executable} -c 'raise SystemExit(1)'", "-q")

    assert done.returncode == 3
    assert "referee: no match could start:" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["easy"], "name two bots, OLD and NEW"),
        (["easy", "nonesuch.py"], "no such program"),
        (["easy", "normal", "--gain", "1.5"], "cannot be told apart"),
        (["easy", "normal", "--alpha", "0.7"], "error rates"),
        (["easy", "normal", "--seats", "9"], "is not played by 9"),
        (["--resume", "cmp-0"], "no comparison 'cmp-0'"),
        (["easy", "normal", "--resume", "cmp-0"], "--resume goes on as it was planned"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    """Nothing starts, the status is 2, and the line says what is wrong."""
    assert run(["compare", *words, "--data", str(tmp_path)]) == 2

    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
