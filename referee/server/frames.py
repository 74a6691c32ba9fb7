"""Bytes of single frames, and the few rules of the protobuf encoding that assembling them takes.

A frame here is field 1 of `PlayResponse` with its tag and length, so that frames put one behind the
other are a `PlayResponse`. Serialised parts are concatenated instead of being built anew: the same
bytes as from the message objects, at a fraction of the cost; a test compares both.
"""

from functools import lru_cache
from typing import Final

from google.protobuf.duration_pb2 import Duration

from referee.games.encode import length_tag, prefixed, varint
from referee.match.config import SECOND, Penalties, TimeControl
from referee.server.auth import Identity
from referee.server.config import Limits
from referee.v1 import match_pb2
from referee.v1 import play_service_pb2 as pb

_TAG_FRAMES: Final = b"\x0a"
_CACHED_DURATIONS: Final = 4096


def frame(arm: str, body: bytes) -> bytes:
    """Returns the frame with this arm, `body` being its serialised message."""
    inner = _ARMS[arm] + varint(len(body)) + body
    return _TAG_FRAMES + varint(len(inner)) + inner


_ARMS: Final = {
    field.name: length_tag(pb.PlayResponseFrame, field.name)
    for field in pb.PlayResponseFrame.DESCRIPTOR.fields
}


def merged_field(tag_bytes: bytes, first: bytes, second: bytes) -> bytes:
    """Returns a field with a message whose one submessage comes in two halves, as if in one.

    Putting the halves one behind the other would mean the same by the rules of protobuf, but not
    every decoder merges a submessage that comes twice.
    """
    number = 1
    while first[number - 1] & 0x80:
        number += 1
    body = first[_after_length(first, number) :] + second[_after_length(second, number) :]
    inner = first[:number] + varint(len(body)) + body
    return tag_bytes + varint(len(inner)) + inner


def _after_length(field: bytes, at: int) -> int:
    while field[at] & 0x80:
        at += 1
    return at + 1


def duration(microseconds: int) -> Duration:
    """Returns a span of time as the wire has it."""
    seconds, rest = divmod(microseconds, SECOND)
    return Duration(seconds=seconds, nanos=rest * 1000)


@lru_cache(_CACHED_DURATIONS)
def clock_field(remaining: int, bank: int) -> bytes:
    """Returns the field `Turn.clock`."""
    clock = pb.Clock(remaining_duration=duration(remaining), bank_duration=duration(bank))
    body = clock.SerializeToString()
    return prefixed(_TURN_CLOCK, body)


_TURN_CLOCK: Final = length_tag(pb.Turn, "clock")


def time_control(control: TimeControl) -> match_pb2.TimeControl:
    """Returns a time control as the wire has it."""
    return match_pb2.TimeControl(
        base_duration=duration(control.base),
        bank_duration=duration(control.bank),
        increment_duration=duration(control.increment),
        join_duration=duration(control.join),
        start_duration=duration(control.start),
    )


def penalties(rules: Penalties) -> match_pb2.Penalties:
    """Returns rules of conduct as the wire has them."""
    return match_pb2.Penalties(
        max_retries=rules.retries,
        max_strikes=rules.strikes,
        stray_acts_per_strike=rules.strays,
    )


def welcome(server_id: str, who: Identity, limits: Limits, control: TimeControl, conduct: Penalties) -> bytes:
    """Returns the answer to `Hello`."""
    message = pb.Welcome(
        server_id=server_id,
        bot_id=who.bot_id,
        display_name=who.name,
        limits=pb.Limits(
            max_request_bytes=limits.request_bytes,
            max_response_bytes=limits.response_bytes,
            acts_per_second=limits.acts_per_second,
            acts_per_second_per_match=limits.acts_per_second_per_match,
            send_queue_frames=limits.queue_frames,
            write_duration=duration(limits.write),
            max_stream_faults=limits.stream_faults,
            max_request_frames=limits.request_frames,
        ),
        time_control=time_control(control),
        penalties=penalties(conduct),
    )
    return frame("welcome", message.SerializeToString())


def ping(ping_id: int) -> bytes:
    """Returns a ping."""
    return frame("ping", pb.Ping(ping_id=ping_id).SerializeToString())


def goodbye(reason: int, note: str) -> bytes:
    """Returns the last frame of a stream; `reason` is a value of `GoodbyeReason`."""
    message = pb.Goodbye(note=note)
    message.reason = reason  # type: ignore[assignment]  # the stubs know no plain number
    return frame("goodbye", message.SerializeToString())


_LONGEST_ID: Final = 64
"""What is repeated of a match id that no match has, in characters."""


def refusal(fault: int, reason: str, match_id: str = "", turn: int = 0) -> bytes:
    """Returns the refusal of something that concerns no running match of the bot."""
    message = pb.Rejected(match_id=match_id[:_LONGEST_ID], answered_turn_id=turn, reason=reason)
    message.fault = fault  # type: ignore[assignment]  # the stubs know no plain number
    return frame("rejected", message.SerializeToString())


def practice_refused(game: str, refusal: int, note: str, retry: int = 0) -> bytes:
    """Returns the refusal of a match of practice; `retry` is when to ask again, in microseconds from now."""
    message = pb.PracticeRefused(game=game[:_LONGEST_ID], note=note)
    message.refusal = refusal  # type: ignore[assignment]  # the stubs know no plain number
    if retry:
        message.retry_duration.CopyFrom(duration(retry))
    return frame("practice_refused", message.SerializeToString())
