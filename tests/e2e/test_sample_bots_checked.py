"""What `referee bot check` says of the sample bots."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from referee.bot_project.languages import Language, languages
from referee.games import names
from tests.e2e.commands import Command
from tests.e2e.languages import BUILD_LIMIT, Bots

CHECK_LIMIT = 280.0
"""Seconds for a check, which is a matter of ten on a quiet machine."""

pytestmark = pytest.mark.timeout(BUILD_LIMIT + 300)


def failed(report: Mapping[str, Any]) -> list[str]:
    """Returns what is not as it should be."""
    rows = report["scenarios"]
    return [
        f"{row['name']}: {row['happened']}" for row in rows if row["verdict"] not in {"ok", "not applicable"}
    ]


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_every_sample_bot_passes(language: Language, built: Bots, tmp_path: Path) -> None:
    """In all games, and in every scenario that there is for it."""
    bot = built.command(language.name)

    words = ("bot", "check", "--quick", "--idle", "1s", "--json", "--", *bot)
    with Command(tmp_path).start(*words) as done:
        stdout, _ = done.communicate(timeout=CHECK_LIMIT)

    report = json.loads(stdout)
    assert (done.returncode, failed(report)) == (0, []), stdout
    assert set(report["games"]) == set(names())
