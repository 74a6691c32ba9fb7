"""`referee replay branch`: a match goes on from a position of another one, with real bots."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.games import names
from referee.match import events as ev
from referee.replay import reader
from referee.replay.reader import Log
from referee.replay.verify import verify
from tests.e2e.commands import Command
from tests.replay import tampering

GOLDEN = Path(__file__).parents[2] / "replays" / "golden"
FIRST = "python/first_bot"
KEEPS = """
import sys
from referee.bot import action_text, main

told = []

def choose(turn):
    told.extend(turn.events)
    print(turn.turn_id, len(told), [event.event_id for event in told] == list(range(1, len(told) + 1)),
          turn.started.resumed, file=sys.stderr)
    return turn.legal_actions[0]

main(choose, games=["block_dominoes", "guan_pai", "mexican_train", "ding_niu"], version="1")
"""
"""A bot that keeps all events that it is told, and says with each turn whether one is missing."""


def table(log: Log, ply: int) -> list[tuple[int, str]]:
    """Returns who played what, up to a ply."""
    acts = [record for record in log.records if isinstance(record, ev.Act | ev.Default)]
    return [(record.seat, record.action) for record in acts[:ply]]


def deals(log: Log) -> list[tuple[int, ...]]:
    """Returns the order of the pieces in each deal."""
    return [record.order for record in log.records if isinstance(record, ev.Deal)]


def branched(
    folder: Path, parent: Path, at: int, *bots: str
) -> tuple[subprocess.CompletedProcess[str], Any, Log]:
    """Plays on from a position, and returns what was told, as JSON too, and the new log."""
    words = ("replay", "branch", str(parent), "--at", str(at), *bots, "--json")
    done = Command(folder).run(*words)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return done, told, reader.read(folder / told["replay"])


def forged(log: Log, **members: object) -> Log:
    """Returns a branch whose header says something else of its parent, with a right chain."""
    assert log.setup.branch
    branch = msgspec.structs.replace(log.setup.branch, **members)
    setup = msgspec.structs.replace(log.setup, branch=branch)
    return reader.parse(b"".join(line + b"\n" for line in tampering.rechained(setup, list(log.records))))


@pytest.mark.parametrize(
    ("game", "at"), [*((game, "middle") for game in names()), ("ding_niu", "first"), ("guan_pai", "last")]
)
def test_p13_a_match_goes_on_from_any_position(game: str, at: str, tmp_path: Path) -> None:
    """The new log has the parent's deals and actions up to there, names it, and is good by itself."""
    path = GOLDEN / game / "faults.jsonl"
    parent = reader.read(path)
    assert parent.end is not None
    ply = {"first": 0, "middle": parent.end.plies // 2, "last": parent.end.plies - 1}[at]
    bots = (FIRST, "easy", "normal", "expert")[: len(parent.setup.seats)]
    _, told, log = branched(tmp_path, path, ply, *bots)
    known = deals(parent)

    assert told["parent"] == {
        "match_id": parent.setup.match_id,
        "last_hash": parent.last_hash,
        "ply": ply,
    }
    assert table(log, ply) == table(parent, ply)
    assert deals(log)[: len(known)] == known[: len(deals(log))]
    assert verify(log).ok
    assert log.setup.match_id != parent.setup.match_id
    assert (log.setup.rated, log.setup.provable) == (False, False)
    assert told["termination"] in {"completed", "adjudicated"}


@pytest.mark.parametrize("name", ["block", "gone", "alone", "void"])
def test_every_kind_of_match_can_be_gone_on_from(name: str, tmp_path: Path) -> None:
    """Part of a block, with a seat that went or forfeited, void: what was wrong with it is left behind."""
    path = GOLDEN / "block_dominoes" / f"{name}.jsonl"
    parent = reader.read(path)
    assert parent.end is not None
    _, _, log = branched(tmp_path, path, parent.end.plies - 1, FIRST, "easy", "normal", "expert")

    assert verify(log).ok
    assert log.end is not None
    assert not any(place.faults or place.strikes or place.forfeited for place in log.end.places)


def test_a_bot_with_memory_is_told_all_that_it_missed(tmp_path: Path) -> None:
    """The first turn of each bot brings all events so far; its banks are whole."""
    path = GOLDEN / "mexican_train" / "options.jsonl"
    keeps = Command(tmp_path).bot("keeps.py", KEEPS)
    _, _, log = branched(tmp_path, path, 30, keeps, "easy", keeps, "easy")
    files = sorted(tmp_path.glob("output/branch-*/reports/*-keeps*.err"))
    first = next(record for record in log.records if isinstance(record, ev.Act) and record.ply == 31)
    lines = [line.split() for path in files for line in path.read_text("utf-8").splitlines()]

    assert len(files) == 2
    assert {line[2] for line in lines} == {"True"}
    assert all(int(line[1]) > 30 for line in lines)
    assert first.bank <= log.setup.time_control.bank + 10 * log.setup.time_control.increment


def test_the_same_bots_play_the_same_on(tmp_path: Path) -> None:
    """Bots without chance that go on from their own match, `-` for each, play it to the same end."""
    referee = Command(tmp_path)
    words = ("match", "--game", "ding_niu", *[f"{name}={FIRST}" for name in "abcd"], "--option", "deals=2")
    played = json.loads(referee.run(*words, "--json").stdout)
    parent = reader.read(tmp_path / played["replay"])
    assert parent.end is not None
    middle = parent.end.plies // 2  # a deal of this game may be a short one
    _, _, log = branched(tmp_path, Path(played["replay"]), middle, "-", "-", "-", "-")

    assert table(log, parent.end.plies) == table(parent, parent.end.plies)
    assert [seat.name for seat in log.setup.seats] == list("abcd")


def test_a_branch_of_a_branch_and_a_branch_against_its_parent(tmp_path: Path) -> None:
    """It names the branch; `verify` compares both with their parents, and finds one that is another now."""
    referee = Command(tmp_path)
    day = tmp_path / "replays" / "2026" / "01" / "01"
    day.mkdir(parents=True)
    match = ("match", FIRST, "easy", "normal", "expert", "--seed", "7", "--json")  # no deal is over so soon
    played = json.loads(referee.run(*match).stdout)
    house = ("easy", "easy", "easy", "easy")
    _, one, _ = branched(tmp_path, Path(played["replay"]), 12, *house)
    _, two, log = branched(tmp_path, Path(one["replay"]), 20, *house)
    good = referee.here("replay", "verify", "replays")
    parent = tmp_path / played["replay"]
    shutil.copy(GOLDEN / "block_dominoes" / "plain.jsonl", parent)
    bad = referee.here("replay", "verify", one["replay"], two["replay"])

    assert log.setup.branch
    assert log.setup.branch.match_id == one["match_id"]
    assert (good.returncode, good.stdout.count(": good: ")) == (0, 3)
    assert bad.returncode == 1
    assert "its parent is" in bad.stdout
    assert bad.stdout.count(": good: ") == 1


def test_p9_a_branch_that_hides_a_fault_of_its_beginning_is_bad(tmp_path: Path) -> None:
    """A log that claims more of the parent than it took over is refused, by line."""
    path = GOLDEN / "guan_pai" / "options.jsonl"
    _, told, log = branched(tmp_path, path, 10, "easy", "easy", "easy")
    assert log.setup.branch
    plies = log.end.plies if log.end else 0
    changed = [
        forged(log, ply=plies + 1),
        forged(log, ply=plies),
        forged(log, last_hash="0"),
    ]
    verdicts = [verify(one) for one in changed]

    assert [verdict.ok for verdict in verdicts] == [False, False, False]
    assert "it ended after" in verdicts[0].problem or "comes from the parent" in verdicts[0].problem
    assert "comes from the parent, and took" in verdicts[1].problem
    assert "is no hash" in verdicts[2].problem
    assert told["replay"]


def test_branches_stay_out_of_the_standings(tmp_path: Path) -> None:
    """Nobody gains by a match whose deals are known."""
    branched(tmp_path, GOLDEN / "ding_niu" / "plain.jsonl", 5, "easy", "normal", "expert", "easy")
    (table,) = json.loads(Command(tmp_path).here("standings", "--json").stdout)["tables"]

    assert (table["matches"], table["not_counted"]) == (0, {"unrated": 1})
    assert {row["points"] for row in table["rows"]} == {None}


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("--at", "9999", "easy", "easy", "easy", "easy"), 2, "actions; name a ply before the last one"),
        (("--at", "1", "easy"), 2, "4 seats, and not 1"),
        (("--at", "1", "-", "-", "-", "-"), 2, "was not launched here"),
        (("--at", "1", "nonesuch", "easy", "easy", "easy"), 2, "nonesuch"),
        (("--at", "1", "./hopeless.py", "easy", "easy", "easy"), 3, "no match could start"),
    ],
)
def test_u4_a_branch_that_cannot_be_says_why(
    words: tuple[str, ...], status: int, told: str, tmp_path: Path
) -> None:
    """Wrong usage is 2, a bot that does not come 3; one line, no traceback of the referee."""
    referee = Command(tmp_path)
    referee.bot("hopeless.py", "import nonesuch\n")
    done = referee.run("replay", "branch", str(GOLDEN / "ding_niu" / "plain.jsonl"), *words)

    assert (done.returncode, told in done.stderr) == (status, True), done.stderr
    assert "/referee/cli/" not in done.stderr


def test_p9_a_bad_log_is_not_gone_on_from(tmp_path: Path) -> None:
    """A log that was changed, and one that has not ended, are refused by name."""
    data = (GOLDEN / "ding_niu" / "plain.jsonl").read_bytes()
    bad = {"cut": data[: len(data) // 2], "changed": data.replace(b'"think":', b'"think":1', 1)}
    for name, changed in bad.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(changed)
        done = Command(tmp_path).here(
            "replay", "branch", str(path), "--at", "1", "easy", "easy", "easy", "easy"
        )

        assert done.returncode == 1
        assert str(path) in done.stderr
