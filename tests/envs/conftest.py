"""Skips every module of this folder, by name, where PettingZoo is not installed."""

from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

from tests.requirements import absent


class Lacking(pytest.Module):
    """A module of tests that cannot be imported."""

    def collect(self) -> NoReturn:
        """Skips the module, or fails it where PettingZoo has to be there."""
        absent("pettingzoo")


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Puts what is skipped in the place of a module that needs PettingZoo."""
    return None if find_spec("pettingzoo") else Lacking.from_parent(parent, path=module_path)
