"""Sin, a small one: takes a fixed time for each answer, by default 100 ms."""

import time

import raw

from referee.v1 import play_service_pb2 as play

if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--ms", type=float, default=100)
    given = options.parse_args()

    def sin(stream: raw.Stream, turn: play.Turn) -> None:
        """Sleeps, then answers."""
        time.sleep(given.ms / 1000)
        stream.act(turn)

    raw.Bot(given, sin).run(raw.Stream(given))
