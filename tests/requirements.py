"""Skips a test whose tool is missing, and fails it where the tool has to be there."""

import os
import shutil

import pytest


def require(*names: str) -> None:
    """Skips the test, by name, unless every command is on the PATH.

    `REFEREE_REQUIRE` lists commands, parted by commas, that must be there: without one of those the
    test fails.
    """
    missing = [name for name in names if shutil.which(name) is None]
    if not missing:
        return
    text = f"needs {', '.join(missing)}"
    required = os.environ.get("REFEREE_REQUIRE", "").split(",")
    if any(name in required for name in missing):
        pytest.fail(f"{text}, and REFEREE_REQUIRE asks for it", pytrace=False)
    pytest.skip(text)
