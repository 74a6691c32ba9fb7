"""The languages that there are sample bots in, as `sample_bots/languages.toml` lists them."""

import shlex
import shutil
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import msgspec

import referee
from referee.errors import UsageError
from referee.server.resolve import sample_folder

LIST = "languages.toml"
"""The file among the sample bots that lists the languages."""


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One sample bot: what it needs, and how it is built and run.

    Attributes:
        name: what people write to choose it: `go`.
        title: what people read: `Go`.
        folder: its folder below `sample_bots`.
        needs: the commands that have to be on the PATH to build and to run it.
        build: the commands that build it, one after the other, in its folder.
        run: the command that runs it, seen from its folder; `python` is the one that runs the referee.
        skip: patterns of names that are built or fetched, and never belong to a copy of the folder.
    """

    name: str
    title: str
    folder: str
    run: str
    needs: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()

    def source(self) -> Path:
        """Returns the folder of the sample bot."""
        return sample_folder() / self.folder

    def missing(self) -> list[str]:
        """Returns those of the commands it needs that are not on the PATH."""
        return [command for command in self.needs if shutil.which(command) is None]

    def copy(self, folder: Path) -> None:
        """Copies what is not built to a folder, which has to be new."""
        shutil.copytree(self.source(), folder, ignore=shutil.ignore_patterns("__pycache__", *self.skip))

    def build_commands(self) -> list[list[str]]:
        """Returns the words of each command that builds it, to be run in its folder."""
        return [shlex.split(command) for command in self.build]

    def run_command(self, folder: Path) -> list[str]:
        """Returns the words of the command that runs what was built in a folder, from anywhere."""
        program, *rest = shlex.split(self.run)
        words = [sys.executable if program == "python" else program, *rest]
        return [str((folder / word).absolute()) if (folder / word).exists() else word for word in words]


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
    """Returns the language of a name; raises `UsageError` with those that there are."""
    known = {language.name: language for language in languages()}
    if name not in known:
        raise UsageError(f"no sample bot in {name!r}; choose one of {', '.join(known)}")
    return known[name]
