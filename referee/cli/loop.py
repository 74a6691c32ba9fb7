"""The event loop of the commands: uvloop where it is to be had."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from referee.cli.interrupt import EXIT_INTERRUPTED, leave

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end in a loop of its own."""
    try:
        with asyncio.Runner(loop_factory=_factory()) as runner:
            return runner.run(main)
    except KeyboardInterrupt:
        raise SystemExit(EXIT_INTERRUPTED) from None
    finally:
        leave()  # a loop that ends leaves Python's own handler behind, whose interrupt is a traceback


def _factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
