"""Eight processes for tests of what several do at once."""

import contextlib
import multiprocessing
from collections.abc import Iterator
from multiprocessing.pool import Pool


@contextlib.contextmanager
def eight_processes(module: str) -> Iterator[Pool]:
    """Gives a pool of forks of one clean process that has imported a module; threads here do not matter."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([module])
    with context.Pool(8) as pool:
        yield pool
