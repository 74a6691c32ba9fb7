"""Prints a log as its viewer may see it: all of it, what one seat was told, or what spectators were told."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from referee.cli.printing import answer, json_of
from referee.cli.replay_seat import SeatReporter
from referee.cli.replay_table import explained, print_story, say_folded
from referee.cli.tables import console, say
from referee.cli.watch_text import Reporter
from referee.errors import RecordError
from referee.replay.reader import Log
from referee.replay.show import state, story
from referee.server.retell import retell, retell_spectator
from referee.v1 import arena_service_pb2 as pb
from referee.v1 import play_service_pb2 as play


class _Told(NamedTuple):
    """One frame that a viewer was told, as JSON and as lines for people."""

    as_json: Any
    lines: Iterable[str]


def show_all(log: Log, *, as_json: bool) -> bool:
    """Prints the whole truth; says whether the log is good as far as it goes."""
    if as_json:
        _print({"header": log.setup, "records": log.records}, log, log.fault)
    else:
        print_story(story(log), console())
    return log.fault is None


def show_seat(log: Log, seat: int, *, as_json: bool) -> bool:
    """Prints what one seat was told, and nothing else; says whether the log is good as far as it goes."""
    view = {"view": "seat", "seat": seat}
    return _show(log, _seat_frames(log, seat), view if as_json else None)


def show_spectator(log: Log, *, as_json: bool) -> bool:
    """Prints what spectators were told; says whether the log is good as far as it goes."""
    return _show(log, _spectator_frames(log), {"view": "spectator"} if as_json else None)


def _seat_frames(log: Log, seat: int) -> Iterator[_Told]:
    reporter = SeatReporter()
    for heard in retell(log):
        if heard.seat == seat:
            for frame in play.PlayResponse.FromString(heard.data).frames:
                told = {"n": heard.n, "t": heard.t, "frame": _fields(frame)}
                yield _Told(told, reporter.lines(heard.t, frame))


def _spectator_frames(log: Log) -> Iterator[_Told]:
    reporter = Reporter()
    for data in retell_spectator(log):
        for frame in pb.WatchMatchResponse.FromString(data).frames:
            yield _Told({"frame": _fields(frame)}, reporter.lines(frame))


def _show(log: Log, frames: Iterator[_Told], view: dict[str, Any] | None) -> bool:
    """Prints the frames up to where they end or the log goes wrong, and in the end which of them it was."""
    out, fault, kept = console(), log.fault, []
    take: Callable[[_Told], None]
    if view is None:

        def take(told: _Told) -> None:
            for line in told.lines:
                say_folded(out, line)

    else:

        def take(told: _Told) -> None:
            kept.append(told.as_json)

    try:
        for told in frames:
            take(told)
    except RecordError as error:
        if not error.line:
            raise
        fault = error
    if view is not None:
        _print({"match_id": log.setup.match_id, **view, "frames": kept}, log, fault)
    elif fault or not log.end:
        say(out, explained(state(log, fault)), "bold")
    return fault is None


def _print(facts: dict[str, Any], log: Log, fault: RecordError | None) -> None:
    whole = {
        **facts,
        "ended": log.ended,
        "torn": log.torn,
        "fault": str(fault) if fault else None,
        "last_hash": log.last_hash,
    }
    answer(json_of(whole))


def _fields(message: Message) -> dict[str, Any]:
    """Returns a message as JSON has it, with the fields that are zero or empty."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
