"""The page about crashes: every row names tests, and they exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = re.compile(r"^def (test_\w+)", re.MULTILINE)


def test_every_row_of_the_matrix_names_tests_that_exist() -> None:
    """What the page promises is what the tests of that name demand."""
    known = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in TESTS.findall(path.read_text("utf-8"))
    }
    text = (ROOT / "docs/crashes.md").read_text("utf-8")
    sections = text.partition("## Killed")[2]
    rows = [line for line in sections.splitlines() if line.startswith("| ") and "| tests |" not in line]
    named = [set(re.findall(r"`(test_\w+)`", row)) for row in rows]

    assert len(rows) > 25
    assert all(named), [row for row, names in zip(rows, named, strict=True) if not names]
    assert set[str]().union(*named) - known == set()
