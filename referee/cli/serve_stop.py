"""How `referee serve` is told to stop, and what it says then."""

import asyncio
import os
import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from referee.cli.interrupt import EXIT_INTERRUPTED
from referee.cli.printing import warn
from referee.cli.program import command
from referee.match.config import SECOND

if TYPE_CHECKING:
    from referee.server.app import Arena


async def told_to_stop(arena: "Arena", stop: "StopSignal") -> bool:
    """Waits for a signal or for the operator's word; says whether it was a person's interrupt."""
    either: set[asyncio.Future[Any]] = {stop.heard, arena.drain_asked}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    if stop.heard.done():
        return stop.heard.result()
    limit = arena.drain_asked.result()
    stop.drain(None if limit is None else limit / SECOND)
    return False


_HASTE = 2.0
"""How long running matches may go on after a person's interrupt, in seconds."""


class StopSignal:
    """Hears the first signal to stop; a second one ends the process at once.

    `heard` is done with whether it was a person's interrupt, and not SIGTERM; `grace` is how long
    running matches may go on then, in seconds: a person does not wait.
    """

    def __init__(self, arena: "Arena", drain: float, again: str) -> None:
        loop = asyncio.get_running_loop()
        self.heard: asyncio.Future[bool] = loop.create_future()
        self._arena = arena
        self.grace = drain
        self._again = again
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._hear, number)

    def drain(self, limit: float | None) -> None:
        """Does as for SIGTERM, with another limit in seconds if one is given."""
        if limit is not None:
            self.grace = limit
        self._hear(signal.SIGTERM)

    def _hear(self, number: signal.Signals) -> None:
        running = self._arena.playing
        if self.heard.done():
            if running:
                tell_again(running, self._again)
            os._exit(EXIT_INTERRUPTED)  # the logs hold all that was told: it is what a suspension leaves
        interrupted = number == signal.SIGINT
        self.heard.set_result(interrupted)
        if interrupted:
            self.grace = min(self.grace, _HASTE)
        again = "press again" if interrupted else "signal again"
        if running:
            run_on = "1 match runs on" if running == 1 else f"{running} matches run on"
            these = "it" if running == 1 else "them"
            text = f"stopping: {run_on} for at most {self.grace:g} s; {again} to suspend {these} now"
        else:
            text = "stopping"
        warn(text)


def tell_again(count: int, again: str) -> None:
    """Says that matches are left for the command that resumes them."""
    matches = "1 match is" if count == 1 else f"{count} matches are"
    warn(f"{matches} suspended; to go on within 60 s: {again}")


def again_of(given: Sequence[str], port: str) -> str:
    """Returns the command that resumes: the same one, on the port that was taken."""
    kept: list[str] = []
    skip = False
    for word in given:
        if not skip and not word.startswith("--port"):
            kept.append(word)
        skip = word == "--port"
    return command("serve", *kept, "--port", port)
