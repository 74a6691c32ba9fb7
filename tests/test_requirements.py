"""What happens to a test whose tool is missing."""

import sys

import pytest

from tests.requirements import require

TOOL = "no-such-tool-anywhere"


def test_a_tool_that_is_there_is_no_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that needs what is there runs, asked for or not."""
    monkeypatch.setenv("REFEREE_REQUIRE", sys.executable)

    require(sys.executable)


def test_a_missing_tool_skips_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test is skipped, and says what it needs, unless the tool has to be there."""
    monkeypatch.setenv("REFEREE_REQUIRE", "go,node")

    with pytest.raises(pytest.skip.Exception, match=TOOL):
        require(sys.executable, TOOL)


def test_a_missing_tool_fails_where_it_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the tool in REFEREE_REQUIRE a skip is a failure."""
    monkeypatch.setenv("REFEREE_REQUIRE", f"go,{TOOL}")

    with pytest.raises(pytest.fail.Exception, match=f"needs {TOOL}"):
        require(TOOL)
