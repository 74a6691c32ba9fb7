"""What all tests share."""

import pytest
from hypothesis import settings

from tests.e2e.languages import FIGURE, built

__all__ = ["built"]

# No example may fail by how busy the machine is.
settings.register_profile("referee", deadline=None)
settings.load_profile("referee")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keeps together, where several processes test, what shares a file, or the bots that are built once."""
    for item in items:
        needs = item.fixturenames if isinstance(item, pytest.Function) else ()
        item.add_marker(pytest.mark.xdist_group("built" if "built" in needs else str(item.path)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Shows what the bots of all languages did."""
    for report in terminalreporter.getreports("passed"):
        for name, line in report.user_properties:
            if name == FIGURE:
                terminalreporter.write_line(str(line))
