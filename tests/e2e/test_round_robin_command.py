"""`referee round-robin` from the command line."""

import json
import re
import shlex
import signal
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from referee.replay.reader import finished_path, read
from tests.e2e.commands import FIRST, HOPELESS, Command, eventually
from tests.patience import PATIENCE

SHORT = ("--option", "target=10")
HOUSE = ("easy", "normal", "expert")


@pytest.fixture
def referee(tmp_path: Path) -> Command:
    """Returns the command in an empty folder."""
    return Command(tmp_path)


def counted(logs: Iterable[Path]) -> Counter[str]:
    """Returns the pairings of the matches that count, with how often each was played."""
    ends = [(log.setup.pairing_id, log.end) for log in map(read, logs)]
    return Counter(pairing for pairing, end in ends if end and end.termination != "void")


def test_s1_all_tables_are_played_with_rotated_seats(referee: Command) -> None:
    """Every bot sits equally often in each seat; standings, replays and next commands are shown."""
    mine = referee.bot("mybot.py", FIRST)

    done = referee.run("round-robin", "--game", "block_dominoes", *HOUSE, mine, "--matches", "8", *SHORT)

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    logs = [read(path) for path in referee.logs()]
    seats = Counter((info.name, seat) for log in logs for seat, info in enumerate(log.setup.seats))
    assert seats == {(bot, seat): 2 for bot in (*HOUSE, "mybot") for seat in range(4)}
    assert all(log.setup.rated and log.setup.provable for log in logs)
    assert all(bot in done.stdout for bot in (*HOUSE, "mybot"))
    assert "referee replay show replays/" in done.stdout
    assert "referee standings" in done.stdout
    assert len(list(referee.folder.glob("output/*/*.txt"))) == 4, "each bot is launched once"
    assert referee.left() == []


def test_dry_run_lists_the_tables_and_starts_nothing(referee: Command) -> None:
    """U9: the pairings can be seen before they are played."""
    done = referee.run("round-robin", *HOUSE, "easy", "--matches", "3", "--seed", "1", "--dry-run")

    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == ["0", "1", "2"]
    assert all(set(line[1:]) == {*HOUSE, "easy-2"} for line in lines)
    assert list(referee.folder.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_s8_resume_plays_what_is_missing_and_nothing_twice(number: signal.Signals, referee: Command) -> None:
    """However a run ended, going on gives every pairing exactly one result."""
    words = ("round-robin", *HOUSE, "easy", "--matches", "40", "--parallel", "2", "--seed", "5", *SHORT)
    with referee.start(*words) as running:
        eventually(lambda: len(referee.logs()) >= 3)
        running.send_signal(number)
        _, stderr = running.communicate(timeout=PATIENCE)
    eventually(lambda: not referee.left())
    before = {finished_path(path) for path in referee.logs("*.jsonl*")}
    run = read(referee.logs()[0]).setup.pairing_id.partition("/")[0]
    if number == signal.SIGINT:
        assert running.returncode == 130
        assert re.search(rf"to go on: \S.* -m referee round-robin --resume {run}\n", stderr)
        assert referee.logs("*.part") == []

    done = referee.run(*shlex.split(f"round-robin --resume {run} --json"))

    assert done.returncode == 0, done.stderr
    kept = counted(path for path in referee.logs() if path in before)
    assert json.loads(done.stdout)["played"] == 40 - kept.total()
    assert counted(referee.logs()) == {f"{run}/{index}": 1 for index in range(40)}
    again = referee.run("round-robin", "--resume", run, "--json")
    assert again.returncode == 0
    assert json.loads(again.stdout)["played"] == 0


def test_s14_bot_that_cannot_start_costs_only_its_own_tables(referee: Command) -> None:
    """Tables of a bot that never comes stay unplayed, by name; all others are played."""
    broken = referee.bot("broken.py", HOPELESS)

    done = referee.run("round-robin", *HOUSE, "easy", broken, "--matches", "5", *SHORT, "--json")

    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["played"] + len(result["unplayed"]) == 5
    assert result["played"] >= 1
    assert all("broken never joined" in reason for reason in result["unplayed"].values())
    assert {report["bot"] for report in result["reports"]} == {"broken"}


def test_bot_that_crashes_is_started_again(referee: Command) -> None:
    """M1: a bot that falls over in one match is there for the next ones."""
    fragile = referee.bot(
        "fragile.py",
        "from pathlib import Path\nfrom referee.bot import main\n"
        "def choose(turn):\n"
        "    mark = Path('fell')\n"
        "    if not mark.exists():\n"
        "        mark.touch()\n"
        "        raise RuntimeError('fell over')\n"
        "    return turn.legal_actions[0]\n"
        "main(choose, games=['block_dominoes'], version='1')\n",
    )

    done = referee.run("round-robin", *HOUSE, fragile, "--matches", "4", *SHORT, "--json")

    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["played"], result["unplayed"]) == (4, {})
    assert [report["bot"] for report in result["reports"]] == ["fragile"]
    assert "RuntimeError: fell over" in result["reports"][0]["stderr"]


def test_no_bot_no_match(referee: Command) -> None:
    """When no table could be played the exit status is 3, and the reasons are told."""
    broken = referee.bot("broken.py", HOPELESS)

    done = referee.run("round-robin", *HOUSE, broken, "--matches", "2")

    assert done.returncode == 3
    assert "broken never joined" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("easy", "normal"), "name at least 4 bots"),
        (("--resume", "rr-nonesuch"), "no run 'rr-nonesuch'"),
        (("--resume", "rr-nonesuch", "easy"), "--resume plays the run as it was planned"),
        (("easy", "normal", "expert", "expret"), "did you mean expert"),
        (("easy", "normal", "expert", "easy", "--seats", "3"), "is for 4 seats"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(words: tuple[str, ...], message: str, referee: Command) -> None:
    """What cannot be had is refused with what to do, and nothing is made."""
    done = referee.run("round-robin", *words)

    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(referee.folder.iterdir()) == []


@pytest.mark.parametrize("interrupts", [1, 2])
def test_u3_no_interrupt_ends_in_a_traceback(interrupts: int, referee: Command) -> None:
    """Many matches are called off at once; one interrupt or two leave the command to go on, no more."""
    slow = referee.bot(
        "slow.py", FIRST.replace("lambda turn: ", "lambda turn: __import__('time').sleep(0.2) or ")
    )
    words = ("round-robin", *HOUSE, f"slow={slow}", "--matches", "60", "--parallel", "6", "--unrated")
    with referee.start(*words) as running:
        eventually(lambda: referee.logs("*.part"))
        for _ in range(interrupts):
            running.send_signal(signal.SIGINT)
        stdout, stderr = running.communicate(timeout=PATIENCE)
    told = stderr.splitlines()

    assert running.returncode == 130
    assert told[-1].startswith("to go on: ")
    assert len(told) == 2, "signals that come together may be one, and say no more than these two lines"
    assert "Traceback" not in stdout
    eventually(lambda: not referee.left())


def test_json_holds_results_and_standings(referee: Command) -> None:
    """A script needs no second command: each match with its places, and the table with them."""
    done = referee.run("round-robin", *HOUSE, "mine=easy", "--matches", "4", *SHORT, "--json", "--quiet")

    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [len(match["placements"]) for match in result["results"]] == [4] * 4
    assert {seat["name"] for seat in result["results"][0]["placements"]} == {*HOUSE, "mine"}
    assert {match["replay"] for match in result["results"]} == set(result["replays"])
    (table,) = result["standings"]
    assert (table["matches"], {row["bot"] for row in table["rows"]}) == (
        4,
        {"easy/easy", "normal/normal", "expert/expert", "mine/mine"},
    )


@pytest.mark.parametrize("how", [("--unrated",), ("--seed", "7")])
def test_unrated_tables_enter_no_standings_but_their_own(referee: Command, how: tuple[str, ...]) -> None:
    """A run that is unrated, or whose deals come from a seed, has a table of its own and no other."""
    done = referee.run("round-robin", *HOUSE, "mine=easy", "--matches", "2", *SHORT, "--json", *how)
    all_time = referee.run("standings", "--json")

    assert json.loads(done.stdout)["played"] == 2
    assert [table["matches"] for table in json.loads(done.stdout)["standings"]] == [2]
    assert [table["matches"] for table in json.loads(all_time.stdout)["tables"]] == [0]
    assert not any(read(path).setup.rated for path in referee.logs())
    again = referee.run("round-robin", "--resume", json.loads(done.stdout)["run_id"], "-q").stdout
    assert f" standings --tournament {json.loads(done.stdout)['run_id']}\n" in again
