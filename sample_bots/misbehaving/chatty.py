"""Sin: prints 100 MB on standard output and standard error before it answers."""

import sys

import raw

from referee.v1 import play_service_pb2 as play

LINE = b"x" * 1023 + b"\n"


def chatter(megabytes: int) -> None:
    """Prints on both streams in turn."""
    for _ in range(megabytes * 1024):
        for stream in (sys.stdout.buffer, sys.stderr.buffer):
            stream.write(LINE)
    sys.stdout.buffer.flush()
    sys.stderr.buffer.flush()


if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--megabytes", type=int, default=100, help="on each of the two streams")
    given = options.parse_args()
    given.times = given.times or 1

    def sin(stream: raw.Stream, turn: play.Turn) -> None:
        """Prints it all, and answers legally."""
        chatter(given.megabytes)
        stream.act(turn)

    raw.Bot(given, sin).run(raw.Stream(given))
