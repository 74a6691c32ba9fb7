"""`referee bot check`: a good bot, each misbehaving one, a remote one, and what cannot be checked."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from referee.check.conduct import EXTRA
from referee.check.scenarios import ALL
from referee.games import names
from tests.e2e.commands import Command, eventually
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
FIRST_BOT = str(ROOT / "sample_bots" / "python" / "first_bot.py")
NAMES = [*(scenario.name for scenario in ALL), *EXTRA]
GOOD = ("bot", "check", "--quick", "--idle", "1s", "--json", "--", FIRST_BOT, "--matches", "4")


class Case(NamedTuple):
    """A bot, the scenario that finds its sin, the words with which, and options of the check."""

    bot: str
    scenario: str
    words: str
    options: tuple[str, ...] = ("--game", "guan_pai")


GAME = ("--game", "block_dominoes")
SHORT = (*GAME, "--time", "2s,bank=0,start=5s")
"""For those who do not answer: nothing is waited for that needs time, but that the bot starts."""

CASES = (
    # Those that wait come first: the others are checked meanwhile.
    Case("brittle --sin deserts", "lost_stream", "it did not come back within 30 s"),
    Case("hang_on_term", "leave", "it did not end within 10 s of SIGTERM"),
    Case(
        "brittle --sin sulks", "refused", "guan_pai, turn 1: it was not answered again after it was refused"
    ),
    Case("brittle --sin overlooks", "at_once", "LATE: no answer within 3 s", ("--time", "3s,bank=0")),
    Case("brittle --sin mute", "one_choice", "LATE: no answer within 3 s", ("--time", "3s,bank=0")),
    Case("brittle --sin hammers", "drain", "times within 4 s, without pauses that grow"),
    Case("no_show --absent", "hello", "it did not say Hello within 3 s", (*SHORT[:3], f"{SHORT[3]},join=3s")),
    Case("brittle --sin forges", "hello", "times with a wrong token", SHORT),
    Case("brittle --sin boasts", "hello", "with INVALID_ARGUMENT: Hello.matches_at_once: 1..256", SHORT),
    Case("brittle --sin foreign", "hello", "Hello names no game of this referee, only chess", ()),
    Case("brittle --sin practises", "hello", "its Hello asks for practice only", SHORT),
    Case("brittle --sin renames", "lost_stream", "times with FAILED_PRECONDITION"),
    Case("no_show", "matches", "ended NO_SHOW: not ready in time: the bot", SHORT),
    # A stall of the machine excuses a late answer: it may be a later turn.
    Case("late", "matches", "LATE: no answer within 2 s", SHORT),
    Case("silent", "matches", "turn 1: LATE: no answer within 2 s", SHORT),
    Case("noread --at 3", "matches", "turn 3: LATE: no answer within 2 s", SHORT),
    Case("slow --ms 1500", "short_time", "LATE: no answer within 0.8 s", SHORT),
    Case("brittle --sin insists", "late", "turn 2 was over (LATE), and was answered again"),
    Case("brittle --sin restless", "idle", "it gave its stream up while it was told nothing for 3 s"),
    Case("brittle --sin haunts", "taken_over", "it came back after Goodbye(TAKEN_OVER)"),
    Case("brittle --sin changes", "lost_stream", "it came back as instance"),
    Case("brittle --sin chokes", "newer", "RuntimeError: a frame that I do not know"),
    Case(
        "brittle --sin repeats", "newer", "turn 2 was answered again after a Rejected with an unknown fault"
    ),
    Case("brittle --sin unready", "lost_stream", "it said none to the resumed MatchStarted", SHORT),
    Case("brittle --sin narrow", "long_lists", "it ended its stream in the middle of a match"),
    Case(
        "brittle --sin abrupt", "leave", "it said no Leave: it ended with status 0 in the middle of a match"
    ),
    Case("brittle --sin sour", "leave", "ended with status 3 instead of 0"),
    Case("child", "leave", "it left 3 processes behind"),
    Case("slow --ms 0", "leave", "it said no Leave: it ended with signal 15 (SIGTERM)"),
    Case(
        "crash --at 0", "hello", "ended with status 1; the last it printed: RuntimeError: crash, as ordered"
    ),
    Case("brittle --sin generous", "matches", "Ready.entropy holds 100 bytes, above the limit of 64"),
    Case("crash --at 2", "matches", "RuntimeError: crash, as ordered, at turn 2"),
    Case("illegal", "matches", "block_dominoes, turn 1: ILLEGAL: you do not hold 0-0", GAME),
    Case("garbage --kinds no_answer", "matches", "turn 1: MALFORMED: the act holds no answer"),
    Case("garbage --kinds random", "conduct", "UNPARSABLE"),
    Case("flap", "matches", "it ended its stream in the middle of a match"),
    Case("big --times 2", "matches", "a message to the referee may have 256 KiB"),
    Case("big --times 2", "conduct", "the referee closed the stream with RESOURCE_EXHAUSTED"),
    Case("big --times 2", "idle", "the referee closed the stream with RESOURCE_EXHAUSTED"),
    Case("stale", "conduct", "turn 0 is over; turn 1 is open"),
    Case("stale --back 1", "conduct", "CONFLICTING"),
    Case("pipeline", "conduct", "NOT_YOUR_TURN"),
    Case("dup --kinds same", "conduct", "turn 1 was answered a second time"),
    Case("dup --kinds different", "conduct", "CONFLICTING"),
    Case("meddler", "conduct", "in matches, block_dominoes: turn 2", GAME),
    Case("flood", "conduct", "STALE"),
    Case("chatty --megabytes 10", "output", "printed 19 MiB more than is kept"),
)
HARMLESS = ("unicode",)
"""Bots whose sin is none against the protocol."""


def check(case: Case, folder: Path) -> subprocess.CompletedProcess[str]:
    """Checks the bot of a case by the scenario that is to find its sin."""
    played = {"conduct", "output"} & {case.scenario}
    only = ["--only", case.scenario, *(["--only", "matches"] if played else [])]
    words = [*only, *case.options, "--quick", "--json"]
    return Command(folder).run("bot", "check", *words, "--", f"misbehaving/{case.bot}")


@pytest.fixture(scope="module")
def checked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, str], "Future[subprocess.CompletedProcess[str]]"]]:
    """Returns the checks of all cases that are asked for; several run at once."""
    calls = [getattr(item, "callspec", None) for item in request.session.items if item.path == request.path]
    asked = [call.params["case"] for call in calls if call and "case" in call.params]
    with ThreadPoolExecutor(5) as pool:
        yield {
            case[:2]: pool.submit(check, case, tmp_path_factory.mktemp("check"))
            for case in CASES
            if case in asked
        }


def result(report: dict[str, Any], name: str) -> dict[str, Any]:
    """Returns what a report says of a scenario."""
    (found,) = [scenario for scenario in report["scenarios"] if scenario["name"] == name]
    return dict(found)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.bot}-{case.scenario}" for case in CASES])
def test_each_sin_is_found_by_its_scenario(
    case: Case, checked: dict[tuple[str, str], "Future[subprocess.CompletedProcess[str]]"]
) -> None:
    """A misbehaving bot fails the check in the scenario of its sin, in words that say what it did."""
    done = checked[case[:2]].result()
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    found = result(json.loads(done.stdout), case.scenario)

    assert found["verdict"] == "failed"
    assert case.words in found["happened"]
    assert "\n" not in found["happened"]


def test_every_misbehaving_bot_and_every_scenario_is_in_the_table() -> None:
    """No sin is without a check that finds it, and no scenario without a bot that fails in it."""
    folder = ROOT / "sample_bots" / "misbehaving"
    bots = {path.stem for path in folder.glob("*.py") if path.stem != "raw"}
    sins = re.findall(r'^    "(\w+)": "', (folder / "brittle.py").read_text("utf-8"), re.MULTILINE)

    assert {case.bot.split()[0] for case in CASES} == bots - set(HARMLESS)
    assert {case.bot.split()[-1] for case in CASES if case.bot.startswith("brittle")} == set(sins)
    assert {case.scenario for case in CASES} == set(NAMES)


def test_u12_m12_d18_a_good_bot_is_as_expected_in_all_situations(tmp_path: Path) -> None:
    """The first sample bot keeps the protocol in every game; think times and memory are told."""
    referee = Command(tmp_path)
    done = referee.run(*GOOD)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)

    assert report["ok"]
    assert {s["name"]: s["verdict"] for s in report["scenarios"]} == dict.fromkeys(NAMES, "ok")
    assert report["games"] == list(names())
    assert set(report["think"]) == set(names())
    for think in report["think"].values():
        assert 0 < think["p50"] <= think["p90"] <= think["p99"] <= think["max"] < 5_000_000
        assert think["turns"] > 0
    assert report["memory"] is None or report["memory"] > 5_000_000
    assert result(report, "long_lists")["happened"].startswith(
        "longest lists: block_dominoes 8, guan_pai 309, mexican_train 20, ding_niu 7"
    )
    assert list((tmp_path / report["outputs"]).glob("*-leave.txt"))
    assert referee.left() == []
    assert not (tmp_path / "replays").exists()


def test_a_report_tells_people_what_was_expected_and_where_to_read(tmp_path: Path) -> None:
    """The table names each scenario; what failed is explained below it, with the guide and the output."""
    referee = Command(tmp_path)
    words = ("--game", "block_dominoes", "--only", "matches", "--only", "conduct")
    done = referee.run("bot", "check", *words, "misbehaving/illegal")

    assert done.returncode == 1
    assert re.search(r"matches +failed +block_dominoes, turn 1: ILLEGAL: you do not hold 0-0", done.stdout)
    assert "expected: it is ready within the start limit, and answers every turn in time" in done.stdout
    assert "the guide: proto/README.md#a-session" in done.stdout
    (output,) = re.findall(r"  what it printed: (\S+)", done.stdout)
    assert (tmp_path / output).exists()
    assert "\nmisbehaving/illegal: 1 of 3 not as expected\n" in done.stdout


def test_a_bot_that_answers_nothing_is_asked_nothing_further(tmp_path: Path) -> None:
    """After `matches` without a single answer the other scenarios are skipped, and count as not met."""
    done = Command(tmp_path).run("bot", "check", *SHORT, "--quick", "--json", "misbehaving/silent")
    report = json.loads(done.stdout)

    assert done.returncode == 1
    assert result(report, "refused")["verdict"] == "skipped"
    assert result(report, "refused")["happened"] == "the bot answers no turn"
    assert not report["ok"]


def test_a_remote_bot_dials_in_and_is_checked_by_one_connection(tmp_path: Path) -> None:
    """The address and a token are told; what needs a launch is not applicable, all else is as expected."""
    referee = Command(tmp_path)
    words = ("--remote", "mybot", "--quick", "--idle", "1s", "--game", "block_dominoes", "--json")
    with referee.start("bot", "check", *words) as running:
        assert running.stdout
        assert running.stderr
        told = running.stderr.readline()
        place = dict(re.findall(r"(REFEREE_\w+)=(\S+)", told))
        assert set(place) == {"REFEREE_ADDRESS", "REFEREE_TOKEN"}
        with subprocess.Popen([sys.executable, FIRST_BOT], env={**os.environ, **place}) as bot:
            out, err = running.communicate(timeout=2 * PATIENCE)
            assert bot.wait(PATIENCE) == 1  # the last that it was told is that another stream took over
    report = json.loads(out)

    assert running.returncode == 0, out + err
    verdicts = {s["name"]: s["verdict"] for s in report["scenarios"]}
    launched = {"leave", "output"}
    assert {name for name, verdict in verdicts.items() if verdict == "not applicable"} == {
        *launched,
        "at_once",
    }
    assert set(verdicts.values()) == {"ok", "not applicable"}
    assert report["memory"] is None
    assert report["bot"] == "mybot"


def test_an_interrupt_ends_the_check_and_the_bot(tmp_path: Path) -> None:
    """After a Ctrl-C what was finished is told, and the command to check again; no bot is left."""
    referee = Command(tmp_path)
    with referee.start("bot", "check", "--only", "idle", "--", FIRST_BOT) as running:
        eventually(lambda: list(tmp_path.glob("output/*/*-idle.txt")))
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE)

    assert running.returncode == 130
    assert re.search(r"^ hello +ok +version '1', 4 games", out, re.MULTILINE)
    assert f"\n{FIRST_BOT}: interrupted; of those that were finished 0 of 1 not as expected\n" in out
    assert "to check it again: " in err
    assert "Traceback" not in err
    assert referee.left() == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name what to check"),
        (("--remote", "mybot", "--", FIRST_BOT), "name one of the two"),
        (("--", "./nonesuch.py"), "no such program"),
        (("--only", "nonesuch", "--", FIRST_BOT), "no scenario 'nonesuch'; there are hello, matches"),
        (("--game", "chess", "--", FIRST_BOT), "chess"),
        (("--idle", "long", "--", FIRST_BOT), "--idle 'long' is no time; write it like 20s"),
        (("--idle", "1s+5s,bank=3s", "--", FIRST_BOT), "--idle '1s+5s,bank=3s' is no time"),
        (("--idle", "0", "--", FIRST_BOT), "--idle '0' is no silence; name a time above 0"),
        (("--port", "1", "--", FIRST_BOT), "--port: for a bot that dials in"),
        (("--insecure", "--host", "::1", "--", FIRST_BOT), "--host, --insecure: for a bot that dials in"),
        (("--remote", "mybot", "--only", "leave"), "--only leave: it needs a bot that is launched here"),
        (("--remote", "mybot", "--only", "output"), "--only output: it needs a bot that is launched here"),
        (("--remote", "seat 1"), "name 'seat 1'"),
        (("--remote", ""), "name ''"),
        (("--remote", "mybot", "--host", "0.0.0.0"), "0.0.0.0 is not loopback"),  # noqa: S104  refused
        (("--remote", "easy"), "house bot"),
    ],
)
def test_what_cannot_be_checked_is_refused_in_one_line(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    """Wrong usage is told in one line, with exit status 2."""
    done = Command(tmp_path).run("bot", "check", *words)

    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_the_last_that_a_bot_printed_fits_a_table(tmp_path: Path) -> None:
    """What is no text, and longer than a line, is shown as its beginning."""
    referee = Command(tmp_path)
    code = "import sys\nsys.stderr.buffer.write(bytes(range(128, 256)) * 20)\nsys.exit(3)\n"
    done = referee.run("bot", "check", "--only", "hello", "--json", "--", referee.bot("binary.py", code))
    happened = result(json.loads(done.stdout), "hello")["happened"]

    assert happened.startswith("the bot ended with status 3; the last it printed: ")
    assert happened.endswith("...")
    assert len(happened) < 160


def test_a_bot_of_other_games_has_nothing_to_check(tmp_path: Path) -> None:
    """Where none of the games is declared that were asked for, `hello` says so and the rest is skipped."""
    referee = Command(tmp_path)
    bot = referee.bot(
        "one.py",
        "from referee.bot import main\nmain(lambda turn: 0, games=['guan_pai'], version='1')\n",
    )
    done = referee.run("bot", "check", "--game", "ding_niu", "--only", "matches", "--json", "--", bot)
    report = json.loads(done.stdout)

    assert done.returncode == 1
    assert result(report, "hello")["happened"] == "it plays guan_pai, and not ding_niu"
    assert result(report, "matches")["verdict"] == "skipped"
    assert result(report, "matches")["happened"] == "the bot plays no game that is checked"


@pytest.mark.parametrize(
    ("bot", "verdict", "told"),
    [("true", "skipped", "the bot does not say hello"), (FIRST_BOT, "not applicable", "no turn was asked")],
)
def test_conduct_is_always_told_and_not_praised_where_nothing_was_answered(
    tmp_path: Path, bot: str, verdict: str, told: str
) -> None:
    """It stands in every report, also with `--only`; without an answer it is not `ok`."""
    done = Command(tmp_path).run("bot", "check", "--only", "hello", "--json", "--", bot)
    conduct = result(json.loads(done.stdout), "conduct")

    assert (conduct["verdict"], conduct["happened"]) == (verdict, told)
    assert done.returncode == (verdict == "skipped")
