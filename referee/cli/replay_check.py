"""Checks many logs at a time in processes of their own, and keeps the order of the files."""

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from referee.cli.replay_log import examined, named, parted
from referee.errors import RecordError, RefereeError
from referee.replay.signature import Verifier
from referee.replay.verify import misnamed, verify
from referee.server.proctree import die_with_parent

_AHEAD: Final = 16
"""So many logs for each process are given out before the first of them is told."""


class Checked(NamedTuple):
    """What became of the check of one file."""

    good: bool
    line: str


def check(file: Path, verifier: Verifier | None = None) -> Checked:
    """Checks one log; with a verifier its signature, too."""
    try:
        log = examined(file)
        verdict = verify(log)
        if verdict.ok and verifier:
            verifier.check(file, log.last_hash)
    except RecordError as error:
        return Checked(good=False, line=named(file, error))
    strange = (misnamed(file.name, log.setup) or parted(file, log)) if verdict.ok else ""
    if strange:
        return Checked(good=False, line=f"{file}: {strange}")
    if verdict.ok and log.end:
        signed = "signed, " if verifier else ""
        told = f"good: {verdict.records} records, {log.end.termination}, {signed}hash {log.last_hash}"
    else:
        told = str(verdict)
    return Checked(verdict.ok, f"{file}: {told}")


def check_all(
    files: Sequence[Path],
    key: Path | None = None,
    jobs: int = 1,
    on_done: Callable[[Checked], None] = lambda _: None,
) -> Generator[Checked, None, None]:
    """Yields the checks of files in their order; `jobs` of them are made at a time.

    `key` is the file of a public key that has to have signed all of them.
    `on_done` hears of each as it ends, in whatever order, from another thread. To close the iterator
    ends the processes at once, whatever they are at.
    """
    verifier = Verifier.load(key) if key else None
    jobs = min(jobs, len(files))
    if jobs > 1:
        yield from _in_processes(files, key, jobs, on_done)
        return
    for file in files:
        checked = check(file, verifier)
        on_done(checked)
        yield checked


def _in_processes(
    files: Sequence[Path], key: Path | None, jobs: int, on_done: Callable[[Checked], None]
) -> Generator[Checked, None, None]:
    def told(future: "Future[Checked]") -> None:
        if not future.cancelled() and future.exception() is None:
            on_done(future.result())

    others = set(multiprocessing.active_children())
    waiting: deque[Future[Checked]] = deque()
    # Not forked: a thread of this process may hold a lock that nobody would let go in the other.
    fresh = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, fresh, _begin, (key,))
    done = False
    try:
        for file in files:
            with _no_interrupt():  # a process may be made
                waiting.append(pool.submit(_check, file))
            waiting[-1].add_done_callback(told)
            if len(waiting) > jobs * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        done = True
    except BrokenProcessPool:
        raise RefereeError(
            "a process that checked logs was killed, perhaps for want of memory; --jobs 1 takes the least"
        ) from None
    finally:
        if not done:
            for process in set(multiprocessing.active_children()) - others:
                process.kill()  # whatever it hangs in: it holds nothing
        pool.shutdown(cancel_futures=True)


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Lets an interrupt wait, so that no new process hears it before it leaves interrupts to the parent."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_verifier: Verifier | None = None
"""In a process that checks: the key that all logs have to be signed with."""


def _begin(key: Path | None) -> None:
    """Leaves interrupts to the parent, and outlives it by nothing."""
    global _verifier  # noqa: PLW0603  a process takes its files one by one
    _verifier = Verifier.load(key) if key else None
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(signal.SIGKILL)


def _check(file: Path) -> Checked:
    return check(file, _verifier)
