"""What all tests share."""

import pytest
from hypothesis import HealthCheck, settings

from tests.e2e.languages import FIGURE, built
from tests.hung import pytest_configure, pytest_timeout_cancel_timer, pytest_timeout_set_timer
from tests.together import pytest_xdist_make_scheduler

__all__ = [
    "built",
    "pytest_configure",
    "pytest_timeout_cancel_timer",
    "pytest_timeout_set_timer",
    "pytest_xdist_make_scheduler",
]

# No example may fail by how busy the machine is.
settings.register_profile("referee", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("referee")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Shows what the bots of all languages did."""
    for report in terminalreporter.getreports("passed"):
        for name, line in report.user_properties:
            if name == FIGURE:
                terminalreporter.write_line(str(line))
