"""Sin: sends three acts at once, for this turn and for the next two."""

import raw

from referee.v1 import play_service_pb2 as play


def sin(stream: raw.Stream, turn: play.Turn) -> None:
    """Answers turns that have not been asked."""
    for ahead in range(3):
        stream.act(turn, turn_id=turn.turn_id + ahead)


if __name__ == "__main__":
    given = raw.parser(__doc__).parse_args()
    raw.Bot(given, sin).run(raw.Stream(given))
