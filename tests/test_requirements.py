"""What happens to a test whose tool is missing."""

import re
import sys
from pathlib import Path

import pytest

from referee.bot_project.languages import languages
from tests.requirements import absent, require

ROOT = Path(__file__).resolve().parent.parent
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


def test_a_missing_package_skips_the_module_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of tests that cannot import a package is skipped, unless the package has to be there."""
    monkeypatch.setenv("REFEREE_REQUIRE", "go,node")
    with pytest.raises(pytest.skip.Exception, match=TOOL) as caught:
        absent(TOOL)
    assert caught.value.allow_module_level

    monkeypatch.setenv("REFEREE_REQUIRE", f"go,{TOOL}")
    with pytest.raises(pytest.fail.Exception, match=f"needs the package {TOOL}"):
        absent(TOOL)


def test_ci_requires_every_tool_that_a_test_can_use() -> None:
    """No test is skipped in CI: each tool that a test or a sample bot needs is asked for, and no other."""
    named = {need for language in languages() for need in language.needs}
    for path in (ROOT / "tests").rglob("*.py"):
        calls = re.findall(r"^ +(?:require|absent)\((.*)\)$", path.read_text("utf-8"), re.MULTILINE)
        for words in calls:
            named |= set(re.findall(r'"([a-z0-9-]+)"', words))
    asked = re.search(r"^export REFEREE_REQUIRE=(\S+)$", (ROOT / ".ci/run").read_text("utf-8"), re.MULTILINE)

    assert asked
    assert set(asked[1].split(",")) == named
