"""What all tests share."""

import re
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.e2e.languages import FIGURE, built

__all__ = ["built"]

ROOT = Path(__file__).parents[1]
BUILT = {
    file.relative_to(ROOT).as_posix()
    for file in (ROOT / "tests" / "e2e").glob("test_*.py")
    if re.search(r"\bbuilt\b|e2e\.launcher\b", file.read_text(encoding="utf-8"))
}
"""The files of tests with bots of all languages."""

# No example may fail by how busy the machine is.
settings.register_profile("referee", deadline=None)
settings.load_profile("referee")


class Together(LoadScopeScheduling):
    """Keeps together, where several processes test, what shares a file, or the bots that are built once."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "built" if file in BUILT else file


@pytest.hookimpl
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Together:
    """Says which process gets which tests."""
    return Together(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Shows what the bots of all languages did."""
    for report in terminalreporter.getreports("passed"):
        for name, line in report.user_properties:
            if name == FIGURE:
                terminalreporter.write_line(str(line))
