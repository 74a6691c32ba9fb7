"""Sin: answers an old turn, and the right one when it is refused.

By default that is the turn before the last: another answer to the last one is a conflict, `--back 1`.
"""

import raw

from referee.v1 import play_service_pb2 as play

if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--back", type=int, default=2, help="how many turns back")
    given = options.parse_args()

    def sin(stream: raw.Stream, turn: play.Turn) -> None:
        """Names an old turn, with an answer that cannot be the old one again."""
        old = max(0, turn.turn_id - given.back)
        stream.act(turn, turn_id=old, text=f"old answer to {old}")

    raw.Bot(given, sin).run(raw.Stream(given))
