"""What the kit tells on stderr, one line each."""

import sys

from google.protobuf.descriptor import EnumDescriptor

from referee.v1 import fault_pb2, match_pb2
from referee.v1 import play_service_pb2 as play


def say(line: str) -> None:
    """Prints one line."""
    sys.stderr.write(f"bot: {line}\n")
    sys.stderr.flush()


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
