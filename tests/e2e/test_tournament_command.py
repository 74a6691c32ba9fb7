"""`referee tournament` from the command line."""

import json
import random
import shlex
import signal
import socket
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from referee.match.events import Resumed
from referee.replay.reader import read
from referee.tournament.decision import Bye, Drawn, Unplayed, Withdrawn
from tests.e2e.commands import FIRST, HOPELESS, LIMIT, eventually
from tests.e2e.cups import FIVE, HOUSE, Cup, everything, kill_at_random


@pytest.fixture
def cup(tmp_path: Path) -> Cup:
    """Returns the command in a folder of its own."""
    return Cup(tmp_path)


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


def test_s8_killed_at_20_random_points_every_pairing_counts_once(cup: Cup) -> None:
    """Runner and bots are killed without warning; the final results are those of an unbroken run."""
    cup.write(matches=40)
    kills = kill_at_random(cup, random.Random(8), 20)
    status, told, stderr = cup.played()

    assert (status, told["status"]["accepted"]) == (0, 40), stderr
    assert cup.counting() == everything(40)
    assert cup.logs("*.part") == []
    assert kills > 5


@pytest.mark.soak
def test_s8_killed_hundreds_of_times(cup: Cup) -> None:
    """The same over a long tournament; there is nothing else that hundreds of kills may change."""
    cup.write(matches=600)
    kills = kill_at_random(cup, random.Random(88), 300)
    status, told, stderr = cup.played()
    print(f"{kills} kills, {len(cup.logs())} logs, {told['status']['accepted']} matches count")

    assert (status, told["status"]["accepted"]) == (0, 600), stderr
    assert cup.counting() == everything(600)
    assert cup.logs("*.part") == []


def test_s8_only_whole_blocks_count_whenever_the_runner_is_killed(cup: Cup) -> None:
    """The matches of a block share their deals: one that was cut off is given up as a whole."""
    cup.write(matches=8, head='duplicate = "rotate"')
    kills = kill_at_random(cup, random.Random(4), 2)
    status, told, stderr = cup.played()

    assert (status, told["status"]["accepted"], kills) == (0, 8, 2), stderr
    groups = {path.stem: read(path).setup.deal_group for path in cup.logs()}
    blocks = [{groups[match] for match in matches} for matches in cup.accepted().values()]
    assert [len(block) for block in blocks] == [1] * 2
    assert len(set.union(*blocks)) == 2
    assert cup.logs("*.sealed") == []
    assert cup.counting() == {f"cup/{index}.{part}": 1 for index in range(2) for part in range(4)}


def test_s8_a_round_that_was_drawn_stays_whenever_the_runner_is_killed(cup: Cup) -> None:
    """Rounds of a Swiss tournament depend on results; killed and resumed they are drawn once each."""
    cup.write(FIVE + '[bots.six]\nhouse = "normal"\n', matches=0, form='kind = "swiss"\nrounds = 6')
    kill_at_random(cup, random.Random(3), 2)
    status, told, stderr = cup.played()

    drawn = [one for one in cup.decisions() if isinstance(one, Drawn)]
    assert (status, told["ending"]) == (0, "finished"), stderr
    assert [one.round for one in drawn] == list(range(6))
    tables = {
        f"cup/{one.first + at}": set(table) for one in drawn for at, (table,) in enumerate(one.pairings)
    }
    played = {path.stem: read(path).setup for path in cup.logs()}
    for pairing, (match,) in cup.accepted().items():
        assert {seat.name for seat in played[match].seats} == tables[pairing]
    assert set(cup.accepted()) == set(tables)
    byes = Counter(one.bot for one in cup.decisions() if isinstance(one, Bye))
    assert set(byes.values()) == {2}, "12 byes of 6 bots"


def test_s11_a_slow_bot_holds_up_nobody(cup: Cup) -> None:
    """It takes one match at a time: the others play at the other tables, and most of its own come last."""
    slow = FIRST.replace("lambda turn: ", "lambda turn: __import__('time').sleep(0.03) or ")
    cup.bot("slow.py", slow)
    bots = FIVE.replace("./mine.py", "./mine.py --matches 8") + '[bots.slow]\ncommand = "./slow.py"\n'
    cup.write(bots, matches=30, more="[running]\nconcurrency = 3\n")
    status, told, stderr = cup.played()

    assert (status, told["status"]["accepted"]) == (0, 30), stderr
    spans = []
    for log in map(read, cup.logs()):
        assert log.end
        at_it = any(seat.name == "slow" for seat in log.setup.seats)
        spans.append((log.setup.created, log.setup.created + log.end.t, at_it))
    assert all(
        sum(other_start <= start < other_end for other_start, other_end, it in spans if it) == 1
        for start, _, at_it in spans
        if at_it
    )
    last = max(start for start, _, at_it in spans if not at_it)
    assert sum(start > last for start, _, at_it in spans if at_it) >= 5, "most of its tables are left over"


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
        cup.register(name)
    bots = "".join(f'[bots.{name}]\nregistered = "{name}"\n' for name in "abcd")
    cup.write(bots, head='time = "1s+0,join=300ms"', matches=4)
    status, told, _ = cup.played()

    assert (status, told["ending"]) == (3, "paused")
    assert "not enough players: did not join in time: " in told["why"]
    assert cup.logs() == []
    assert [type(one).__name__ for one in cup.decisions()] == ["Opened"]


def test_d13_a_bot_that_stays_away_is_withdrawn_and_the_others_play(cup: Cup) -> None:
    """After so many matches that it missed nobody waits for it any more."""
    cup.register("far")
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
    token = cup.register("far")
    cup.write(HOUSE + '[bots.far]\nregistered = "far"\n', matches=4)
    with cup.start("tournament", "run", "cup.toml", "--quiet") as running:
        assert running.stdout is not None
        address = running.stdout.readline().removeprefix("LISTENING ").strip()
        environment = {**cup.environment, "REFEREE_ADDRESS": address, "REFEREE_TOKEN": token}
        with subprocess.Popen([sys.executable, "mine.py"], cwd=cup.folder, env=environment) as bot:
            stdout, stderr = running.communicate(timeout=60)
            bot.terminate()

    assert running.returncode == 0, stderr
    assert "cup finished: 4 of 4 matches played" in stdout
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

    assert (status, told["ending"], told["status"]["accepted"]) == (0, "finished", 2)
    assert all("broken never joined" in why for why in told["status"]["unplayed"])
    assert {report["bot"] for report in told["reports"]} == {"broken"}


def test_k9_where_nobody_is_ready_there_is_no_draw(cup: Cup) -> None:
    """Such a match is tried again and given up; nobody gets anything for it."""
    bots = "".join(f'[bots.b{seat}]\ncommand = "sample_bots/misbehaving/no_show.py"\n' for seat in range(4))
    cup.write(
        bots, matches=1, head='time = "1s+0,start=300ms"', more="[running]\nattempts = 2\nno_shows = 9\n"
    )
    status, told, _ = cup.played()

    assert (status, told["ending"], told["status"]["accepted"]) == (3, "finished", 0)
    ends = [log.end for log in map(read, cup.logs())]
    assert [end.termination for end in ends if end] == ["no_show", "no_show"]
    assert sum(told["status"]["unplayed"].values()) == 1
    assert all(row["points"] is None for table in told["standings"] for row in table["rows"])


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
    assert "Matches of a bot in all pairings: 16; its seats differ by at most 0." in shown.stdout
    assert (len(plan["pairings"]), plan["matches"], plan["seat_unbalance"]) == (20, 20, 0)
    assert not (cup.folder / "tournaments").exists()
    assert not (cup.folder / "referee.db").exists()


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
        timeout=LIMIT,
        check=False,
    )
    told = json.loads(done.stdout)

    assert (done.returncode, told["ending"], told["status"]["accepted"]) == (0, "stopped", 10), done.stderr
    assert told["status"]["total"] == 10_000_000
    assert int(done.stderr.splitlines()[-1]) < 100 * 1024, "kilobytes of the largest process"
    assert cup.counting() == everything(10)
    plan = cup.run("tournament", "plan", "cup.toml", "--limit", "5")
    assert (
        "Matches of a bot in the first 100000 pairings: 80000; its seats differ by at most 0." in plan.stdout
    )


def test_void_and_disqualify_count_anew(finished: tuple[Cup, Any]) -> None:
    """An operator's decisions are kept with their reasons; those that cannot be had are refused."""
    cup, _ = finished
    first = cup.logs()[0]
    done = cup.run("tournament", "void", "cup", str(first), "--why", "the power failed")
    _, voided = cup.json("standings", "--tournament", "cup")
    other = cup.run("tournament", "void", "cup", "nonesuch", "--why", "x")
    unknown = cup.run("tournament", "disqualify", "cup", "mien", "--why", "x")
    removed = cup.run("tournament", "disqualify", "cup", "mine", "--why", "it cheats")
    _, status = cup.json("tournament", "status", "cup")
    _, without = cup.json("standings", "--tournament", "cup")

    assert [one.returncode for one in (done, other, unknown, removed)] == [0, 2, 2, 0]
    assert status["voided"] == {first.stem: "the power failed"}
    assert status["disqualified"] == {"mine/mine": "it cheats"}
    assert "has no finished match 'nonesuch'" in other.stderr
    assert "has no bot 'mien'; did you mean mine?" in unknown.stderr
    assert voided["tables"][0]["matches"] == 19
    assert without["tables"][0]["matches"] == 4 - (
        "mine" not in {seat.name for seat in read(first).setup.seats}
    )
    assert cup.run("tournament", "list").stdout == "cup\n"


def test_p1_a_match_of_registered_bots_goes_on_after_the_runner_was_killed(cup: Cup) -> None:
    """They come back by themselves to the same address; the match that was cut off is played to its end."""
    slow = FIRST.replace("lambda turn: ", "lambda turn: __import__('time').sleep(0.02) or ")
    cup.bot("slow.py", slow)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
    bots, environments = "", []
    for name in "abcd":
        token = cup.register(name)
        bots += f'[bots.{name}]\nregistered = "{name}"\n'
        address = {"REFEREE_ADDRESS": f"127.0.0.1:{port}", "REFEREE_TOKEN": token}
        environments.append({**cup.environment, **address})
    cup.write(bots, matches=2)
    words = ("tournament", "run", "cup.toml", "--quiet", "--json", "--port", port)
    with ExitStack() as stack:
        for environment in environments:
            bot = subprocess.Popen([sys.executable, "slow.py"], cwd=cup.folder, env=environment)
            stack.enter_context(bot)
            stack.callback(bot.terminate)
        with cup.start(*words) as running:
            eventually(lambda: any(path.read_bytes().count(b"\n") > 12 for path in cup.logs("*.part")))
            running.kill()
        (cut,) = cup.logs("*.part")
        status, told, stderr = cup.played("--port", port)

    assert (status, told["status"]["accepted"]) == (0, 2), stderr
    logs = {path.stem: read(path) for path in cup.logs()}
    ended = logs[cut.name.removesuffix(".jsonl.part")]
    assert ended.end
    assert ended.end.termination == "completed"
    assert any(isinstance(record, Resumed) for record in ended.records)
    assert len(logs) == 2, "no attempt was given up"
