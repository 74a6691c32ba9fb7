"""Sin: answers a turn twice, by turns with the same answer and with a different one."""

import itertools

import raw

from referee.v1 import play_service_pb2 as play

if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--kinds", default="same,different", help="comma separated, in order")
    given = options.parse_args()
    kinds = itertools.cycle(given.kinds.split(","))

    def sin(stream: raw.Stream, turn: play.Turn) -> None:
        """Answers legally, and then once more."""
        stream.act(turn)
        stream.act(turn, index=raw.LEGAL + (next(kinds) == "different"))

    raw.Bot(given, sin).run(raw.Stream(given))
