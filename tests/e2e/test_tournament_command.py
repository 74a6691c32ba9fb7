"""`referee tournament` from the command line."""

import json
import random
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from referee.replay.reader import read
from referee.store.decision_log import DecisionLog, decisions_path
from referee.tournament.decision import Accepted, Unplayed, Withdrawn
from tests.e2e.commands import FIRST, HOPELESS, Command, eventually

HOUSE = "[bots.easy]\n[bots.normal]\n[bots.expert]\n"
FIVE = HOUSE + '[bots.spar]\nhouse = "easy"\n[bots.mine]\ncommand = "./mine.py"\n'


class Cup(Command):
    """A folder with a tournament file and the bot of whoever runs it."""

    def write(self, bots: str = FIVE, more: str = "", matches: int = 20, head: str = "") -> None:
        """Writes the file."""
        self.bot("mine.py", FIRST)
        text = f"""[tournament]
name = "cup"
game = "block_dominoes"
{head}
[options]
target = 10
[format]
kind = "round_robin"
matches = {matches}
{more}
{bots}"""
        (self.folder / "cup.toml").write_text(text, encoding="utf-8")

    def played(self, *words: str) -> tuple[int, Any, str]:
        """Runs the tournament and returns status, JSON and what went to stderr."""
        done = self.run("tournament", "run", "cup.toml", "--json", "--quiet", *words)
        return done.returncode, json.loads(done.stdout or "null"), done.stderr

    def decisions(self) -> list[Any]:
        """Returns all that was decided."""
        return DecisionLog(decisions_path(self.folder, "cup")).read()

    def accepted(self) -> dict[str, tuple[str, ...]]:
        """Returns the matches that count, by pairing; fails where one was accepted twice."""
        found = [one for one in self.decisions() if isinstance(one, Accepted)]
        assert len({one.pairing_id for one in found}) == len(found)
        return {one.pairing_id: one.match_ids for one in found}

    def counting(self) -> Counter[str]:
        """Returns the pairings of the accepted matches by their logs, all of which have to be sound."""
        ids = {match for matches in self.accepted().values() for match in matches}
        logs = [read(path) for path in self.logs() if path.stem in ids]
        assert len(logs) == len(ids)
        assert all(log.end and log.end.termination in {"completed", "forfeited"} for log in logs)
        return Counter(log.setup.pairing_id for log in logs)


@pytest.fixture
def cup(tmp_path: Path) -> Cup:
    """Returns the command in a folder of its own."""
    return Cup(tmp_path)


def everything(matches: int) -> dict[str, int]:
    """Returns every pairing once."""
    return {f"cup/{index}": 1 for index in range(matches)}


def test_s1_every_pairing_is_played_once_in_balanced_seats(cup: Cup) -> None:
    """A tournament has a table of its own: its name stands in every header, its decisions in its folder."""
    cup.write()
    status, told, stderr = cup.played()

    assert (status, stderr) == (0, "")
    assert (told["ending"], told["played"], told["status"]["counted"]) == ("finished", 20, 20)
    assert cup.counting() == everything(20)
    logs = [read(path) for path in cup.logs()]
    seats = Counter((info.name, seat) for log in logs for seat, info in enumerate(log.setup.seats))
    assert set(seats.values()) == {4}
    assert {log.setup.tournament for log in logs} == {"cup"}
    assert all(log.setup.rated and log.setup.provable for log in logs)
    assert cup.left() == []
    status, told, _ = cup.played()
    assert (status, told["played"], told["status"]["counted"]) == (0, 0, 20), "nothing is played twice"


def test_s8_killed_at_20_random_points_every_pairing_counts_once(cup: Cup) -> None:
    """Runner and bots are killed without warning; the final results are those of an unbroken run."""
    rng = random.Random(8)
    cup.write(matches=40)
    kills = 0
    while kills < 20:
        words = ("tournament", "run", "cup.toml", "--parallel", "2", "--quiet", "--json")
        with cup.start(*words) as running:
            before, more, pause = len(cup.logs()), rng.randrange(3), rng.random() / 10
            end = time.monotonic() + (rng.random() if more == 0 else 20)
            while running.poll() is None and time.monotonic() < end and len(cup.logs()) <= before + more:
                time.sleep(0.005)
            time.sleep(pause)
            if running.poll() is None:
                running.kill()
                kills += 1
            elif running.returncode == 0:
                break
    status, told, stderr = cup.played()

    assert (status, told["status"]["counted"]) == (0, 40), stderr
    assert cup.counting() == everything(40)
    assert cup.logs("*.part") == []
    assert kills > 5


def test_an_interrupt_prints_the_command_that_goes_on(cup: Cup) -> None:
    """Matches that were cut off are void and played again; the name is enough to go on."""
    cup.write(matches=60)
    with cup.start("tournament", "run", "cup.toml", "--quiet") as running:
        eventually(lambda: len(cup.logs()) >= 3)
        running.send_signal(signal.SIGINT)
        _, stderr = running.communicate(timeout=60)

    assert running.returncode == 130
    again = stderr.splitlines()[-1].partition("to go on: ")[2]
    words = shlex.split(again.partition(" -m referee ")[2])
    assert words == ["tournament", "resume", "cup"]
    assert cup.run(*words, "--quiet").returncode == 0
    assert cup.counting() == everything(60)


def test_s13_removed_bots_leave_a_defined_result_for_every_pairing(cup: Cup) -> None:
    """While it runs one bot is disqualified and one withdrawn: what is left of theirs is given up."""
    slow = FIRST.replace("lambda turn: ", "lambda turn: __import__('time').sleep(0.02) or ")
    cup.write(FIVE + '[bots.slow]\ncommand = "./slow.py"\n', matches=60)
    cup.bot("slow.py", slow)
    with cup.start("tournament", "run", "cup.toml", "--json", "--quiet") as running:
        eventually(lambda: cup.logs() and cup.logs("*.part"))
        why = ("--why", "it cheats")
        assert cup.run("tournament", "disqualify", "cup", "slow", *why).returncode == 0
        assert cup.run("tournament", "withdraw", "cup", "mine", "--why", "went home").returncode == 0
        stdout, stderr = running.communicate(timeout=60)

    assert running.returncode == 0, stderr
    status = json.loads(stdout)["status"]
    given_up = [one for one in cup.decisions() if isinstance(one, Unplayed)]
    assert status["disqualified"] == {"slow/slow": "it cheats"}
    assert status["withdrawn"] == {"mine/mine": "went home"}
    assert {*cup.accepted(), *(one.pairing_id for one in given_up)} == set(everything(60))
    assert any("slow is disqualified: it cheats" in one.why for one in given_up)


def test_s5_nobody_is_there_and_no_match_is_made_up(cup: Cup) -> None:
    """Registered bots that are all offline: the tournament pauses and says who is missing."""
    for name in "abcd":
        assert cup.run("bot", "add", name).returncode == 0
    bots = "".join(f'[bots.{name}]\nregistered = "{name}"\n' for name in "abcd")
    cup.write(bots, head='time = "1s+0,join=300ms"', matches=4)
    status, told, _ = cup.played()

    assert (status, told["ending"]) == (3, "paused")
    assert "not enough players: did not join in time: " in told["why"]
    assert cup.logs() == []
    assert [type(one).__name__ for one in cup.decisions()] == ["Opened"]


def test_d13_a_bot_that_stays_away_is_withdrawn_and_the_others_play(cup: Cup) -> None:
    """After so many matches that it missed nobody waits for it any more."""
    assert cup.run("bot", "add", "far").returncode == 0
    bots = FIVE + '[bots.far]\nregistered = "far"\n'
    more = "[running]\nno_shows = 2\nconcurrency = 2\nattempts = 2\n"
    cup.write(bots, head='time = "1s+0,join=300ms"', more=more, matches=30)
    status, told, stderr = cup.played()

    assert (status, told["ending"]) == (0, "finished"), stderr
    (left,) = [one for one in cup.decisions() if isinstance(one, Withdrawn)]
    assert left.bot == "far"
    assert left.why.startswith("it missed 2 matches in a row; did not join in time: far")
    unplayed = {one.pairing_id for one in cup.decisions() if isinstance(one, Unplayed)}
    assert {*cup.accepted(), *unplayed} == set(everything(30))
    assert len(cup.accepted()) == 10, "the tables without it"


def test_registered_and_launched_bots_play_together(cup: Cup) -> None:
    """A bot from elsewhere dials in to the address that is printed; it plays under its registered id."""
    token = cup.run("bot", "add", "far").stdout.strip()
    cup.write(HOUSE + '[bots.far]\nregistered = "far"\n', matches=4)
    with cup.start("tournament", "run", "cup.toml", "--quiet") as running:
        assert running.stdout is not None
        address = running.stdout.readline().removeprefix("LISTENING ").strip()
        environment = {**cup.environment, "REFEREE_ADDRESS": address, "REFEREE_TOKEN": token}
        with subprocess.Popen([sys.executable, "mine.py"], cwd=cup.folder, env=environment) as bot:
            stdout, stderr = running.communicate(timeout=60)
            bot.terminate()

    assert running.returncode == 0, stderr
    assert "cup finished: 4 of 4 matches count" in stdout
    assert {seat.bot for path in cup.logs() for seat in read(path).setup.seats} == {
        "easy/easy",
        "normal/normal",
        "expert/expert",
        "far",
    }


def test_s17_repeated_start_failures_pause_the_tournament(cup: Cup) -> None:
    """Bots that fall over before they connect are no reason to go through the whole schedule."""
    cup.bot("broken.py", HOPELESS)
    broken = "".join(f'[bots.b{number}]\ncommand = "./broken.py"\n' for number in range(2))
    cup.write(HOUSE + '[bots.spar]\nhouse = "easy"\n' + broken, more="[running]\nstart_failures = 2\n")
    status, told, _ = cup.played()

    assert (status, told["ending"]) == (3, "paused")
    assert told["why"].startswith("2 matches in a row could not start; the last: ")
    assert "never joined: it exited with status 1" in told["why"]


def test_s14_a_bot_that_cannot_start_costs_only_its_own_tables(cup: Cup) -> None:
    """Its pairings are given up by name, and all others are played."""
    cup.bot("broken.py", HOPELESS)
    cup.write(HOUSE + '[bots.spar]\nhouse = "easy"\n[bots.broken]\ncommand = "./broken.py"\n', matches=10)
    status, told, _ = cup.played()

    assert (status, told["ending"], told["status"]["counted"]) == (0, "finished", 2)
    assert all("broken never joined" in why for why in told["status"]["unplayed"])
    assert {report["bot"] for report in told["reports"]} == {"broken"}


def test_a_changed_file_and_a_second_runner_are_refused(cup: Cup) -> None:
    """One line each, and the first runner is not disturbed."""
    cup.write(matches=60)
    with cup.start("tournament", "run", "cup.toml", "--quiet") as running:
        eventually(cup.logs)
        second = cup.run("tournament", "run", "cup.toml")
        running.send_signal(signal.SIGINT)
        running.wait(60)
    cup.write(matches=61)
    changed = cup.run("tournament", "run", "cup.toml")

    assert (second.returncode, changed.returncode) == (2, 2)
    assert second.stderr.startswith(
        f"referee: tournament cup is being played already, by process {running.pid}"
    )
    assert "referee: cup.toml:9: matches = 61; was matches = 60\n" in changed.stderr


def test_s17_a_file_with_mistakes_starts_nothing(cup: Cup) -> None:
    """All are told, by line, and no folder is made."""
    cup.write(HOUSE + '[bots.mine]\ncommand = "./mien.py"\n', more="[runing]\n", head="sets = 4")
    done = cup.run("tournament", "run", "cup.toml")

    assert done.returncode == 2
    assert [line.partition(": ")[2].partition(": ")[0] for line in done.stderr.splitlines()] == [
        "cup.toml:4",
        "cup.toml:10",
        "cup.toml:16",
    ]
    assert "did you mean running?" in done.stderr
    assert not (cup.folder / "tournaments").exists()


def test_u9_the_plan_lists_the_pairings_and_starts_nothing(cup: Cup) -> None:
    """What is to be played can be seen before; the same pairings are then played."""
    cup.write()
    shown = cup.run("tournament", "plan", "cup.toml", "--limit", "2")
    done, plan = cup.json("tournament", "plan", "cup.toml", "--limit", "30")

    assert (shown.returncode, done.returncode) == (0, 0)
    assert "cup: block_dominoes, 5 bots at tables of 4, 20 matches, 1 round" in shown.stdout
    assert "a bot plays 16 matches; its seats differ by at most 0" in shown.stdout
    assert (len(plan["pairings"]), plan["matches"], plan["seat_unbalance"]) == (20, 20, 0)
    assert not (cup.folder / "tournaments").exists()
    assert not (cup.folder / "referee.db").exists()


def test_c1_ten_million_matches_are_ordered_and_ten_are_played(cup: Cup) -> None:
    """Pairings are made as they are needed: little memory, and no waiting."""
    cup.write(matches=10_000_000, more="[stop]\nmatches = 10\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    status, told, stderr = cup.played()
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss

    assert (status, told["ending"], told["status"]["counted"]) == (0, "stopped", 10), stderr
    assert told["status"]["total"] == 10_000_000
    assert after < 100 * 1024 or after == before, "kilobytes of the largest process"
    assert cup.counting() == everything(10)


def test_void_takes_a_match_out_and_nothing_else(cup: Cup) -> None:
    """An operator's decision is kept with its reason; a match of another tournament is refused."""
    cup.write(matches=5)
    cup.played()
    first = cup.logs()[0]
    done = cup.run("tournament", "void", "cup", str(first), "--why", "the power failed")
    other = cup.run("tournament", "void", "cup", "nonesuch", "--why", "x")
    unknown = cup.run("tournament", "disqualify", "cup", "mien", "--why", "x")
    _, status = cup.json("tournament", "status", "cup")

    assert (done.returncode, other.returncode, unknown.returncode) == (0, 2, 2)
    assert status["voided"] == {first.stem: "the power failed"}
    assert "has no finished match 'nonesuch'" in other.stderr
    assert "has no bot 'mien'; did you mean mine?" in unknown.stderr
    assert cup.run("tournament", "list").stdout == "cup\n"
