"""Says which of several processes runs which tests."""

import contextlib
import re
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

ROOT = Path(__file__).parents[1]
BUILT = {
    file.relative_to(ROOT).as_posix()
    for file in (ROOT / "tests" / "e2e").glob("test_*.py")
    if re.search(r"\bbuilt\b|e2e\.launcher\b", file.read_text(encoding="utf-8"))
}
"""The files of tests with bots of all languages."""


class Together(LoadScopeScheduling):
    """Keeps together what shares a file, or the bots built once, and goes on where a process dies."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "built" if file in BUILT else file

    def _assign_work_unit(self, node: WorkerController) -> None:
        with contextlib.suppress(OSError):  # it has died: this is handed on when that is heard
            super()._assign_work_unit(node)

    def remove_node(self, node: WorkerController) -> str | None:
        """Hands what a process left undone to the others, and nothing else.

        A unit without a test to run would be waited for forever. The test that ended the process has
        failed, and would end the next one too.
        """
        left = {scope: unit for scope, unit in self.assigned_work[node].items() if not all(unit.values())}
        self.assigned_work[node] = left
        died_in = next((test for unit in left.values() for test, done in unit.items() if not done), None)
        if died_in is not None:
            left[self._split_scope(died_in)][died_in] = True
            if all(left[self._split_scope(died_in)].values()):
                del left[self._split_scope(died_in)]
        super().remove_node(node)
        return died_in

    def schedule(self) -> None:
        """Gives each process work, and tells one that came later whether there is more.

        A process begins its last test when it has heard that none follows.
        """
        super().schedule()
        for node in self.nodes:
            self._reschedule(node)


@pytest.hookimpl
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Together:
    """Says which process gets which tests."""
    return Together(config, log)
