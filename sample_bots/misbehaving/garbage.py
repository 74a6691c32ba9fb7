"""Sin: sends malformed messages, one kind after the other, each followed by a legal answer."""

import itertools
import os
from collections.abc import Callable

import raw

from referee.v1 import play_service_pb2 as play


def field(number: int, content: bytes) -> bytes:
    """Returns a length-delimited protobuf field."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    """Returns a whole number of up to 64 bits as protobuf writes it."""
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + varint(rest) if rest else bytes([low])


def act(turn: play.Turn, answer: bytes) -> bytes:
    """Returns a request with an act whose answer field is given as bytes."""
    named = play.Act(match_id=turn.match_id, turn_id=turn.turn_id).SerializeToString()
    return field(1, field(3, named + answer))


def index(turn: play.Turn, number: int) -> bytes:
    """Returns an act that names an index, in the 64 bits of a protobuf varint."""
    return act(turn, varint(4 << 3) + varint(number % 2**64))


def unknown_enum(turn: play.Turn) -> bytes:
    """Returns an act with enum value 99: the end of the line in block dominoes, else the kind of action."""
    legal = turn.legal_actions[0]
    if legal.WhichOneof("game") == "block_dominoes":
        tile = varint(1 << 3) + varint(legal.block_dominoes.tile)
        return act(turn, field(3, field(1, tile + varint(2 << 3) + varint(99))))
    ((arm, _),) = legal.ListFields()
    return act(turn, field(3, field(arm.number, varint(1 << 3) + varint(99))))


KINDS: dict[str, Callable[[play.Turn], bytes]] = {
    "empty": lambda _: b"",
    "no_answer": lambda turn: act(turn, b""),
    "empty_action": lambda turn: act(turn, field(3, b"")),
    "unknown_enum": unknown_enum,
    "negative_index": lambda turn: index(turn, -1),
    "index_2_31": lambda turn: index(turn, 2**31),
    "index_2_63": lambda turn: index(turn, 2**63),
    "unset_frame": lambda _: field(1, b""),
    "unknown_frame": lambda _: field(1, field(99, b"")),
    "invalid_utf8": lambda turn: act(turn, field(5, b"play 2-5 \xff\xfe")),
    "random": lambda _: b"\xff" + os.urandom(64),
}

if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--kinds", default=",".join(KINDS), help="comma separated, in order")
    given = options.parse_args()
    kinds = itertools.cycle(given.kinds.split(","))

    def sin(stream: raw.Stream, turn: play.Turn) -> None:
        """Sends the next kind, then a legal answer."""
        stream.send_bytes(KINDS[next(kinds)](turn))
        stream.act(turn)

    raw.Bot(given, sin).run_on()
