"""What an interrupt does: the first one stops in order, the second one at once."""

import asyncio
import contextlib
import os
import signal
import sys
from typing import Any

from referee.cli.printing import warn

EXIT_INTERRUPTED = 128 + signal.SIGINT
"""The exit status after an interrupt, as shells have it."""
_SHOW_CURSOR = "\x1b[?25h"


def leave() -> None:
    """Has an interrupt end the command at once and without a traceback, while no loop listens for it."""
    signal.signal(signal.SIGINT, _exit)


def _exit(_number: int, _frame: object) -> None:
    raise SystemExit(EXIT_INTERRUPTED)


class Interrupt:
    """Listens for SIGINT and SIGTERM in the running loop.

    `again` is the command to type next, which may change meanwhile, and `why` says what for.
    """

    def __init__(self, again: str, why: str = "to go on") -> None:
        self.seen = asyncio.Event()
        self.again = again
        self._why = why

    def install(self) -> None:
        """Starts to listen, for as long as the loop runs."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # the loop of Windows has none
                loop.add_signal_handler(number, self._hear)

    async def finished(self, task: "asyncio.Future[Any]") -> bool:
        """Waits for a task or an interrupt, whichever is first; False when it is the interrupt."""
        seen = asyncio.create_task(self.seen.wait())
        await asyncio.wait({task, seen}, return_when=asyncio.FIRST_COMPLETED)
        seen.cancel()
        return task.done()

    def tell_again(self) -> None:
        """Prints the command to type next."""
        warn(f"{self._why}: {self.again}")

    def _hear(self) -> None:
        if self.seen.is_set():
            self.tell_again()
            if sys.stderr.isatty():
                sys.stderr.write(_SHOW_CURSOR)
                sys.stderr.flush()
            os._exit(EXIT_INTERRUPTED)
        self.seen.set()
        warn("stopping, press again to force")
