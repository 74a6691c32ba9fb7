"""The languages that there are sample bots in, as `sample_bots/languages.toml` lists them."""

import difflib
import os
import shlex
import shutil
import sys
import tomllib
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

import referee
from referee.errors import UsageError
from referee.server.resolve import sample_folder

LIST: Final = "languages.toml"
"""The file among the sample bots that lists the languages."""
LEFT: Final = ("output", "replays", "tournaments", "audit.jsonl", "admin.sock", "referee.db*")
"""Patterns of what the referee leaves in the folder in which it is called; it never belongs to a bot."""
PRIVATE: Final = ("__pycache__", "*.token", "*.secret")
"""Patterns of what never belongs to a bot, in whatever folder of it."""
_CLOSE: Final = 0.5
"""How alike a language is to what was written, if it was meant."""


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One sample bot: what it needs, and how it is built and run.

    Attributes:
        name: what people write to choose it: `go`.
        title: what people read: `Go`.
        folder: its folder below `sample_bots`.
        needs: the commands that have to be on the PATH to build and to run it.
        build: the commands that build it, one after the other, in its folder.
        run: the command that runs it, seen from its folder; `python` is the one that runs the referee.
        skip: paths in its folder that are built or fetched, and never belong to a copy of it.
        locks: the same, of files that pin what was fetched: a project keeps them.
        adapter: whether it is a command to which the text adapter puts turns, and no bot by itself.
    """

    name: str
    title: str
    folder: str
    run: str
    needs: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()
    adapter: bool = False

    def source(self) -> Path:
        """Returns the folder of the sample bot."""
        return sample_folder() / self.folder

    def missing(self) -> list[str]:
        """Returns those of the commands it needs that are not on the PATH."""
        return [command for command in self.needs if shutil.which(command) is None]

    def files(self) -> list[PurePosixPath]:
        """Returns the paths of its files from its folder: no built ones, and nothing that matches left."""
        source, found = self.source(), list[PurePosixPath]()
        for folder, inner, names in os.walk(source):
            here = PurePosixPath(Path(folder).relative_to(source))
            inner[:] = [name for name in inner if self._belongs(here / name)]
            found += [here / name for name in names if self._belongs(here / name)]
        return sorted(found)

    def build_commands(self) -> list[list[str]]:
        """Returns the words of each command that builds it, to be run in its folder."""
        return [shlex.split(command) for command in self.build]

    def run_command(self, folder: Path) -> list[str]:
        """Returns the words of the command that runs what was built in a folder, from anywhere."""
        program, *rest = shlex.split(self.run)
        words = [sys.executable if program == "python" else program, *rest]
        return [str((folder / word).absolute()) if (folder / word).exists() else word for word in words]

    def bot_command(self) -> str:
        """Returns the command that runs it, seen from its folder, as the referee takes it for a bot."""
        return self.run.removeprefix("python ")

    def _belongs(self, path: PurePosixPath) -> bool:
        if any(fnmatch(part, name) for part in path.parts for name in (".*", *PRIVATE)):
            return False
        left = any(fnmatch(path.parts[0], name) for name in LEFT)
        return not left and not any(path.is_relative_to(built) for built in (*self.skip, *self.locks))


def contract() -> Path:
    """Returns the folder with the contract, from which a bot is built: what it finds as `PROTO`."""
    package = Path(referee.__file__).parent
    installed = package / "_proto"
    return installed if installed.is_dir() else package.parent / "proto"


def languages() -> Sequence[Language]:
    """Returns all languages in the order of the list."""
    listed = tomllib.loads((sample_folder() / LIST).read_text(encoding="utf-8"))
    return msgspec.convert(listed["language"], list[Language])


def find(name: str) -> Language:
    """Returns the language of a name; raises `UsageError` with those that there are, and what was meant."""
    known = {language.name: language for language in languages()}
    found = known.get(name.casefold())
    if found is None:
        meant = _meant(name.casefold(), list(known.values()))
        raise UsageError(f"no sample bot in {name!r}; there are {', '.join(known)}{meant}")
    return found


def _meant(word: str, known: Sequence[Language]) -> str:
    names = {text.casefold(): language.name for language in known for text in (language.title, language.name)}
    near = difflib.get_close_matches(word, names, n=1, cutoff=_CLOSE) if word else []
    return f"; did you mean {names[near[0]]}?" if near else ""
