"""Eight processes for tests of what several do at once."""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from tests.patience import PATIENCE

T = TypeVar("T")


def in_eight_processes(function: Callable[..., T], *arguments: object) -> list[T]:
    """Returns what a function returns in each of eight processes.

    They are forks of one that has imported its module and nothing else, so that threads of this process
    do not matter. One that dies, or hangs, is an error and not waited for.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([function.__module__])
    with ProcessPoolExecutor(8, mp_context=context) as pool:
        every = [pool.submit(function, *arguments) for _ in range(8)]
        try:
            return [one.result(PATIENCE) for one in every]
        except TimeoutError:
            for child in multiprocessing.active_children():
                child.kill()  # or it would be waited for all the same
            raise
