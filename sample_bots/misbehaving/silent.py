"""Sin: reads its questions and never answers, with the stream open."""

import raw

from referee.v1 import play_service_pb2 as play


def sin(_stream: raw.Stream, _turn: play.Turn) -> None:
    """Does nothing."""


if __name__ == "__main__":
    given = raw.parser(__doc__).parse_args()
    raw.Bot(given, sin).run(raw.Stream(given))
