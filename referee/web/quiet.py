"""What the site writes to the server's log because of clients: little, however many of them there are."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any, Final

import structlog
from starlette.requests import ClientDisconnect

_MOST: Final = 10
"""Lines in a window."""
_WINDOW: Final = 60.0
"""Seconds of a window."""
_LIBRARIES: Final = ("uvicorn.error", "asyncio")
"""The loggers of those who serve the site."""
_EXPECTED: Final = (asyncio.CancelledError, ClientDisconnect)
"""How requests end whose client has gone, or whose server stops."""


class Seldom:
    """Writes warnings, and of many in a short time only that there were more."""

    def __init__(self, now: Callable[[], float] = time.monotonic, log: Any = None) -> None:
        self._now = now
        self._log = log or structlog.get_logger("referee.web")
        self._since = now()
        self._count = 0

    def warning(self, event: str, **values: Any) -> None:
        """Writes a line, with how many were left out since the last one."""
        now = self._now()
        left_out = 0
        if now - self._since >= _WINDOW:
            left_out = max(0, self._count - _MOST)
            self._since, self._count = now, 0
        self._count += 1
        if self._count <= _MOST:
            more = {"left_out": left_out} if left_out else {}
            self._log.warning(event, **values, **more)


class _Bridge(logging.Handler):
    """Hands on what libraries say to the log that all others write to."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._seldom = Seldom()

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a line, unless it is about something that happens all the time."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, _EXPECTED) or str(record.msg).startswith(_AT_THE_END):
            return
        problem = {"problem": f"{type(error).__name__}: {error}"} if error else {}
        self._seldom.warning(record.getMessage().strip(), logger=record.name, **problem)


_AT_THE_END: Final = "Cancel %s running task"
"""How uvicorn begins to say that live pages were open when it stopped."""


def bridge() -> None:
    """Has the libraries that serve the site write to the server's log, by lines and without tracebacks."""
    for name in _LIBRARIES:
        logger = logging.getLogger(name)
        if not any(isinstance(known, _Bridge) for known in logger.handlers):
            logger.addHandler(_Bridge())
