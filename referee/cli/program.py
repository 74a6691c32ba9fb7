"""The referee as the shell knows it, so that the commands that are printed run as they stand."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

NAME = "referee"


def command(*words: str, data: Path | None = None, store: str | None = None, elsewhere: bool = False) -> str:
    """Returns a command line of this referee, quoted for a shell; `data` is named unless it is here.

    So is `store`, without its password, unless it is in the environment of the shell. With
    `elsewhere` it runs from another working folder, too.
    """
    root = [] if data is None or data == Path() else ["--data", str(data)]
    if store and store != os.environ.get("REFEREE_STORE"):
        root += ["--store", without_password(store)]
    program, *module = _program()
    if elsewhere and os.sep in program:
        program = os.path.abspath(program)  # noqa: PTH100  a link of an environment is to stay one
    return joined([program, *module, *words, *root])


def joined(words: Iterable[str]) -> str:
    """Returns words as a shell reads them: bash, zsh and ksh also those that cannot be shown as they are."""
    return " ".join(map(_quoted, words))


def without_password(url: str) -> str:
    """Returns the URL of a database with stars for the password, if it holds one."""
    return re.sub(r"(?<=://)([^:/@]*):.*@", r"\1:***@", url)


def _quoted(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    plain = (
        chr(byte) if 32 <= byte < 127 and byte not in b"\\'" else f"\\{byte:03o}"
        for byte in os.fsencode(word)
    )
    return f"$'{''.join(plain)}'"


def _program() -> list[str]:
    """Returns `referee` where the PATH leads to this one, and otherwise how it was called."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py" and called.parent.name == NAME:
        return [sys.orig_argv[0], "-m", NAME]
    found = shutil.which(NAME)
    if called.name != NAME or (found and os.path.realpath(found) == os.path.realpath(called)):
        return [NAME]
    return [sys.argv[0]]
