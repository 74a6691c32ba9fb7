"""The tests that PettingZoo brings for environments, unchanged, at every kind of table."""

import re
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pettingzoo import AECEnv

from referee.envs import env
from tests.envs.tables import TABLES, api_test, arena, render_test, seed_test
from tests.games.helpers import Sitting

PAGE = Path(__file__).resolve().parents[2] / "docs" / "environments.md"
PYTHON = re.compile(r"^```python$(.*?)^```$", re.MULTILINE | re.DOTALL)
CYCLES = 30
EXPECTED = (
    "Observation is not a NumPy array",  # it is a dictionary, as in every game with masks
    "Observation space for each agent probably should be",  # the same
    "Action mask numpy array is all zeros",  # for an agent that is not to act any more
)

every_table = pytest.mark.parametrize("sitting", TABLES, ids=str)


def wrapped(sitting: Sitting, render_mode: str | None = None) -> AECEnv[str, object, object]:
    """Returns the environment of a table as a learner makes it."""
    return env(sitting.game.info.name, sitting.seats, sitting.options, render_mode)


@every_table
@pytest.mark.parametrize("make", [wrapped, arena], ids=["wrapped", "raw"])
def test_the_api_test_passes(
    sitting: Sitting, make: Callable[[Sitting], AECEnv[str, object, object]]
) -> None:
    """PettingZoo finds nothing wrong, and warns of nothing but dictionaries and last observations."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(make(sitting), num_cycles=CYCLES)

    # Of what other tests left open Python may speak at any moment.
    told = {str(warning.message) for warning in caught if warning.category is not ResourceWarning}
    assert {line for line in told if not line.startswith(EXPECTED)} == set()


@every_table
def test_the_api_test_passes_to_the_end_of_a_match(sitting: Sitting) -> None:
    """PettingZoo finds nothing wrong either when a match ends and its agents leave."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(arena(sitting, deals=1), num_cycles=1_000)


@every_table
def test_the_seed_test_passes(sitting: Sitting) -> None:
    """Two environments with the same seed go the same way."""
    seed_test(lambda: wrapped(sitting), num_cycles=CYCLES)


@every_table
def test_the_render_test_passes(sitting: Sitting, capsys: pytest.CaptureFixture[str]) -> None:
    """Both modes show the table: `human` on the standard output, `ansi` as text."""
    render_test(partial(wrapped, sitting))

    assert "seat 0" in capsys.readouterr().out


def test_the_code_of_the_page_runs() -> None:
    """The program of the page plays a match to its end, until no agent is left."""
    names: dict[str, Any] = {}
    exec(PYTHON.findall(PAGE.read_text(encoding="utf-8"))[0], names)  # noqa: S102  it is ours

    assert names["table"].agents == []
