"""What tests of the command line share."""

from pathlib import Path

import pytest

from tests.e2e.cups import Cup
from tests.e2e.launcher import launch

__all__ = ["cup", "launch"]


@pytest.fixture
def cup(tmp_path: Path) -> Cup:
    """Returns the command in a folder of its own."""
    return Cup(tmp_path)
