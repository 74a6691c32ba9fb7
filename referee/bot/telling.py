"""What the kit tells on stderr, one line each."""

import re
import sys
from collections.abc import Callable
from typing import NoReturn

from google.protobuf.descriptor import EnumDescriptor

from referee.v1 import fault_pb2, match_pb2
from referee.v1 import play_service_pb2 as play


def say(line: str) -> None:
    """Prints one line; what a server says in it commands no terminal."""
    sys.stderr.write(f"bot: {printable(line)}\n")
    sys.stderr.flush()


def printable(text: str) -> str:
    """Returns a text with escapes for whatever a terminal would obey."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def misused(line: str) -> NoReturn:
    """Ends the process with one line, as one that was started in the wrong way."""
    say(line)
    sys.exit(2)


class Trouble:
    """Tells of a connection in trouble: each line once while it lasts, and at most once a minute.

    Lines that differ in numbers only are one, such as those with an incident. `now` is in seconds.

    Attributes:
        told: whether anything was told of the trouble that there is now.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.told = False
        self._now = now
        self._lately: dict[str, float] = {}
        self._present: set[str] = set()

    def say(self, line: str) -> None:
        """Tells a line that is news."""
        kind, now = _NUMBER.sub("0", line), self._now()
        if kind in self._present or now - self._lately.get(kind, -_MINUTE) < _MINUTE:
            return
        if len(self._lately) >= _MOST_KINDS:
            self._lately.clear()
        self._lately[kind] = now
        self._present.add(kind)
        self.told = True
        say(line)

    def over(self) -> None:
        """Takes note that the connection stands."""
        self.told = False
        self._present.clear()


_NUMBER = re.compile(r"\b[0-9a-f]*\d[0-9a-f]*\b")
_MINUTE = 60.0
_MOST_KINDS = 100


def is_watched() -> bool:
    """Says whether stderr is a terminal, so that somebody may be looking."""
    return sys.stderr.isatty()


def print_rejected(rejected: play.Rejected) -> None:
    """Prints why an answer was refused."""
    say(
        f"match {rejected.match_id} turn {rejected.answered_turn_id}: {_fault(rejected.fault)}:"
        f" {rejected.reason} (strikes {rejected.strike_count}, retries left {rejected.retries_left})"
    )


def result(ended: play.MatchEnded, seat: int | None) -> str:
    """Returns how a match ended for a seat."""
    termination = _name(match_pb2.Termination.DESCRIPTOR, ended.termination, "TERMINATION_")
    parts = [f"match {ended.match_id}: {termination}"]
    for place in ended.placements:
        if place.seat == seat:
            parts.append(f"place {place.rank} of {len(ended.placements)}, score {place.score}")
            parts += ["forfeited"] * place.forfeited
    parts += [f"{_fault(count.kind)} {count.fault_count}" for count in ended.faults]
    return ", ".join(parts)


def _fault(number: int) -> str:
    return _name(fault_pb2.FaultKind.DESCRIPTOR, number, "FAULT_KIND_")


def _name(enum: EnumDescriptor, number: int, prefix: str) -> str:
    """Returns the name of a value; its number where it is newer than this kit."""
    value = enum.values_by_number.get(number)
    return str(number) if value is None else value.name.removeprefix(prefix).lower()
