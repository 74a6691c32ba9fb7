"""The bots of all languages as tests use them: begun as a project and built once, apart from the tree."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from referee.bot_project.languages import Language, find, languages
from tests.patience import PATIENCE
from tests.requirements import cannot, require

ROOT = Path(__file__).resolve().parents[2]
BUILD_LIMIT = 600.0
"""Seconds for fetching and building what one bot needs."""
OWN = [language for language in languages() if not language.adapter]
"""The languages whose bots have a session of their own."""
FIGURE = "figure"
"""The property of a test that holds a line to show after all tests: what a language did where all met."""


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
    """The bots of all languages as `referee bot new` begins them, each built when it is first asked for.

    A language that is not to be had here skips the test by name, or fails it where that is asked for.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._told: dict[str, list[str]] = {}
        self._failed: dict[str, str] = {}
        (folder / "proto").symlink_to(ROOT / "proto")
        self._path = os.environ["PATH"]
        if shutil.which("protoc") is None:
            self._path += os.pathsep + str(_protoc(folder / "bin").parent)

    def folder(self, name: str) -> Path:
        """Returns the folder in which the bot of a language is built; the project is called `my-NAME`."""
        language = find(name)
        require(*language.needs)
        if name not in self._told:
            self._begin(language)
        if name in self._failed:
            cannot(
                f"the bot in {language.title} cannot be built: {self._failed[name]}", name, *language.needs
            )
        return self._folder / f"my-{name}"

    def told(self, name: str) -> tuple[Path, list[str]]:
        """Returns the commands that were printed when the project was written, and where they run."""
        self.folder(name)
        return self._folder, self._told[name]

    def sample(self, name: str) -> Path:
        """Builds the sample bot of a language as it is, and returns its folder, which lies as in the tree."""
        language = find(name)
        require(*language.needs)
        copy = self._folder / "sample_bots" / language.folder
        for path in language.files():
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(language.source() / path, copy / path)
        assert self._make(language.build, copy) is None
        return copy

    def command(self, name: str) -> list[str]:
        """Returns the words that run the bot of a language, from any folder."""
        return find(name).run_command(self.folder(name))

    def commands(self) -> tuple[dict[str, list[str]], list[str]]:
        """Returns the words of each language that is to be had, by its name, and why others are not."""
        found, reasons = {}, []
        for language in OWN:
            try:
                found[language.name] = self.command(language.name)
            except pytest.skip.Exception as missing:
                reasons.append(f"{language.name} left out: {missing}")
        return found, reasons

    def variant(self, name: str, file: str, changes: Mapping[str, str]) -> list[str]:
        """Returns the words that run the bot of a language after changes to the text of one of its files."""
        language, source = find(name), self.folder(name)
        copy = source.with_name(f"{name}-variant-{len([*self._folder.glob(f'{name}-variant-*')])}")
        shutil.copytree(source, copy, symlinks=True)
        text = (copy / file).read_text(encoding="utf-8")
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        (copy / file).write_text(text, encoding="utf-8")
        assert self._make(language.build, copy) is None
        return language.run_command(copy)

    def _begin(self, language: Language) -> None:
        """Writes the project of a language, and builds it by the commands that are told for that."""
        words = ("bot", "new", "--language", language.name, f"my-{language.name}")
        done = subprocess.run(
            [sys.executable, "-m", "referee", *words],
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        told = [line.strip() for line in done.stdout.splitlines() if line.startswith("    ")]
        self._told[language.name] = told
        reason = self._make(told[:-2], self._folder)
        if reason is not None:
            self._failed[language.name] = reason

    def _make(self, lines: Sequence[str], folder: Path) -> str | None:
        """Runs the commands that build a bot; returns why that cannot be done, or None."""
        done = subprocess.run(
            ["sh", "-exc", "\n".join(lines)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=BUILD_LIMIT,
            check=False,
            env={**os.environ, "PATH": self._path},
        )
        return " ".join(f"{done.stdout} {done.stderr}".split()[-60:]) if done.returncode else None


def _protoc(folder: Path) -> Path:
    """Makes a command `protoc` of the one that comes with grpcio-tools."""
    script = folder / "protoc"
    folder.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m grpc_tools.protoc "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return script


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Bots:
    """Returns the bots of all languages."""
    return Bots(tmp_path_factory.mktemp("languages"))
