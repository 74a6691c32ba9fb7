"""How values are written on pages."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from referee.v1 import match_pb2

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_GAMES: Final = {"guan_pai": "Guan Pai", "ding_niu": "Ding Niu", "mexican_train": "Mexican Train"}


def game_name(name: str) -> str:
    """Returns the name of a game for people: `Block dominoes`."""
    return _GAMES.get(name, name.replace("_", " ").capitalize())


def moment(time: int | Timestamp) -> str:
    """Returns a time of the wall clock, given in microseconds: `2026-11-30 10:47`; always UTC."""
    micros = time if isinstance(time, int) else time.ToMicroseconds()
    try:
        return f"{_EPOCH + timedelta(microseconds=micros):%Y-%m-%d %H:%M}"
    except OverflowError:
        return "?"


def iso(time: int | Timestamp) -> str:
    """Returns a time of the wall clock as the attribute of a `time` element has it."""
    return moment(time).replace(" ", "T") + "Z"


def span(time: int | Duration) -> str:
    """Returns how long something took, given in microseconds: `3.2 ms`, `1.50 s`, `4 min 10 s`."""
    micros = time if isinstance(time, int) else time.ToMicroseconds()
    seconds = micros / 1_000_000
    if seconds < 1:
        return f"{micros / 1000:.1f} ms"
    if seconds < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def signed(number: int) -> str:
    """Returns a number with its sign, the minus as long as the plus."""
    return f"{number:+d}".replace("-", "\N{MINUS SIGN}") if number else "0"


def whole(number: int) -> str:
    """Returns a number, the minus as long as in `signed`."""
    return f"{number:,}".replace("-", "\N{MINUS SIGN}").replace(",", "\N{NARROW NO-BREAK SPACE}")


_ENDS: Final = {
    match_pb2.TERMINATION_COMPLETED: "completed",
    match_pb2.TERMINATION_FORFEITED: "all others forfeited",
    match_pb2.TERMINATION_ADJUDICATED: "adjudicated at a cap",
    match_pb2.TERMINATION_NO_SHOW: "a seat did not come",
    match_pb2.TERMINATION_VOID: "void",
}


def state(match: match_pb2.Match) -> str:
    """Returns in words how far a match is, or why it ended."""
    if match.state == match_pb2.MATCH_STATE_STARTING:
        return "starting"
    if match.state == match_pb2.MATCH_STATE_RUNNING:
        return "running"
    return _ENDS.get(match.termination, "void")


def sentence(text: str) -> str:
    """Returns what a refusal says as a sentence; a word that is no plain one keeps its first letter."""
    first = text.partition(" ")[0]
    begun = text[:1].upper() + text[1:] if first.isalpha() else text
    return begun if begun.endswith((".", "?", "!")) else f"{begun}."


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "game_name": game_name,
    "moment": moment,
    "iso": iso,
    "span": span,
    "signed": signed,
    "whole": whole,
    "state": state,
    "sentence": sentence,
}
