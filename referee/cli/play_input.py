"""Lines that a person types, or that a program pipes in, beside an event loop."""

import asyncio
import codecs
import os
import sys
import threading
from typing import Final

_CHUNK: Final = 4096
_LONGEST: Final = 4096
"""Characters of a line; the rest of a longer one is not read."""


class Lines:
    """Reads stdin on a thread of its own; `next` returns a line without its end, None after the last.

    It reads the descriptor itself: Python's own stdin holds a lock while it waits, and could not be left.

    Attributes:
        typed: whether they come from a terminal, from a person then.
    """

    def __init__(self) -> None:
        self.typed = bool(sys.stdin and sys.stdin.isatty())
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._over = False
        threading.Thread(target=self._read, daemon=True).start()

    async def next(self) -> str | None:
        """Returns the next line."""
        line = None if self._over else await self._lines.get()
        self._over = line is None
        return line

    def so_far(self) -> list[str]:
        """Takes and returns the lines that have come; `next` goes on behind them."""
        found: list[str] = []
        while not self._over and not self._lines.empty():
            line = self._lines.get_nowait()
            self._over = line is None
            if line is not None:
                found.append(line)
        return found

    def _read(self) -> None:
        decode = codecs.getincrementaldecoder(sys.stdin.encoding or "utf-8")("backslashreplace").decode
        rest = ""
        while True:
            try:
                data = os.read(sys.stdin.fileno(), _CHUNK)
            except OSError:  # the terminal is gone
                data = b""
            *lines, rest = (rest + decode(data, final=not data)).split("\n")
            rest = rest[:_LONGEST]
            for line in lines if data else [*lines, *([rest] if rest else []), None]:
                self._put(line)
            if not data:
                return

    def _put(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:  # the loop has ended: nobody asks any more
            return
