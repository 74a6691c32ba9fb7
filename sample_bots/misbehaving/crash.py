"""Sin: fails with an error in the middle of a match; with --at 0 before it connects."""

import raw

from referee.v1 import play_service_pb2 as play


def sin(_stream: raw.Stream, turn: play.Turn) -> None:
    """Raises."""
    raise RuntimeError(f"crash, as ordered, at turn {turn.turn_id}")


if __name__ == "__main__":
    given = raw.parser(__doc__).parse_args()
    if given.at == 0:
        raise RuntimeError("crash, as ordered, at the start")
    raw.Bot(given, sin).run(raw.Stream(given))
