"""The session of one stream: every frame in every state, limits and pings; no I/O."""

from typing import Any, get_args

import pytest

from referee.match.config import SECOND
from referee.server import hello, load
from referee.server import session as said
from referee.server.config import Limits
from referee.server.session import TRANSITIONS, Kind, Session, State
from referee.v1 import fault_pb2 as faults
from referee.v1 import play_service_pb2 as pb

HELLO = pb.Hello(protocol_version=1, bot_version="1", games=["block_dominoes"])
MESSAGES: dict[Kind, bytes] = {
    "hello": pb.PlayRequest(frames=[pb.PlayRequestFrame(hello=HELLO)]).SerializeToString(),
    "ready": pb.PlayRequest(
        frames=[pb.PlayRequestFrame(ready=pb.Ready(match_id="m", entropy=b"e"))]
    ).SerializeToString(),
    "act": pb.PlayRequest(
        frames=[pb.PlayRequestFrame(act=pb.Act(match_id="m", turn_id=1, index=0))]
    ).SerializeToString(),
    "pong": pb.PlayRequest(frames=[pb.PlayRequestFrame(pong=pb.Pong(ping_id=1))]).SerializeToString(),
    "leave": pb.PlayRequest(frames=[pb.PlayRequestFrame(leave=pb.Leave())]).SerializeToString(),
    "practice": pb.PlayRequest(
        frames=[pb.PlayRequestFrame(practice=pb.Practice(game="guan_pai", level="easy"))]
    ).SerializeToString(),
    "unknown": pb.PlayRequest(frames=[pb.PlayRequestFrame()]).SerializeToString(),
    "unparsable": b"\xff\xff",
    "oversize": b"\0" * (Limits().request_bytes + 1),
    "crowded": b"\x0a\x00" * (Limits().request_frames + 1),
}
UNREAD = b"\xf2\x3f\x80\x20" + b"x" * 4096
"""A field that nobody knows, with 4 KiB in it."""
PATHS: dict[State, tuple[Kind, ...]] = {
    "new": (),
    "open": ("hello",),
    "leaving": ("hello", "leave"),
    "closed": ("act",),
}
"""How to come to each state."""


def session(*kinds: Kind, limits: Limits | None = None) -> Session:
    """Returns a session that has heard some frames."""
    made = Session(limits or Limits(), 0)
    for kind in kinds:
        hear(made, kind)
    return made


def hear(made: Session, kind: Kind, now: int = 0) -> list[said.Signal]:
    """Feeds one message and returns what follows."""
    return list(made.receive(MESSAGES[kind], now))


@pytest.mark.parametrize("state", get_args(State))
@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_frame_in_every_state_follows_the_table(state: State, kind: Kind) -> None:
    """A frame of the table leads to its state; any other is a fault, which closes a new stream."""
    made = session(*PATHS[state])
    assert made.state == state
    signals = hear(made, kind)

    if kind in TRANSITIONS[state]:
        assert made.state == TRANSITIONS[state][kind]
        assert not any(isinstance(signal, said.StreamFault | said.Closing) for signal in signals)
    elif state == "closed":
        assert signals == []
    elif state == "new":
        assert [type(signal) for signal in signals] == [said.Closing]
        assert made.state == "closed"
    else:
        assert isinstance(signals[0], said.StreamFault)
        assert made.state == ("closed" if kind in {"oversize", "crowded"} else state)


def test_an_empty_message_means_nothing() -> None:
    """A message without frames is allowed in every state."""
    for path in PATHS.values():
        made = session(*path)
        before = made.state

        assert list(made.receive(b"", 0)) == []
        assert made.state == before


def test_the_last_allowed_stream_fault_closes() -> None:
    """Faults of any kind count together; the third is the last."""
    made = session("hello")
    assert [type(signal) for signal in hear(made, "unknown")] == [said.StreamFault]
    assert [type(signal) for signal in hear(made, "hello")] == [said.StreamFault]
    assert [type(signal) for signal in hear(made, "unparsable")] == [said.StreamFault, said.Closing]
    assert hear(made, "act") == []


@pytest.mark.parametrize(
    "changed",
    [
        {"protocol_version": 2},
        {"bot_version": "x" * 65},
        {"bot_version": "a\nb"},
        {"bot_version": "1 "},
        {"instance_id": "a  b"},
        {"instance_id": "x" * 65},
        {"games": []},
        {"games": [""]},
        {"matches_at_once": 257},
        {"matches_at_once": -1},
        {"max_hosts": 65},
        {"event_delivery": 99},
    ],
)
def test_a_hello_out_of_range_is_refused_by_its_field(changed: dict[str, Any]) -> None:
    """The note names the field that is wrong, and the stream is closed."""
    hello = pb.Hello()
    hello.CopyFrom(HELLO)
    (field,) = changed
    hello.ClearField(field)  # type: ignore[arg-type]
    hello.MergeFrom(pb.Hello(**changed))
    made = Session(Limits(), 0)
    message = pb.PlayRequest(frames=[pb.PlayRequestFrame(hello=hello)]).SerializeToString()
    (closing,) = made.receive(message, 0)

    assert isinstance(closing, said.Closing)
    assert closing.reason == pb.GOODBYE_REASON_BAD_HELLO
    assert field in closing.note
    assert made.state == "closed"


def test_hello_fills_in_what_is_unset() -> None:
    """Unset means instance `default`, one match at a time, events with the turn, legal actions."""
    (signal,) = hear(session(), "hello")

    assert signal == hello.Introduction(
        "1", "default", ("block_dominoes",), 1, pb.EVENT_DELIVERY_WITH_TURN, legal_actions=True
    )


def test_d16_acts_beyond_the_rate_are_told_once_a_second() -> None:
    """Acts that answer no open turn take a token each; what is above is one signal a second."""
    made = session("hello", limits=Limits(acts_per_second=3, acts_per_second_per_match=2))
    made.match_started("m")
    at_once = [signal for _ in range(20) for signal in hear(made, "act")]

    assert [type(signal) for signal in at_once] == [said.Acted] * 5 + [said.Flooded]

    later = [signal for _ in range(20) for signal in hear(made, "act", SECOND)]
    assert [type(signal) for signal in later] == [said.Acted] * 5 + [said.Flooded]
    assert later[-1] == said.Flooded("m")


def test_d16_a_flood_that_names_no_match_is_told_as_one() -> None:
    """Made-up match ids do not multiply what is told."""
    made = session("hello", limits=Limits(acts_per_second=1))
    signals: list[said.Signal] = []
    for number in range(4):
        frame = pb.PlayRequestFrame(act=pb.Act(match_id=f"m{number}", index=0))
        signals += made.receive(pb.PlayRequest(frames=[frame]).SerializeToString(), 0)

    assert [type(signal) for signal in signals] == [said.Acted, said.Flooded]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(MESSAGES["pong"], id="pongs"),
        pytest.param(b"", id="empty messages"),
        pytest.param(MESSAGES["act"], id="acts"),
        pytest.param(
            pb.PlayRequest(frames=[pb.PlayRequestFrame(pong=pb.Pong(ping_id=1))] * 500).SerializeToString(),
            id="many frames",
        ),
        pytest.param(MESSAGES["pong"] + UNREAD, id="bytes nobody reads"),
    ],
)
def test_d16_far_more_than_a_bot_needs_to_say_closes_the_stream(data: bytes) -> None:
    """Whatever it is made of, ten times the polite rate is borne and no more; time makes room again."""
    made = session("hello", limits=Limits(acts_per_second=50))
    signals: list[said.Signal] = []
    for millisecond in range(1_000):
        signals += made.receive(data, millisecond * SECOND // 1_000)

    assert made.state == "closed"
    (closing,) = (signal for signal in signals if isinstance(signal, said.Closing))
    assert closing.code == "RESOURCE_EXHAUSTED"


def test_d16_a_bot_at_the_polite_rate_is_never_closed() -> None:
    """Fifty acts a second that answer nothing are refused one by one, for as long as they like."""
    made = session("hello", limits=Limits(acts_per_second=50))

    for number in range(2_000):
        signals = hear(made, "act", number * SECOND // 50)
        assert [type(signal) for signal in signals] == [said.Acted]


def test_bytes_of_answers_are_no_load() -> None:
    """A bot of many matches may answer as fast as it is asked, in messages of any size."""
    carried = load.Load(Limits(), 0)

    assert all(carried.bears(64 * 100, 64, 64, 0) for _ in range(10_000))


def test_a_long_message_in_a_longer_form_than_needed_is_refused_unread() -> None:
    """Looking for numbers that do not fit would take too long; a short one is looked through."""
    longer_than_needed = bytes([0x0A, 5, 0x22, 3, 0x08, 0x85, 0])
    assert pb.PlayRequest.FromString(longer_than_needed).frames[0].pong.ping_id == 5

    assert list(session("hello").receive(longer_than_needed, 0)) == []
    (fault,) = session("hello").receive(longer_than_needed + UNREAD * 10, 0)
    assert isinstance(fault, said.StreamFault)
    assert "shortest form" in fault.reason


def test_answers_to_open_turns_take_no_tokens() -> None:
    """A quick bot is paced by the referee and never above the rate."""
    made = session("hello", limits=Limits(acts_per_second=1))
    made.adopt({"m": 1})

    assert all(isinstance(hear(made, "act")[0], said.Acted) for _ in range(500))


def test_lag_is_the_least_of_the_last_pings_answered_while_no_turn_was_open() -> None:
    """A pong with a turn open, for another ping or after a turn came between measures nothing."""
    open_turns: dict[str, int] = {}
    made = session("hello")
    made.adopt(open_turns)

    def pong(ping_id: int, now: int) -> None:
        frame = pb.PlayRequestFrame(pong=pb.Pong(ping_id=ping_id))
        list(made.receive(pb.PlayRequest(frames=[frame]).SerializeToString(), now))

    assert made.lag == 0
    pong(made.ping(0), 300)
    pong(made.ping(1000), 1200)
    assert made.lag == 200

    overtaken = made.ping(2000)
    open_turns["m"] = 1
    made.turn_opened()
    pong(overtaken, 2001)
    assert made.ping(3000) == 0
    open_turns.clear()
    pong(overtaken, 3000)
    pong(made.ping(3000) - 1, 3001)
    assert made.lag == 200

    pong(overtaken + 1, 3500)
    for number in range(15):
        pong(made.ping(4000 + number), 4500 + number)
    assert made.lag == 500


def test_m2_numbers_too_wide_for_their_field_are_no_message() -> None:
    """What protobuf would cut to 32 bits is a stream fault that names the field."""
    act = b"\x0a\x01m\x10\x01\x20" + b"\x80" * 9 + b"\x01"
    frame = b"\x1a" + bytes((len(act),)) + act
    made = session("hello")
    (fault,) = made.receive(b"\x0a" + bytes((len(frame),)) + frame, 0)

    assert isinstance(fault, said.StreamFault)
    assert fault.fault == faults.FAULT_KIND_UNPARSABLE
    assert "frames.act.index" in fault.reason


def test_encodings_that_are_merely_longer_are_read() -> None:
    """Explicit zeros, which some encoders write, and unknown fields are no faults."""
    act = b"\x0a\x01m\x10\x01\x20\x00\x98\x06\x05"
    frame = b"\x1a" + bytes((len(act),)) + act
    padded = b"\x0a" + bytes((len(frame) | 0x80, 0)) + frame
    (signal,) = session("hello").receive(padded, 0)

    assert isinstance(signal, said.Acted)
    assert signal.act.WhichOneof("answer") == "index"
