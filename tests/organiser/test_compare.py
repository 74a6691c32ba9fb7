"""`referee compare`: blocks are played until the test has its answer, also over an interruption."""

import json
import signal
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from referee.cli.app import run
from referee.errors import UsageError
from referee.match.config import Penalties, TimeControl
from referee.organiser.compare import Duel, before
from referee.replay.reader import read, scan
from referee.store.decision_log import DecisionLog, decisions_path
from referee.tournament.decision import rulings
from referee.tournament.result import MatchResult
from referee.tournament.sequential import FEWEST
from tests.e2e.commands import Command, eventually
from tests.patience import PATIENCE
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


def _block(
    index: int, first: int, scores: tuple[int, int, int] = (3, 2, 1), attempt: int = 1, group: str = ""
) -> list[MatchResult]:
    """Returns the three matches of a block with the scores of new, old and third."""
    return [
        result(
            first + part,
            dict(zip((NEW, OLD, THIRD), scores, strict=True)),
            pairing=f"cmp-1/{index}.{part}",
            parts=3,
            attempt=attempt,
            group=group or f"{index}-{attempt}",
            rated=False,
        )
        for part in range(3)
    ]


def test_s8_only_whole_blocks_count_after_a_resume() -> None:
    """A block that was cut off, has a void match or other deals is played under the next attempt."""
    spoiled, mixed = _block(2, 20), _block(3, 40)
    results = [
        *_block(0, 0),
        *_block(1, 10)[:2],
        *spoiled[:2],
        replace(spoiled[2], termination="void"),
        *_block(2, 30, (1, 2, 3), attempt=2),
        *mixed[:2],
        replace(mixed[2], deal_group="another"),
    ]
    found = before(DUEL, results, {})

    assert found.differences == {0: 0.5, 2: -0.5}
    assert found.attempts == {0: 1, 1: 1, 2: 2, 3: 1}
    assert [(one.pairing_id, one.attempt, len(one.match_ids)) for one in found.news] == [
        ("cmp-1/0", 1, 3),
        ("cmp-1/2", 2, 3),
    ]


def test_s8_a_block_that_was_accepted_stays_whatever_else_is_found() -> None:
    """A later attempt does not count, and matches that are gone are told."""
    results = [*_block(0, 0), *_block(0, 10, (1, 2, 3), attempt=2)]
    accepted = {"cmp-1/0": DUEL.accepted(0, 1, [one.match_id for one in results[:3]])}

    assert before(DUEL, results, accepted).differences == {0: 0.5}
    assert before(DUEL, results, accepted).news == []
    for rest in (results[1:], []):
        with pytest.raises(UsageError, match="matches of block 0 are gone; put back their logs"):
            before(DUEL, rest, accepted)


@pytest.fixture(name="command")
def _command(tmp_path: Path) -> Command:
    return Command(tmp_path)


def test_s8_an_interrupted_comparison_tells_what_it_knows_and_goes_on(command: Command) -> None:
    """The second call plays what is missing, and ends with an answer; every block counts once."""
    words = ["compare", "easy", "easy", "--gain", "0.9", "--blocks", "9", "--parallel", "2"]
    with command.start(*words, "--option", "target=10", "--json") as running:
        eventually(lambda: list(scan(command.folder)))
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE)
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
    accepted = rulings(DecisionLog(decisions_path(command.folder, last["run_id"])).read()).accepted
    assert set(accepted) >= {f"{last['run_id']}/{index}" for index in range(last["blocks"])}
    assert all(len(one.match_ids) == 2 for one in accepted.values())
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
        (["easy", "normal", "--gain", "0.0000001"], "a gain of 1e-07 points takes more matches than can be"),
        (["easy", "normal", "--third", "nope"], "a table of 4 seats has none for a third bot; leave --third"),
        (["easy", "normal", "--game", "mexican_train", "--seats", "3", "--third", "nope"], "no such program"),
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
