"""Sin: acts while another seat is to act."""

import raw

from referee.v1 import play_service_pb2 as play


class Meddler(raw.Bot):
    """Hears at once what others do, and answers with an act of its own."""

    seats: dict[str, int]
    turns: dict[str, play.Turn]

    def hear(self, stream: raw.Stream, frame: play.PlayResponseFrame) -> None:
        """Acts after an event unless its own turn may be next."""
        arm = frame.WhichOneof("frame")
        if arm == "match_started":
            self.seats[frame.match_started.match_id] = frame.match_started.seat
        elif arm == "turn":
            self.turns[frame.turn.match_id] = frame.turn
        elif arm == "event":
            match_id = frame.event.match_id
            own, turn = self.seats.get(match_id), self.turns.get(match_id)
            if turn is not None and (frame.event.seat + 1) % 4 != own:
                stream.act(turn, turn_id=turn.turn_id + 1)
        super().hear(stream, frame)


def sin(stream: raw.Stream, turn: play.Turn) -> None:
    """Answers legally; the sin is done between the turns."""
    stream.act(turn)


if __name__ == "__main__":
    given = raw.parser(__doc__).parse_args()
    bot = Meddler(given, sin)
    bot.seats, bot.turns = {}, {}
    bot.run(raw.Stream(given, event_delivery=play.EVENT_DELIVERY_AT_ONCE))
