"""The text adapter of the sample bots, at a referee that says what the test tells it to."""

import os
import shlex
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from referee.v1 import fault_pb2
from referee.v1 import play_service_pb2 as play
from tests.bot.scripted_referee import (
    Requests,
    ScriptedReferee,
    ended,
    goodbye,
    heard,
    say,
    started,
    turn,
    welcome,
)
from tests.patience import PATIENCE

FIRST = "played the first action, play 1-1 right"
ADAPTER = Path(__file__).resolve().parents[2] / "sample_bots" / "text" / "adapter.py"


def script(folder: Path, name: str, code: str) -> str:
    """Writes a program that can be run, and returns how it is named from its folder."""
    path = folder / name
    path.write_text(code, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return f"./{name}"


class Asked:
    """An adapter at a referee that asks two turns: its answers, and what it said.

    `clocks` are the seconds that turns have, where that is not as long as anybody needs.
    """

    def __init__(
        self,
        folder: Path,
        code: str,
        *options: str,
        turns: int = 2,
        refuse: bool = False,
        clocks: tuple[int, ...] = (),
    ) -> None:
        self.chosen: list[int] = []
        self.longest = 0.0
        self._turns, self._refuse, self._clocks = turns, refuse, clocks
        mine = script(folder, "mine.sh", code)
        with ScriptedReferee(self._play) as referee:
            told = {"REFEREE_ADDRESS": referee.address, "REFEREE_TOKEN": "secret"}
            done = subprocess.run(
                [sys.executable, str(ADAPTER), *options, "--", mine],
                cwd=folder,
                env={**os.environ, **told},
                stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        assert done.returncode == 0, done.stderr
        self.said = done.stderr.splitlines()

    def _play(self, requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), started("m"))
        heard(requests, "ready")
        for number in range(1, self._turns + 1):
            asked = time.monotonic()
            question = turn("m", number, 0x11, 0x12, 0x13)
            seconds = self._clocks[number - 1] if number <= len(self._clocks) else int(PATIENCE)
            question.turn.clock.remaining_duration.FromSeconds(seconds)
            yield say(question)
            self.chosen += [act.index for act in heard(requests, "act")]
            self.longest = max(self.longest, time.monotonic() - asked)
            if self._refuse:
                refusal = play.Rejected(match_id="m", turn_id=number, answered_turn_id=number)
                refusal.fault, refusal.reason = fault_pb2.FAULT_KIND_ILLEGAL, "not like that"
                refusal.remaining_duration.FromSeconds(int(PATIENCE))
                yield say(play.PlayResponseFrame(rejected=refusal))
                self.chosen += [act.index for act in heard(requests, "act")]
        yield say(ended("m"), goodbye())


QUESTION = """\
question() {
    while IFS= read -r line; do
        echo "$line" >> seen
        [ "$line" = '?' ] && return
    done
}
"""
"""A function of a script that reads a question."""


def answers(*lines: str) -> str:
    """Returns a script that is ready, keeps what it reads in `seen`, and prints these lines in turn."""
    prints = "\n".join(f"question; printf -- {shlex.quote(line)}" for line in lines)
    return f"#!/bin/sh\n{QUESTION}\nquestion; echo ready\n{prints}\ncat >> seen\n"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("4", "there is no action 4; the numbers are 1 to 3"),
        ("0", "there is no action 0; the numbers are 1 to 3"),
        ("-1", "'-1' is neither the number nor the text of an action"),
        ("play 1-4 right", "'play 1-4 right' is no action of the list: none goes on with '4' at character 8"),
        ("play 1-2", "'play 1-2' ends too early; 'play 1-2 right' would be an action"),
        ("2. play 1-3 right", "action 2 is 'play 1-2 right', and not 'play 1-3 right'"),
    ],
)
def test_m12_a_wrong_answer_is_explained_and_asked_again(tmp_path: Path, line: str, why: str) -> None:
    """The command reads what was wrong and the same question; so does who reads the log of the adapter."""
    asked = Asked(tmp_path, answers(f"{line}\n", "2\n", "play 3-1 right\n"))

    assert asked.chosen == [1, 2]
    assert asked.said == [f"bot: match m, turn 1: {why}; asking again"]
    seen = (tmp_path / "seen").read_text(encoding="utf-8").split("?\n")
    assert seen[2].splitlines()[0] == f"wrong: {why}"
    assert "3. play 1-3 right\n" in seen[2]
    assert [text.count("turn 1,") for text in seen[:4]] == [0, 1, 1, 0]


def test_after_so_many_wrong_answers_the_first_action_is_played(tmp_path: Path) -> None:
    """A turn is given up after as many wrong answers as were allowed, the next one is asked as ever."""
    asked = Asked(tmp_path, answers("x\n", "y\n", "3\n"), "--tries", "2")

    assert asked.chosen == [0, 2]
    assert asked.said == [
        "bot: match m, turn 1: 'x' is neither the number nor the text of an action; asking again",
        f"bot: match m, turn 1: 'y' is neither the number nor the text of an action; {FIRST}",
    ]


def test_a_refused_answer_is_asked_again_with_the_reason(tmp_path: Path) -> None:
    """What the referee refuses is put to the command once more, with what the referee said of it."""
    asked = Asked(tmp_path, answers("2\n", "3\n"), turns=1, refuse=True)

    assert asked.chosen == [1, 2]
    seen = (tmp_path / "seen").read_text(encoding="utf-8").split("?\n")
    assert seen[2].splitlines()[0] == "wrong: the referee refused your answer: not like that"


def test_a_command_that_ends_is_started_anew_and_asked_again(tmp_path: Path) -> None:
    """A crash in a turn, and an end between turns, are told in a line each and cost no turn."""
    code = "#!/bin/sh\n[ -e again ] && { while read -r line; do [ \"$line\" = '?' ] && echo 2; done; }\n"
    crash = answers("").removeprefix("#!/bin/sh\n").replace("cat >> seen", "touch again; exit 3")
    asked = Asked(tmp_path, code + crash)

    assert asked.chosen == [1, 1]
    assert asked.said == ["bot: match m, turn 1: the command ended with status 3; asking again"]


def test_a_command_that_ends_after_each_answer_is_started_anew(tmp_path: Path) -> None:
    """A command made for one question plays all the same, by a new process each time."""
    asked = Asked(tmp_path, "#!/bin/sh\nsed -n '/^?/{s/.*/1/p;q}'\n")

    assert asked.chosen == [0, 0]
    assert asked.said
    assert all("the command ended with status 0" in line for line in asked.said)


HANG_ONCE = """#!/bin/sh
[ -e started ] && answer=2
touch started
while read -r line; do
    [ "$line" = '?' ] || continue
    [ "$asked$answer" = yes ] && sleep 600
    asked=yes
    echo "${answer:-1}"
done
"""
HANG_IN_TURN_1 = """#!/bin/sh
[ -e started ] || { touch started; sleep 600; }
echo 2
"""


@pytest.mark.parametrize(
    ("code", "options"),
    [(HANG_ONCE, ()), (HANG_IN_TURN_1, ("--each-turn",))],
    ids=["one process", "each turn"],
)
def test_a_command_that_hangs_is_answered_for_before_the_deadline(
    tmp_path: Path, code: str, options: tuple[str, ...]
) -> None:
    """The first action is played for a command that does not answer, which is ended; the next turn is its."""
    asked = Asked(tmp_path, code, *options, "--margin", "4", clocks=(8,))

    assert asked.chosen == [0, 1]
    why = f"the command did not answer in time; {FIRST}"
    assert asked.said == [f"bot: match m, turn 1: {why}"]
    assert asked.longest < 8, "the deadline of the turn"
    assert here(tmp_path) == []


def here(folder: Path) -> list[str]:
    """Returns the processes that were started in a folder and still run."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if process.status() != psutil.STATUS_ZOMBIE and process.cwd() == str(folder):
                found.append(process.name())
    return found


def test_a_command_that_prints_without_end_costs_no_match(tmp_path: Path) -> None:
    """Lines that nobody asked for are dropped, and a line without an end is an answer that cannot be read."""
    flood = answers("").removeprefix("#!/bin/sh\n").replace("cat >> seen", "tr '\\0' x < /dev/zero")
    asked = Asked(tmp_path, f"#!/bin/sh\n{flood}", "--tries", "1", turns=1)

    assert asked.chosen == [0]
    why = "the command printed 65536 bytes without an end of line"
    assert asked.said == [f"bot: match m, turn 1: {why}; {FIRST}"]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("echo 1; exit 3", "the command ended with status 3"),
        ("cat > /dev/null", "the command ended and printed nothing"),
        ("kill -9 $$", "the command was ended by SIGKILL"),
        ("echo nonsense", "'nonsense' is neither the number nor the text of an action"),
    ],
)
def test_each_turn_tells_what_its_command_did_wrong(tmp_path: Path, code: str, why: str) -> None:
    """With a fresh process for each turn what went wrong is told, and the first action is played."""
    asked = Asked(tmp_path, f"#!/bin/sh\n{code}\n", "--each-turn", "--tries", "1", turns=1)

    assert asked.chosen == [0]
    assert asked.said == [f"bot: match m, turn 1: {why}; {FIRST}"]


def test_each_turn_reads_the_last_line(tmp_path: Path) -> None:
    """What a command prints before its last line that is not empty is not read."""
    asked = Asked(tmp_path, "#!/bin/sh\ncat; printf '1\\n2\\n3\\n\\n'\n", "--each-turn")

    assert asked.chosen == [2, 2]
    assert asked.said == []


def adapter(folder: Path, *words: str) -> tuple[int, list[str]]:
    """Runs an adapter that cannot play; returns its status and the lines that it said."""
    done = subprocess.run(
        [sys.executable, str(ADAPTER), "--server", "127.0.0.1:1", "--token", "secret", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stderr.splitlines()


def test_what_cannot_be_started_is_told_in_a_line(tmp_path: Path) -> None:
    """A missing command, one that may not be run, one that ends at once: one line, and a status."""
    (tmp_path / "plain.sh").write_text("echo 1\n", encoding="utf-8")
    script(tmp_path, "short.sh", "#!/bin/sh\nexit 7\n")
    script(tmp_path, "odd.sh", "#!/bin/sh\nwhile read -r line; do [ \"$line\" = '?' ] && echo hi; done\n")

    status, said = adapter(tmp_path)
    assert (status, said) == (2, ["bot: name the command after --, as in: adapter.py -- ./mybot.sh"])
    for name in ("./nonesuch", str(tmp_path / "nonesuch"), ""):
        status, (line,) = adapter(tmp_path, "--", name)
        assert status == 2
        assert line.startswith(f"bot: {name} is no command that can be run")
    status, said = adapter(tmp_path, "--", str(tmp_path / "short.sh"))
    assert (status, said) == (1, [f"bot: {tmp_path}/short.sh ended with status 7; nothing was played"])
    status, (line,) = adapter(tmp_path, "--", "./plain.sh")
    assert status == 2
    assert line.endswith("try chmod +x ./plain.sh")
    status, said = adapter(tmp_path, "--", "./short.sh")
    assert (status, said) == (1, ["bot: ./short.sh ended with status 7; nothing was played"])
    status, (line,) = adapter(tmp_path, "--", "./odd.sh")
    assert status == 1
    assert "gave no answer to `1. ready`: 'hi' is neither" in line
    status, said = adapter(tmp_path, "--eachturn", "--", "./short.sh")
    assert status == 2
    assert said[-1].endswith("unrecognized arguments: --eachturn")


def test_the_command_never_sees_the_token(tmp_path: Path) -> None:
    """The token is the adapter's alone."""
    code = answers("1\n").replace("#!/bin/sh\n", "#!/bin/sh\nenv > environment\n")
    Asked(tmp_path, code, turns=1)

    assert "secret" not in (tmp_path / "environment").read_text(encoding="utf-8")
