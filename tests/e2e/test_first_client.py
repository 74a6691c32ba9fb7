"""The client that is written step by step in a page: it passes the check that each step ends with."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e.commands import Command

PAGE = Path(__file__).parents[2] / "docs" / "first-client.md"
MAIN = 'if __name__ == "__main__":'
QUICK = ("--quick", "--idle", "1s")
ONE = ("--game", "block_dominoes")
"""Enough for a step on the way."""


class Step(NamedTuple):
    """A step of the page: what it is called, the program up to it, and its checks."""

    title: str
    program: str
    checks: tuple[str, ...]


def steps() -> list[Step]:
    """Returns the steps; what a program ends with stays at its end, and the last one of those counts."""
    found, program, last = list[Step](), "", ""
    for section in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        for block in re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
            body, main, rest = block.partition(MAIN)
            program += body + "\n"
            last = main + rest or last
        checks = re.findall(r"^referee (bot check .*)-- COMMAND$", section, re.MULTILINE)
        found.append(Step(section.partition("\n")[0], program + last, tuple(checks)))
    return found


def test_there_are_ten_steps_and_the_last_one_checks_everything() -> None:
    """The page goes from nothing to a check without any choice of scenarios."""
    assert [step.title.split(".")[0] for step in steps()] == [str(number) for number in range(1, 11)]
    assert steps()[-1].checks == ("bot check ",)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, "Future[list[str]]"]]:
    """Returns what the checks of each step print where they fail; several steps are checked at once."""
    with ThreadPoolExecutor(3) as pool:
        yield {step.title: pool.submit(check, step, tmp_path_factory.mktemp("step")) for step in steps()}


def check(step: Step, folder: Path) -> list[str]:
    """Writes the program of a step and checks it; returns what is printed of each check that fails."""
    bot = folder / "mybot.py"
    bot.write_text(step.program, encoding="utf-8")
    failed = []
    for words in map(shlex.split, step.checks):
        done = Command(folder).run(*words, *QUICK, *(ONE if "--only" in words else ()), "--", str(bot))
        if done.returncode:
            failed.append(done.stdout + done.stderr)
    return failed


@pytest.mark.parametrize("step", [step for step in steps() if step.checks], ids=lambda step: step.title)
def test_each_step_passes_its_checks(step: Step, checked: dict[str, "Future[list[str]]"]) -> None:
    """The code so far does what its step is about, as the check sees it."""
    assert checked[step.title].result() == []


def test_without_an_address_it_ends_with_a_line(tmp_path: Path) -> None:
    """Who starts the program by hand reads what it lacks, and no traceback."""
    bot = tmp_path / "mybot.py"
    bot.write_text(steps()[-1].program, encoding="utf-8")
    bare = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
    done = subprocess.run([sys.executable, bot], env=bare, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr == "set REFEREE_ADDRESS and REFEREE_TOKEN, or have referee match start this bot\n"
