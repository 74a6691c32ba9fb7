"""Finds out what a bot named on the command line is, before anything is started.

A bot is a command, with a name of its own before it if it is to have one: `NAME=COMMAND`.
"""

import contextlib
import difflib
import hashlib
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import referee
from referee.errors import LaunchError
from referee.store.bots import HOUSE_BOTS

_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_CLOSE = 0.6
_VERY_CLOSE = 0.9
"""How alike a program on the PATH is to what was written, if it was meant."""
_INTERPRETERS = re.compile(r"(?:python|pypy|node|deno|bun|ruby|perl|bash|sh|java|lua)[\d.]*(?:\.exe)?")
_SCRIPTS = (".py", ".js", ".mjs", ".ts", ".rb", ".pl", ".sh", ".jar", ".lua")


def split_name(text: str) -> tuple[str | None, str]:
    """Returns the name that a bot is given on the command line, or None, and its command.

    A name is 1 to 64 letters, digits, `.`, `_` or `-` before the first `=`. A text whose first word
    is a file that exists is a command as a whole, whatever its name.
    """
    name, equals, command = text.partition("=")
    if (
        not equals
        or not _NAME.fullmatch(name)
        or Path(text).exists()
        or Path(text.split(maxsplit=1)[0]).exists()
    ):
        return None, text
    return name, command


def resolve(command: str, game: str) -> list[str]:
    """Returns the arguments that start a bot; raises `LaunchError` when there is nothing to start.

    A house bot goes by its name, any other sample bot by its path below `sample_bots`, with or
    without `.py`. Anything else is a command: looked up on the PATH or relative to the working
    folder. A Python file that is not executable is run with the interpreter of the referee.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise LaunchError(f"bot {command!r}: {error}; check the quotes of the command") from None
    if not words:
        raise LaunchError(f"bot {command!r}: the command is empty; name a bot such as {HOUSE_BOTS[0]}")
    sample = _sample(words[0], game)
    if sample is not None:
        return [sys.executable, str(sample), *words[1:]]
    program = _program(words[0])
    _check_script(words)
    if program.suffix == ".py" and not os.access(program, os.X_OK):
        return [sys.executable, str(program), *words[1:]]
    return [str(program), *words[1:]]


def display_name(command: str) -> str:
    """Returns what a bot is called when its command says no more: a house name, or the file's name."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words:
        return "bot"
    named = words[0]
    if len(words) > 1 and _INTERPRETERS.fullmatch(Path(named).name):
        named = next((word for word in words[1:] if word.endswith(_SCRIPTS)), named)
    return Path(named).stem or "bot"


def fingerprint(arguments: Sequence[str]) -> str:
    """Returns six digits that tell a resolved command from others of its name; the same from any clone.

    Files among the sample bots and under the working folder count by their path from there.
    """
    program, *rest = arguments[1:] if arguments[0] == sys.executable and len(arguments) > 1 else arguments
    path = Path(program)
    for root, prefix in ((sample_folder(), "sample_bots/"), (Path.cwd(), "")):
        if path.is_relative_to(root):
            program = prefix + path.relative_to(root).as_posix()
            break
    return hashlib.sha256(shlex.join([program, *rest]).encode("utf-8", "surrogateescape")).hexdigest()[:6]


def unique_names(names: Sequence[str]) -> list[str]:
    """Returns the names with `-2`, `-3`, ... after repeated ones; case makes no difference."""
    taken = set()
    reserved = {name.casefold() for name in names}
    unique = []
    for name in names:
        number, new = 1, name
        while new.casefold() in taken or (number > 1 and new.casefold() in reserved):
            number += 1
            new = f"{name}-{number}"
        taken.add(new.casefold())
        unique.append(new)
    return unique


def sample_folder() -> Path:
    """Returns the folder of the sample bots: in the installed package, or beside it in a clone."""
    package = Path(referee.__file__).parent
    installed = package / "_sample_bots"
    return installed if installed.is_dir() else package.parent / "sample_bots"


def _sample(word: str, game: str) -> Path | None:
    """Returns the script of a sample bot; one that has a version for the game goes before others."""
    folder = sample_folder()
    if word in HOUSE_BOTS:
        places = [folder / "house" / f"{word}_{game}.py", folder / "house" / f"{word}.py"]
        script = next((place for place in places if place.is_file()), None)
        if script is None:
            raise LaunchError(f"bot {word}: {places[-1]} is missing; install the referee again")
        return script
    if Path(word).exists() or word.startswith((".", "/")) or "/" not in word:
        return None
    relative = word.removeprefix("sample_bots/")
    found = (folder / name for name in (relative, f"{relative}.py"))
    return next((path for path in found if path.is_file() and path.suffix == ".py"), None)


def _program(word: str) -> Path:
    path = Path(word).expanduser()
    if os.sep not in word:
        on_path = shutil.which(word)
        if on_path is not None:
            return Path(on_path).absolute()
    if not path.exists():
        raise LaunchError(_missing(word, path))
    if path.is_dir():
        raise LaunchError(f"bot {word}: {path.absolute()} is a folder; name the program in it")
    if path.suffix != ".py" and not os.access(path, os.X_OK):
        raise LaunchError(
            f"bot {word}: {path.absolute()} is not executable; try chmod +x {shlex.quote(word)}"
        )
    return path.absolute()


def _check_script(words: Sequence[str]) -> None:
    if _INTERPRETERS.fullmatch(Path(words[0]).name):
        script = next((word for word in words[1:] if word.endswith(_SCRIPTS)), None)
        if script is not None and not Path(script).exists():
            raise LaunchError(_missing(script, Path(script)))


def _missing(word: str, path: Path) -> str:
    where = f"tried {path.absolute()}" + ("" if os.sep in word else " and the PATH")
    meant = dict(_candidates(word))
    near = difflib.get_close_matches(_stem(path.name), meant, n=3, cutoff=_CLOSE)
    hint = f"; did you mean {' or '.join(meant[stem] for stem in near)}?" if near else ""
    return f"bot {word}: no such program: {where}, working folder {Path.cwd()}{hint}"


def _candidates(word: str) -> Iterator[tuple[str, str]]:
    """Yields what could have been meant: a name to compare, and how the user would write it.

    A program of the PATH is offered only when it is very close, as there are thousands.
    """
    head, separator, _ = word.rpartition(os.sep)
    for path in sorted(sample_folder().glob("*/*.py")):
        if head in {"", path.parent.name, f"sample_bots/{path.parent.name}"}:
            yield _stem(path.name), f"sample_bots/{path.parent.name}/{path.name}"
    with contextlib.suppress(OSError):
        for entry in sorted(Path(head + separator).expanduser().iterdir()):
            if not entry.is_dir():
                yield _stem(entry.name), head + separator + entry.name
    if not separator:
        yield from ((name, name) for name in difflib.get_close_matches(word, _programs(), 1, _VERY_CLOSE))
        yield from ((name, name) for name in HOUSE_BOTS)


def _stem(name: str) -> str:
    return name.removesuffix(".py")


def _programs() -> list[str]:
    found: set[str] = set()
    for folder in filter(None, os.get_exec_path()):
        with contextlib.suppress(OSError):
            found.update(entry.name for entry in Path(folder).iterdir())
    return sorted(found)
