"""Sin: stops reading with the stream open; with --at 0 it never reads at all."""

import time

import raw

from referee.v1 import play_service_pb2 as play


def sin(_stream: raw.Stream, _turn: play.Turn) -> None:
    """Sleeps, and so reads nothing more."""
    time.sleep(3600)


if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--window", type=int, default=1024, help="bytes the connection takes unread")
    given = options.parse_args()
    narrow = (("grpc.http2.lookahead_bytes", given.window), ("grpc.http2.bdp_probe", 0))
    stream = raw.Stream(given, narrow, event_delivery=play.EVENT_DELIVERY_AT_ONCE)
    if given.at == 0:
        time.sleep(3600)
    raw.Bot(given, sin).run(stream)
