"""What all tests share."""

import pytest
from hypothesis import settings

from tests.e2e.languages import FIGURES, built

__all__ = ["built"]

# No example may fail by how busy the machine is.
settings.register_profile("referee", deadline=None)
settings.load_profile("referee")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Shows what the bots of all languages did."""
    for line in config.stash.get(FIGURES, []):
        terminalreporter.write_line(line)
