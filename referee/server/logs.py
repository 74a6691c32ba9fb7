"""The server's own log: for people on a terminal, JSON lines otherwise. Never on the hot path.

A token, a hand or the truth of a running match has no place in it.
"""

import logging
import secrets
import sys
from typing import Any, TextIO

import msgspec
import structlog

from referee.match.machine import Match

_log = structlog.get_logger("referee")
_encode = msgspec.json.Encoder(enc_hook=str, order="deterministic").encode


def configure(*, stream: TextIO | None = None, verbose: bool = False) -> None:
    """Sets up structlog for this process; `stream` is stderr unless it is given."""
    out = stream or sys.stderr
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if out.isatty():
        last: list[Any] = [structlog.dev.ConsoleRenderer()]
        factory: Any = structlog.PrintLoggerFactory(out)
    else:
        last = [structlog.processors.format_exc_info, _json]
        factory = structlog.BytesLoggerFactory(out.buffer)
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


def _json(_logger: Any, _method: str, event: Any) -> bytes:
    return _encode(event)
