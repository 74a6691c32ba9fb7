"""What a check expects stands in the guide, and what it does in the page about it."""

import re
from pathlib import Path

import pytest

from referee.check.conduct import EXTRA
from referee.check.scenario import GUIDE
from referee.check.scenarios import ALL

ROOT = Path(__file__).parents[2]
GUIDES = {
    **{scenario.name: scenario.guide for scenario in ALL},
    **{n: guide for n, (_, guide) in EXTRA.items()},
}


def sections() -> dict[str, str]:
    """Returns the sections of the guide by anchor."""
    parts = re.split(r"^#+ (.+)$", (ROOT / GUIDE).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {
        title.lower().replace(" ", "-"): text for title, text in zip(parts[::2], parts[1::2], strict=True)
    }


@pytest.mark.parametrize("name", GUIDES)
def test_every_scenario_points_to_a_section_of_the_guide(name: str) -> None:
    """An author finds there what was expected."""
    path, anchor = GUIDES[name].split("#")

    assert path == GUIDE
    assert anchor in sections()


@pytest.mark.parametrize(
    ("anchor", "words"),
    [
        ("turns", ("answer a turn once", "late")),
        ("limits", ("client's limit", "keepalive", "keep it open")),
        ("coming-back", ("taken_over", "instance_id", "30 s", "longer after each failed attempt")),
        ("leaving", ("sigterm", "`leave`", "status 0")),
        ("compatibility", ("skip frames", "ignore fields")),
    ],
)
def test_what_is_checked_is_a_rule_of_the_guide(anchor: str, words: tuple[str, ...]) -> None:
    """No scenario asks for what the guide does not say."""
    section = sections()[anchor].lower()

    assert [word for word in words if word not in section] == []


def test_the_page_about_the_check_has_every_scenario_in_order() -> None:
    """Its table names them as the report does, each with the section of the guide."""
    rows = re.findall(
        r"^\| `(\w+)` \|.*\(\.\./([^)]+)\) \|$", (ROOT / "docs/check.md").read_text("utf-8"), re.MULTILINE
    )

    assert rows == list(GUIDES.items())
