"""Sin, a small one: has odd names, and prints odd characters and bytes that are no text."""

import sys

import raw

from referee.v1 import play_service_pb2 as play

ODD = "🁣 骨牌 доми́но e\u0301 \u202eright to left\u202c"


def sin(stream: raw.Stream, turn: play.Turn) -> None:
    """Prints, and answers legally."""
    sys.stderr.buffer.write(f"{ODD} {turn.turn_id}\n".encode() + b"\xff\xfe\x1b[31m\x00\r\n")
    sys.stderr.buffer.flush()
    stream.act(turn)


if __name__ == "__main__":
    given = raw.parser(__doc__).parse_args()
    raw.Bot(given, sin).run(raw.Stream(given, bot_version="1.0 🁣 骨牌", instance_id="доми́но Ünïcode"))
