"""Tells where each task of an event loop waits when a test takes too long."""

import asyncio
import signal
import sys
from collections.abc import Generator
from types import FrameType

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer() -> Generator[None, object, object]:
    """Adds the tasks to what is shown of the threads; the main one stands in the loop and tells nothing."""
    done = yield
    fail = signal.getsignal(signal.SIGALRM)
    if callable(fail):

        def tell(number: int, frame: FrameType | None) -> None:
            if (loop := asyncio._get_running_loop()) is not None:
                for task in asyncio.all_tasks(loop):
                    task.print_stack(file=sys.stderr)
            fail(number, frame)

        signal.signal(signal.SIGALRM, tell)
    return done
