"""Sin: sends messages of 3.9 MB and 5 MB; answers legally when it is asked again on a new stream."""

import itertools

import raw

from referee.v1 import play_service_pb2 as play

if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--bytes", default="3900000,5000000", help="comma separated, in order")
    given = options.parse_args()
    sizes = itertools.cycle(map(int, given.bytes.split(",")))

    def sin(stream: raw.Stream, turn: play.Turn) -> None:
        """Sends an act with a very long text, for which its stream is closed."""
        stream.act(turn, text="x" * next(sizes))

    raw.Bot(given, sin).run_on()
