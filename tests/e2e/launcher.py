"""The bot of each language against a referee that the test plays."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.languages import OWN, Bots, Process


class Launcher:
    """Starts the bot of one language, as often as is asked for."""

    def __init__(self, built: Bots, language: str, folder: Path) -> None:
        self.language = language
        self.processes: list[Process] = []
        self._words = built.command(language)
        self._folder = folder

    def __call__(self, address: str, **more: str) -> Process:
        """Starts a bot that plays at an address."""
        return self.bare(REFEREE_ADDRESS=address, REFEREE_TOKEN="secret", **more)

    def bare(self, **environment: str) -> Process:
        """Starts a bot that is told this and nothing else."""
        said = self._folder / f"stderr-{len(self.processes)}"
        self.processes.append(Process(self._words, said, environment))
        return self.processes[-1]


@pytest.fixture(params=[language.name for language in OWN])
def launch(built: Bots, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Launcher]:
    """Returns what starts the bot of each language in turn; the processes are killed after the test."""
    launcher = Launcher(built, request.param, tmp_path)
    yield launcher
    for process in launcher.processes:
        process.kill()
