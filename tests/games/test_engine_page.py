"""What the page on the engine says of the code."""

import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from referee.games import base

PAGE = Path(__file__).resolve().parents[2] / "docs" / "engine.md"
PYTHON = re.compile(r"^```python$(.*?)^```$", re.MULTILINE | re.DOTALL)
CALLS = re.compile(r"`(\w+)(?:\([\w, ]*\))?`")


def test_the_code_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The loop plays, here fewer matches, and what follows goes on from its last state."""
    blocks = PYTHON.findall(PAGE.read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block.replace("range(1000)", "range(5)"), names)  # noqa: S102  it is ours
    totals, table = capsys.readouterr().out.splitlines()

    assert len(blocks) == 3
    assert names["state"].to_act() == base.TERMINAL
    assert totals == str(names["state"].totals())
    assert table == f"{names['public'].line} {names['public'].counts} {names['private'].hand}"


def test_the_page_tells_all_that_a_state_offers() -> None:
    """The table of calls has each method and field of a state, and nothing else."""
    table = PAGE.read_text(encoding="utf-8").split("## A state")[1].split("## Copies")[0]
    told = {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in CALLS.findall(row)}
    offered = {name for name in vars(base.State) if not name.startswith("_")}

    assert told == offered | set(get_type_hints(base.State))


def test_the_page_tells_each_part_of_a_game() -> None:
    """The table of parts has each field of a game."""
    table = PAGE.read_text(encoding="utf-8").split("## A game")[1].split("## A state")[0]

    assert set(re.findall(r"^\| `game\.(\w+)", table, re.MULTILINE)) == set(get_type_hints(base.Game))
