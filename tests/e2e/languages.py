"""The sample bots of all languages as tests use them: built once, in a folder apart from the tree."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from referee.bot_project.languages import Language, find, languages
from tests.bot.scripted_referee import PATIENCE
from tests.requirements import cannot, require

ROOT = Path(__file__).resolve().parents[2]
BUILD_LIMIT = 600.0
"""Seconds for fetching and building what one bot needs."""
FIGURES = pytest.StashKey[list[str]]()
"""Lines that are shown after the tests: what each language did where all of them met."""


class Process:
    """A sample bot as a process, and what it says on stderr."""

    def __init__(self, words: list[str], said: Path, environment: dict[str, str]) -> None:
        self._said = said
        kept = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
        with said.open("wb") as stderr:
            self._process = subprocess.Popen(words, env={**kept, **environment}, stderr=stderr)

    def lines(self) -> list[str]:
        """Returns what it has said so far."""
        return self._said.read_text(encoding="utf-8").splitlines()

    def signal(self, number: int) -> None:
        """Sends it a signal."""
        self._process.send_signal(number)

    def wait(self, seconds: float = PATIENCE) -> int:
        """Returns the status with which it ended."""
        return self._process.wait(seconds)

    def kill(self) -> None:
        """Ends it if it has not ended by itself."""
        self._process.kill()
        self._process.wait()


class Bots:
    """The commands of the sample bots, each built when it is first asked for.

    A language that is not to be had here skips the test by name, or fails it where that is asked for.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._built: dict[str, Path] = {}
        self._failed: dict[str, str] = {}
        (folder / "proto").symlink_to(ROOT / "proto")
        self._path = os.environ["PATH"]
        if shutil.which("protoc") is None:
            self._path += os.pathsep + str(_protoc(folder / "bin").parent)

    def folder(self, name: str) -> Path:
        """Returns the folder in which the bot of a language is built."""
        language = find(name)
        require(*language.needs)
        if name not in self._built and name not in self._failed:
            self._build(language)
        if name in self._failed:
            cannot(
                f"the bot in {language.title} cannot be built: {self._failed[name]}", name, *language.needs
            )
        return self._built[name]

    def command(self, name: str) -> list[str]:
        """Returns the words that run the bot of a language, from any folder."""
        return find(name).run_command(self.folder(name))

    def commands(self) -> tuple[dict[str, list[str]], list[str]]:
        """Returns the words of each language that is to be had, by its name, and why others are not."""
        found, reasons = {}, []
        for language in languages():
            try:
                found[language.name] = self.command(language.name)
            except pytest.skip.Exception as missing:
                reasons.append(f"{language.name} left out: {missing}")
        return found, reasons

    def variant(self, name: str, file: str, changes: Mapping[str, str]) -> list[str]:
        """Returns the words that run the bot of a language after changes to the text of one of its files."""
        language, source = find(name), self.folder(name)
        copy = source.with_name(f"{name}-variant")
        shutil.copytree(source, copy, symlinks=True)
        text = (copy / file).read_text(encoding="utf-8")
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        (copy / file).write_text(text, encoding="utf-8")
        assert self._make(language, copy) is None
        return language.run_command(copy)

    def _build(self, language: Language) -> None:
        copy = self._folder / "sample_bots" / language.name  # from here the contract is in ../../proto
        language.copy(copy)
        reason = self._make(language, copy)
        if reason is None:
            self._built[language.name] = copy
        else:
            self._failed[language.name] = reason

    def _make(self, language: Language, folder: Path) -> str | None:
        """Builds the bot in a folder; returns why that cannot be done, or None."""
        for command in language.build_commands():
            done = subprocess.run(
                command,
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=BUILD_LIMIT,
                check=False,
                env={**os.environ, "PATH": self._path},
            )
            if done.returncode:
                return f"{' '.join(command)}: {' '.join(f'{done.stdout} {done.stderr}'.split()[-60:])}"
        return None


def _protoc(folder: Path) -> Path:
    """Makes a command `protoc` of the one that comes with grpcio-tools."""
    script = folder / "protoc"
    folder.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m grpc_tools.protoc "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return script


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Bots:
    """Returns the sample bots of all languages."""
    return Bots(tmp_path_factory.mktemp("languages"))
