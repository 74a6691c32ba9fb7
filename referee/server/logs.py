"""The server's own log: for people on a terminal, JSON lines otherwise. Never on the hot path.

A token, a hand or the truth of a running match has no place in it.
"""

import contextlib
import logging
import secrets
import sys
from typing import IO, Any, BinaryIO, TextIO, cast

import msgspec
import structlog

from referee.errors import printable
from referee.match.machine import Match

_log = structlog.get_logger("referee")
_encode = msgspec.json.Encoder(enc_hook=str, order="deterministic").encode


class _Lossy:
    """A stream that loses what it cannot write: a full disk or a closed pipe must end no match."""

    def __init__(self, stream: IO[Any]) -> None:
        self._stream = stream

    def write(self, data: Any) -> int:
        """Writes what can be written."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(data)
        return len(data)

    def flush(self) -> None:
        """Hands on what can be handed on."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()


def configure(*, stream: TextIO | None = None, verbose: bool = False) -> None:
    """Sets up structlog for this process; `stream` is stderr unless it is given."""
    out = stream or sys.stderr
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if out.isatty():
        last: list[Any] = [_harmless, structlog.dev.ConsoleRenderer()]
        factory: Any = structlog.PrintLoggerFactory(cast("TextIO", _Lossy(out)))
    else:
        last = [structlog.processors.format_exc_info, _json]
        factory = structlog.BytesLoggerFactory(cast("BinaryIO", _Lossy(out.buffer)))
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG if verbose else logging.INFO),
        logger_factory=factory,
        cache_logger_on_first_use=False,
    )


def summary(log: Any, match: Match) -> None:
    """Writes the one line about a match that has ended."""
    end, setup = match.end, match.setup
    if end is None:
        return
    log.info(
        "match ended",
        match_id=setup.match_id,
        game=setup.game,
        termination=end.termination,
        note=end.note,
        plies=end.plies,
        microseconds=end.t,
        bots=[seat.bot for seat in setup.seats],
        ranks=[place.rank for place in end.places],
        scores=[place.score for place in end.places],
        faults=[place.faults for place in end.places],
    )


def incident(what: str, log: Any = None) -> str:
    """Logs the exception that is being handled; returns the text that a peer may be told of it."""
    number = secrets.token_hex(6)
    (log or _log).exception(what, incident=number)
    return f"the referee failed; incident {number}"


def _harmless(_logger: Any, _method: str, event: Any) -> Any:
    """Keeps what came from bots and files from commanding the terminal; other values are shown by `repr`."""
    return {key: printable(value) if isinstance(value, str) else value for key, value in event.items()}


def _json(_logger: Any, _method: str, event: Any) -> bytes:
    return _encode(event)
