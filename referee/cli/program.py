"""The referee as the shell knows it, so that the commands that are printed run as they stand."""

import os
import shlex
import shutil
import sys
from pathlib import Path

NAME = "referee"


def command(*words: str, data: Path | None = None) -> str:
    """Returns a command line of this referee, quoted for a shell; `data` is named unless it is here."""
    root = [] if data is None or data == Path() else ["--data", str(data)]
    return shlex.join([*_program(), *words, *root])


def _program() -> list[str]:
    """Returns `referee` where the PATH leads to this one, and otherwise how it was called."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py" and called.parent.name == NAME:
        return [sys.orig_argv[0], "-m", NAME]
    found = shutil.which(NAME)
    if called.name != NAME or (found and os.path.realpath(found) == os.path.realpath(called)):
        return [NAME]
    return [sys.argv[0]]
