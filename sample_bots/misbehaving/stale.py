"""Sin: answers the turn before the one that is asked, and the right one when it is refused."""

import raw

from referee.v1 import play_service_pb2 as play


def sin(stream: raw.Stream, turn: play.Turn) -> None:
    """Names an old turn, with an answer that cannot be the old one again."""
    stream.act(turn, turn_id=turn.turn_id - 1, text=f"old answer to {turn.turn_id - 1}")


if __name__ == "__main__":
    given = raw.parser(__doc__).parse_args()
    raw.Bot(given, sin).run(raw.Stream(given))
