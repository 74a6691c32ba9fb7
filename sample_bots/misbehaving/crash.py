"""Sin: fails with an error in the middle of a match; with --at 0 before it connects, or --on a frame."""

import raw

from referee.v1 import play_service_pb2 as play


class Crash(raw.Bot):
    """Fails at a question, or when it hears a certain frame for the first time."""

    def hear(self, stream: raw.Stream, frame: play.PlayResponseFrame) -> None:
        """Raises at the frame that it waits for."""
        if frame.WhichOneof("frame") == self.options.on:
            raise RuntimeError(f"crash, as ordered, on {self.options.on}")
        super().hear(stream, frame)


def sin(stream: raw.Stream, turn: play.Turn) -> None:
    """Raises, unless that is for a frame to come."""
    if given.on is None:
        raise RuntimeError(f"crash, as ordered, at turn {turn.turn_id}")
    stream.act(turn)


if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--on", help="welcome, match_started, event, match_ended, ...")
    given = options.parse_args()
    if given.at == 0:
        raise RuntimeError("crash, as ordered, at the start")
    Crash(given, sin).run(raw.Stream(given, event_delivery=play.EVENT_DELIVERY_AT_ONCE))
