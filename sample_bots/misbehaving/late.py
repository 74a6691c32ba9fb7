"""Sin: gives a legal answer after the deadline, by default at 1.3 times the time it had."""

import time

import raw

from referee.v1 import play_service_pb2 as play

if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--factor", type=float, default=1.3, help="of the time left when asked")
    given = options.parse_args()

    def sin(stream: raw.Stream, turn: play.Turn) -> None:
        """Sleeps, then answers."""
        time.sleep(given.factor * turn.clock.remaining_duration.ToMicroseconds() / 1e6)
        stream.act(turn)

    raw.Bot(given, sin).run(raw.Stream(given))
