"""Skips a test whose tool or package is missing, and fails it where that has to be there."""

import os
import shutil
from typing import NoReturn

import pytest


def require(*names: str) -> None:
    """Skips the test, by name, unless every command is on the PATH.

    `REFEREE_REQUIRE` lists commands and packages, parted by commas, that must be there: without one of
    those the test fails.
    """
    missing = [name for name in names if shutil.which(name) is None]
    if missing:
        cannot(f"needs {', '.join(missing)}", *missing)


def absent(package: str) -> NoReturn:
    """Skips a whole module of tests whose package cannot be imported, or fails it where that is asked for."""
    cannot(f"needs the package {package}", package)


def cannot(text: str, *names: str) -> NoReturn:
    """Skips the test for what these tools cannot do here, or fails it if one of them is asked for."""
    required = os.environ.get("REFEREE_REQUIRE", "").split(",")
    if any(name in required for name in names):
        pytest.fail(f"{text}, and REFEREE_REQUIRE asks for it", pytrace=False)
    pytest.skip(text, allow_module_level=True)
