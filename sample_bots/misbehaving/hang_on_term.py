"""Sin: ignores SIGTERM, and spins after its last match instead of ending."""

import signal

import raw

from referee.v1 import play_service_pb2 as play


def sin(stream: raw.Stream, turn: play.Turn) -> None:
    """Answers legally; the sin is done at the end."""
    stream.act(turn)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    given = raw.parser(__doc__).parse_args()
    raw.Bot(given, sin).run(raw.Stream(given))
    while True:
        pass
