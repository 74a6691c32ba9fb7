"""Stdout that is closed, full or left by its reader, and names that are not UTF-8, over all commands."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import pytest

from referee.cli.app import COMMANDS, run
from tests.patience import PATIENCE
from tests.store.logs import write
from tests.tournament.samples import result

GOLDEN = Path(__file__).parents[2] / "replays" / "golden" / "block_dominoes"
FOREIGN = os.fsdecode(b"n\xff\xc3\xa9me")
ESCAPED = "n\\udcff\xe9me"
CUP = """
[tournament]
name = "cup"
game = "block_dominoes"
[bots.easy]
[bots.normal]
[bots.expert]
[bots.spar]
house = "easy"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a data folder with a result, a log and a tournament, all of a name that is not UTF-8."""
    folder = tmp_path_factory.mktemp("streams") / FOREIGN
    folder.mkdir()
    write(folder, result(0, {"ann": 2, "bob": 1}))
    (folder / f"{FOREIGN}.jsonl").write_bytes((GOLDEN / "faults.jsonl").read_bytes())
    (folder / f"{FOREIGN}.toml").write_text(CUP, "utf-8")
    return folder


def words_of(line: str, place: Path) -> list[str]:
    """Returns the words of a command; LOG, CUP and DATA stand for what lies at the place."""
    known = {"LOG": place / f"{FOREIGN}.jsonl", "CUP": place / f"{FOREIGN}.toml", "DATA": place}
    return [str(known.get(word, word)) for word in line.split()]


def started(
    words: list[str], stdout: int | IO[Any], program: Sequence[str] = ("-m", "referee"), **how: Any
) -> subprocess.CompletedProcess[str]:
    """Runs a command with this stdout to its end."""
    return subprocess.run(
        [sys.executable, *program, *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
        timeout=PATIENCE,
        **how,
    )


ASKED = [
    "--help",
    "--version",
    "standings --data DATA",
    "standings --data DATA --json",
    "standings show --data DATA --crosstable",
    "store info --data DATA",
    "store info --data DATA --json",
    "bot list --data DATA --json",
    "bot check --list",
    "bot check --list --json",
    "bot new --list --json",
    "tournament plan CUP --data DATA",
    "tournament plan CUP --data DATA --json",
    "tournament list --data DATA --json",
    "replay show LOG",
    "replay show LOG --json",
    "replay show LOG --seat 0 --json",
    "replay explain LOG --seat 0",
    "replay explain LOG --seat 0 --json",
    "replay export LOG",
    "replay export LOG --format csv",
    "replay verify LOG",
    "replay drill LOG --seat 0 --data DATA --quiet --json -- easy",
    *(f"{name} --help" for name in COMMANDS),
]
EACH = """
import json, os, sys
from referee.cli import streams
from referee.cli.app import run

kept, before = os.dup(1), []
for words in json.load(sys.stdin):
    os.dup2(kept, 1)
    before.append(sys.stdout)  # one that is let go would try to write the rest of what it holds
    streams.own()
    print(run(words), file=sys.stderr, flush=True)
streams.give_up()
"""
"""Runs commands one after another as `referee` does, and says on stderr how each ended."""


def full() -> IO[Any]:
    """Returns what takes nothing."""
    return Path("/dev/full").open("w")


def left() -> IO[Any]:
    """Returns a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w")


@pytest.mark.parametrize(("opened", "status", "said"), [(full, 1, "No space left on device"), (left, 0, "")])
def test_what_stdout_cannot_take_is_one_line_and_head_is_none(
    opened: Callable[[], IO[Any]], status: int, said: str, place: Path
) -> None:
    """A full stdout makes the status 1 and is told in one line; who reads no more has had enough."""
    every = [words_of(line, place) for line in ASKED]
    with opened() as stdout:
        done = started([], stdout, program=["-c", EACH], input=json.dumps(every))
    told = [line for line in done.stderr.splitlines() if line]

    expected = [f"referee: stdout cannot be written: {said}"] if said else []
    assert told == [*expected, str(status)] * len(ASKED)


@pytest.mark.parametrize("line", ["--help", "replay show LOG", "replay export LOG", "standings --data DATA"])
def test_a_closed_stdout_is_one_line(line: str, place: Path) -> None:
    """Nothing else is opened under its number, and no log or database gets what was meant for it."""
    done = started(words_of(line, place), subprocess.PIPE, preexec_fn=lambda: os.close(1))

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "referee: stdout cannot be written: it is closed\n"


@pytest.mark.parametrize("line", ["standings --data DATA --json", "frob", "replay verify LOG"])
def test_a_closed_stderr_changes_nothing(line: str, place: Path) -> None:
    """What belongs there is lost, and does not come among what programs read."""
    words = words_of(line, place)
    plain = started(words, subprocess.PIPE)
    done = started(words, subprocess.PIPE, preexec_fn=lambda: os.close(2))

    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)


@pytest.mark.parametrize("line", ASKED)
def test_u6_a_name_that_is_not_utf8_is_escaped(
    line: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Text and JSON have a backslash for the byte, no reader of JSON meets half a character (U6)."""
    status = run(words_of(line, place))
    out, err = capsys.readouterr()

    assert (status, err) == (0, "")
    out.encode()
    if "--json" in line or line == "replay export LOG":
        assert out.isascii()
        told = json.loads(out)
        json.dumps(told, ensure_ascii=False).encode()
        if line in {"store info --data DATA --json", "replay export LOG"}:
            assert ESCAPED in (told.get("name") or told["matches"][0]["file"])


@pytest.mark.parametrize(
    "words",
    [
        ["watch", FOREIGN, "--address", "localhost:1"],
        ["watch", "--address", FOREIGN],
        ["compare", f"mine=python3 {FOREIGN}.py", "easy"],
        ["bot", "add", FOREIGN],
        ["standings", "--tournament", FOREIGN],
        ["tournament", "status", FOREIGN],
        ["replay", "fetch", FOREIGN, "--address", "localhost:1"],
        [FOREIGN],
    ],
    ids=lambda words: words[0].replace(FOREIGN, "unknown"),
)
def test_u6_a_word_that_is_not_utf8_and_no_file_is_refused(words: list[str], tmp_path: Path) -> None:
    """It can be neither kept nor sent: one line names it (U6)."""
    done = started(words, subprocess.PIPE, cwd=tmp_path)

    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "\\udcff" in done.stderr
    assert done.stderr.count("\n") == 1
