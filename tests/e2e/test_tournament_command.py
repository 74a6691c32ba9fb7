"""`referee tournament` from the command line."""

import json
import shlex
import signal
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from referee.organiser.book import index_of
from referee.organiser.window import SIZE
from referee.replay.reader import read
from tests.e2e.commands import eventually
from tests.e2e.cups import HOUSE, Cup, everything
from tests.patience import PATIENCE


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Cup, Any]:
    """Returns a tournament that was played to its end, and what was told of it."""
    cup = Cup(tmp_path_factory.mktemp("finished"))
    cup.write()
    status, told, stderr = cup.played()
    assert (status, stderr) == (0, "")
    return cup, told


WEIGHED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(done.returncode)
"""


def test_s1_every_pairing_is_played_once_in_balanced_seats(finished: tuple[Cup, Any]) -> None:
    """A tournament has a table of its own: its name stands in every header, its decisions in its folder."""
    cup, told = finished

    assert (told["ending"], told["played"], told["status"]["accepted"]) == ("finished", 20, 20)
    assert cup.counting() == everything(20)
    logs = [read(path) for path in cup.logs()]
    seats = Counter((info.name, seat) for log in logs for seat, info in enumerate(log.setup.seats))
    assert set(seats.values()) == {4}
    assert {log.setup.tournament for log in logs} == {"cup"}
    assert all(log.setup.rated and log.setup.provable for log in logs)
    assert [table["matches"] for table in told["standings"]] == [20]
    assert cup.left() == []
    _, again, _ = cup.played()
    assert (again["played"], again["status"]["accepted"]) == (0, 20), "nothing is played twice"


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Cup, Any, str, Any]:
    """Returns a tournament that was interrupted, the runner, what it said, and what a second one said."""
    cup = Cup(tmp_path_factory.mktemp("interrupted"))
    cup.write(matches=60)
    with cup.start("tournament", "run", "cup.toml", "--quiet") as running:
        eventually(lambda: len(cup.logs()) >= 3)
        second = cup.here("tournament", "run", "cup.toml")
        running.send_signal(signal.SIGINT)
        _, stderr = running.communicate(timeout=PATIENCE)
    return cup, running, stderr, second


def test_a_changed_file_and_a_second_runner_are_refused(interrupted: tuple[Cup, Any, str, Any]) -> None:
    """One line each, and the first runner is not disturbed."""
    cup, running, _, second = interrupted
    cup.write(matches=61)
    changed = cup.here("tournament", "run", "cup.toml")
    cup.write(matches=60)

    assert (second.returncode, changed.returncode) == (2, 2)
    assert second.stderr.startswith(
        f"referee: tournament cup is being played already, by process {running.pid}"
    )
    assert "referee: cup.toml:9: matches = 61; was matches = 60\n" in changed.stderr


def test_an_interrupt_prints_the_command_that_goes_on(interrupted: tuple[Cup, Any, str, Any]) -> None:
    """Matches that were cut off are void and played again; the name is enough to go on."""
    cup, running, stderr, _ = interrupted
    assert running.returncode == 130
    again = stderr.splitlines()[-1].partition("to go on: ")[2]
    words = shlex.split(again.partition(" -m referee ")[2])
    assert words == ["tournament", "resume", "cup"]
    assert cup.run(*words, "--quiet").returncode == 0
    assert cup.counting() == everything(60)


def test_s17_a_file_with_mistakes_starts_nothing(cup: Cup) -> None:
    """All are told, by line, and no folder is made."""
    cup.write(HOUSE + '[bots.mine]\ncommand = "./mien.py"\n', more="[runing]\n", head="sets = 4")
    done = cup.here("tournament", "run", "cup.toml")

    assert done.returncode == 2
    assert [line.partition(": ")[2].partition(": ")[0] for line in done.stderr.splitlines()] == [
        "cup.toml:4",
        "cup.toml:10",
        "cup.toml:16",
    ]
    assert "did you mean running?" in done.stderr
    assert not (cup.folder / "tournaments").exists()


def test_u9_the_plan_lists_the_pairings_and_starts_nothing(cup: Cup, finished: tuple[Cup, Any]) -> None:
    """What is to be played can be seen before; the same pairings are then played."""
    cup.write()
    shown = cup.here("tournament", "plan", "cup.toml", "--limit", "2")
    plan = cup.told("tournament", "plan", "cup.toml", "--limit", "30")

    assert shown.returncode == 0
    assert "cup: block_dominoes, 5 bots at tables of 4, 20 matches, 1 round" in shown.stdout
    assert "Matches of a bot in all pairings: 16; its seats differ by at most 0." in shown.stdout
    assert (len(plan["pairings"]), plan["matches"], plan["seat_unbalance"]) == (20, 20, 0)
    assert not (cup.folder / "tournaments").exists()
    assert not (cup.folder / "referee.db").exists()
    played = {pairing: [name for name, _ in seats] for pairing, seats in finished[0].results().items()}
    assert {f"cup/{one['index']}": one["matches"][0] for one in plan["pairings"]} == played


def test_the_plan_says_what_may_end_it_early(cup: Cup) -> None:
    """Each stopping rule of the file, in words and for programs; nothing where there is none."""
    rules = "[stop]\nmatches = 10\ncertain = true\nwidth = 0.2\nleast = 5\n"
    cup.write(more=rules)
    shown = cup.here("tournament", "plan", "cup.toml").stdout.splitlines()
    assert shown[-2:] == [
        "It ends after 10 matches at the latest.",
        (
            "From 5 deal groups on it ends as soon as the lead of every bot over the next one is certain,"
            " or no interval of mean placement points is wider than 0.2."
        ),
    ]
    told = cup.told("tournament", "plan", "cup.toml")["stop"]
    assert told == {"matches": 10, "certain": True, "width": 0.2, "least": 5, "sprt": None}
    cup.write()
    assert cup.told("tournament", "plan", "cup.toml")["stop"] is None


def test_c1_ten_million_matches_are_ordered_and_ten_are_played(cup: Cup) -> None:
    """Pairings are made as they are needed: little memory, and no waiting."""
    cup.write(matches=10_000_000, more="[stop]\nmatches = 10\n")
    words = (sys.executable, "-m", "referee", "tournament", "run", "cup.toml", "--json")
    done = subprocess.run(
        [sys.executable, "-c", WEIGHED, *words],
        cwd=cup.folder,
        env=cup.environment,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    told = json.loads(done.stdout)

    assert (done.returncode, told["ending"], told["status"]["accepted"]) == (0, "stopped", 10), done.stderr
    assert told["status"]["total"] == 10_000_000
    assert int(done.stderr.splitlines()[-1]) < 100 * 1024, "kilobytes of the largest process"
    assert sorted(cup.counting().values()) == [1] * 10
    assert max(map(index_of, cup.counting())) < SIZE, "in any order around bots that are busy, of the first"
    plan = cup.here("tournament", "plan", "cup.toml", "--limit", "5")
    assert (
        "Matches of a bot in the first 100000 pairings: 80000; its seats differ by at most 0." in plan.stdout
    )


def test_void_and_disqualify_count_anew(finished: tuple[Cup, Any]) -> None:
    """An operator's decisions are kept with their reasons; those that cannot be had are refused."""
    cup, _ = finished
    first = cup.logs()[0]
    done = cup.here("tournament", "void", "cup", str(first), "--why", "the power failed")
    voided = cup.told("standings", "--tournament", "cup")
    other = cup.here("tournament", "void", "cup", "nonesuch", "--why", "x")
    unknown = cup.here("tournament", "disqualify", "cup", "mien", "--why", "x")
    removed = cup.here("tournament", "disqualify", "cup", "mine", "--why", "it cheats")
    status = cup.told("tournament", "status", "cup")
    without = cup.told("standings", "--tournament", "cup")

    assert [one.returncode for one in (done, other, unknown, removed)] == [0, 2, 2, 0]
    assert status["voided"] == {first.stem: "the power failed"}
    assert status["disqualified"] == {"mine/mine": "it cheats"}
    assert "has no finished match 'nonesuch'" in other.stderr
    assert "has no bot 'mien'; did you mean mine?" in unknown.stderr
    assert voided["tables"][0]["matches"] == 19
    assert without["tables"][0]["matches"] == 4 - (
        "mine" not in {seat.name for seat in read(first).setup.seats}
    )
    assert cup.here("tournament", "list").stdout == "cup\n"
