"""How much memory the processes of a bot take, with all that they started."""

import asyncio
import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Self

_EVERY: Final = 0.25
"""Seconds between two looks."""
_PROC: Final = Path("/proc")


class Memory:
    """Looks at processes now and then, while it is entered; knows nothing where there is no `/proc`."""

    def __init__(self) -> None:
        self.peak: int | None = None
        """The most resident memory that one bot had, in bytes; None where that cannot be told."""
        self._roots: set[int] = set()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if (_PROC / "self" / "stat").exists():
            self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task:
            self._task.cancel()

    def watch(self, pid: int) -> None:
        """Looks at a process from now on."""
        self._roots.add(pid)

    def forget(self, pid: int) -> None:
        """Looks at a process once more, and then no more."""
        self._look()
        self._roots.discard(pid)

    async def _watch(self) -> None:
        while True:
            self._look()
            await asyncio.sleep(_EVERY)

    def _look(self) -> None:
        if self._roots and self._task:
            taken = resident(self._roots)
            self.peak = max(self.peak or 0, *taken.values())


def resident(roots: Iterable[int]) -> dict[int, int]:
    """Returns the resident memory of each process with its descendants, in bytes."""
    page = os.sysconf("SC_PAGE_SIZE")
    found = dict(_processes())
    taken = dict.fromkeys(roots, 0)
    for start in found:
        pid, climbed = start, 0
        while pid not in taken and pid in found and climbed < len(found):
            pid, climbed = found[pid][0], climbed + 1
        if pid in taken:
            taken[pid] += found[start][1] * page
    return taken


def _processes() -> Iterator[tuple[int, tuple[int, int]]]:
    """Yields id, parent and resident pages of every process."""
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                yield int(folder.name), (int(fields[1]), int(fields[21]))
