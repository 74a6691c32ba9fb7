"""Tells where a test stands that takes too long: its threads, and each task of its event loop."""

import asyncio
import faulthandler
import os
import signal
import sys
from collections.abc import Generator
from types import FrameType
from typing import Protocol

import pytest

GRACE = 120.0
"""Seconds that a test has to fail by itself once its time is over; then its process is ended."""
_stderr = pytest.StashKey[int]()


class Settings(Protocol):
    """What a test may do: its seconds."""

    timeout: float


def pytest_configure(config: pytest.Config) -> None:
    """Keeps the way to the terminal, which tests are cut off from."""
    assert sys.__stderr__
    config.stash[_stderr] = os.dup(sys.__stderr__.fileno())


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Settings) -> Generator[None, object, object]:
    """Adds the tasks to what is shown of the threads; the main one stands in the loop and tells nothing.

    What a signal does not wake ends the process, and shows where each thread stands.
    """
    done = yield
    fail = signal.getsignal(signal.SIGALRM)
    if callable(fail):

        def tell(number: int, frame: FrameType | None) -> None:
            if (loop := asyncio._get_running_loop()) is not None:
                for task in asyncio.all_tasks(loop):
                    task.print_stack(file=sys.stderr)
            fail(number, frame)

        signal.signal(signal.SIGALRM, tell)
    faulthandler.dump_traceback_later(settings.timeout + GRACE, file=item.config.stash[_stderr], exit=True)
    return done


@pytest.hookimpl(wrapper=True)
def pytest_timeout_cancel_timer() -> Generator[None, object, object]:
    """Lets the process live."""
    faulthandler.cancel_dump_traceback_later()
    return (yield)
