"""Finds and ends whatever a bot's process has started, however it detached itself.

Linux can promise that nothing is left: orphans come back to a subreaper, and children may be told
to die with their parent. Elsewhere only process groups are to be had; `contained()` says which.
Standard library only: the spawner must stay small and start fast.
"""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

TAG = "REFEREE_LAUNCH_ID"
"""The environment variable that marks every process of a launch."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


class Process(NamedTuple):
    """One living process."""

    pid: int
    parent: int
    session: int


def contained() -> bool:
    """Says whether this system lets nothing of a bot escape."""
    return sys.platform == "linux" and Path("/proc/self/stat").exists()


def adopt_orphans() -> None:
    """Makes this process the new parent of every orphan among its descendants."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(number: signal.Signals) -> None:
    """Asks for a signal at the moment when the parent of this process dies."""
    _prctl(_PR_SET_PDEATHSIG, number)


def owners(root: int, run: str, leaders: Mapping[int, int]) -> dict[int, int | None]:
    """Returns every living descendant of `root` with its launch, or None where nothing tells it.

    `leaders` are the launches, counted from 1, by the process that each began with. A descendant
    of a leader is its own. An orphan is told by its tag, else by its session; one that shed
    parent, tag and session hides on purpose.
    """
    children: dict[int, list[Process]] = {}
    for process in _processes():
        children.setdefault(process.parent, []).append(process)
    known = set(leaders.values())
    found: dict[int, int | None] = {}
    waiting: list[tuple[int, int | None]] = [(root, None)]
    while waiting:
        parent, owner = waiting.pop()
        for process in children.get(parent, ()):
            own = owner
            if own is None:
                own = leaders.get(process.pid) or _tagged(process.pid, run) or leaders.get(process.session)
            own = own if own in known else None
            found[process.pid] = own
            waiting.append((process.pid, own))
    return found


def send(pid: int, number: signal.Signals) -> None:
    """Sends a signal to a process, which may be gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def send_group(group: int, number: signal.Signals) -> None:
    """Sends a signal to a process group, which may be gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def in_group(pid: int, group: int) -> bool:
    """Says whether a process, which may be gone, is in a process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        return os.getpgid(pid) == group
    return False


def kill_tagged(run: str) -> None:
    """Kills every process of this user that carries the tag of a run.

    The last resort, for when the spawner itself was killed and can adopt no more orphans.
    """
    if contained():
        for process in _processes():
            if _tagged(process.pid, run) is not None:
                send(process.pid, signal.SIGKILL)


def _processes() -> Iterator[Process]:
    if not contained():
        return
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            stat = (folder / "stat").read_bytes()
            state, parent, _, session = stat.rpartition(b")")[2].split()[:4]
            if state not in {b"Z", b"X"}:
                yield Process(int(folder.name), int(parent), int(session))


def _tagged(pid: int, run: str) -> int | None:
    mark = f"{TAG}={run}-".encode()
    with contextlib.suppress(OSError, ValueError):
        for entry in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            if entry.startswith(mark):
                return int(entry[len(mark) :])
    return None


def _prctl(option: int, value: int) -> None:
    if contained():
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
