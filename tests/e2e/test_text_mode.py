"""Text mode: commands that read plain text and print a line play whole matches, at the real referee."""

import re
import stat
import sys
from pathlib import Path

import pytest

from referee.games import REGISTRY, names
from referee.games.base import Game
from tests.e2e.commands import Command, short

ADAPTER = Path(__file__).resolve().parents[2] / "sample_bots" / "text" / "adapter.py"
MATCH = "0199a3c4-61f2-7c35-8d0e-2f6b5a914e07"
"""Stands for the id of a match, which is another one each time."""


@pytest.fixture
def referee(tmp_path: Path) -> Command:
    """Returns the command in an empty folder."""
    return Command(tmp_path)


def script(folder: Path, name: str, code: str) -> str:
    """Writes a program that can be run, and returns how it is named from its folder."""
    path = folder / name
    path.write_text(code, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return f"./{name}"


def faults(referee: Command, *words: str, **adapters: str) -> dict[str, object]:
    """Plays a match in which adapters sit; returns what went wrong, and what each of them said."""
    bots = [f"{name}={ADAPTER} {rest}" for name, rest in adapters.items()]
    done, told = referee.json("match", *words, *bots)
    assert told["termination"] == "completed", done.stderr
    said = {
        name: path.read_text(encoding="utf-8").splitlines()
        for name in adapters
        for path in referee.folder.glob(f"output/*/*-{name}.txt")
    }
    assert set(said) == set(adapters)
    wrong: dict[str, object] = {place["bot"]: place["faults"] for place in told["placements"]}
    return {name: found for name, found in {**wrong, **said, "": told["reports"]}.items() if found}


MODEL = """#!/bin/sh
# Replies as a chat model does: at length, with marks, and with the choice somewhere at the end.
last=$(sed -n 's/^\\([0-9]*\\)[.] .*/\\1/p' | tail -n 1)
echo 'Let me think about it. The answer: it depends on what the others hold.'
printf '**Answer:** `%s`.\\r\\n\\n' "$last"
"""
SLOPPY = """#!{python}
import sys
kinds = ["{{}}\\r\\n", "  {{}} \\t\\n", "\\ufeff{{}}\\n", "\\n\\n{{}}\\n"]
sys.stdout.reconfigure(encoding="utf-8", newline="")
first, number = "", 0
for line in sys.stdin:
    if line.startswith("1. "):
        first = line[3:].strip()
    if line == "?\\n":
        number += 1
        answer = first.upper() if number % 2 else first.replace(" ", "   ")
        sys.stdout.write(kinds[number % 4].format(answer))
        sys.stdout.flush()
"""


@pytest.mark.parametrize("game", REGISTRY, ids=names())
def test_m12_commands_play_whole_matches_without_a_fault(referee: Command, game: Game) -> None:
    """A shell script, a chat tool, and one that writes sloppily play every game to its last action.

    Nobody has anything to complain of: neither the referee, nor the adapters in their output. The
    sloppy one prints carriage returns, spaces, upper case, byte order marks and empty lines.
    """
    sloppy = script(referee.folder, "sloppy.py", SLOPPY.format(python=sys.executable))
    script(referee.folder, "model.sh", MODEL)
    (referee.folder / "rules.md").write_text("Rules of the game.\n", encoding="utf-8")
    fillers = ["easy"] * (game.info.min_seats - 3)
    bots = {"shell": "-- shed.sh", "sloppy": f"-- {sloppy}"}
    bots["chat"] = "--each-turn -- chat.sh -r rules.md ./model.sh"

    assert faults(referee, "--game", game.info.name, *short(game), *fillers, **bots) == {}


SHORTEST = """\
#!/bin/sh
while read -r line; do
    [ "$line" = '?' ] && echo 1
done
"""


def test_u12_a_slow_start_of_the_command_is_charged_to_no_turn(referee: Command) -> None:
    """A command that needs 4 s before it reads anything is never late with 2 s a turn.

    It is the shortest one that plays, as the page has it.
    """
    assert SHORTEST in ADAPTER.with_name("README.md").read_text(encoding="utf-8")
    slow = script(referee.folder, "slow.sh", SHORTEST.replace("while", "sleep 4\nwhile"))
    words = ("--game", "mexican_train", "--option", "deals=1", "--time", "2s+0,bank=0", "easy")

    assert faults(referee, *words, slow=f"-- {slow}") == {}


RECORDER = """#!{python}
import sys
answers = ["ready", "play 6-9 left", "1", "PLAY 2-2 LEFT"]
transcript = open("transcript", "w", encoding="utf-8")
for line in sys.stdin:
    print(line, end="", file=transcript, flush=True)
    if line == "?\\n":
        answer = answers.pop(0) if answers else "1"
        print(">", answer, file=transcript, flush=True)
        print(answer, flush=True)
"""
SHOWN = 4
"""The questions of the exchange that the page shows from the first on; of the rest it shows the end."""


def test_the_page_shows_what_a_command_really_reads_and_prints(referee: Command) -> None:
    """The exchange in the README is that of a match, but for the id of the match and the time."""
    recorder = script(referee.folder, "recorder.py", RECORDER.format(python=sys.executable))
    words = ("--game", "block_dominoes", "--seed", "7", "--option", "target=20", "easy", "normal", "expert")
    referee.json("match", *words, f"mine={ADAPTER} -- {recorder}")
    lines = (referee.folder / "transcript").read_text(encoding="utf-8").splitlines()
    ends = [number for number, line in enumerate(lines) if line.startswith("> ")]
    exchange = "\n".join([*lines[: ends[SHOWN - 1] + 1], "...", lines[-1]])
    exchange = re.sub(r"match [0-9a-f-]{36}", f"match {MATCH}", exchange)
    exchange = re.sub(r"time: \d+[.]\d s to", "time: 64.5 s to", exchange)

    page = ADAPTER.with_name("README.md").read_text(encoding="utf-8")
    assert f"```text\n{exchange}\n```\n" in page, f"the exchange is now\n{exchange}"
