"""Sin: sends a thousand acts a second into a match, beside legal answers."""

import threading
import time

import raw

from referee.v1 import play_service_pb2 as play


def flood(stream: raw.Stream, turn: play.Turn, rate: int) -> None:
    """Sends acts for a turn that is long over, in bursts of a hundredth of a second."""
    while True:
        for _ in range(max(1, rate // 100)):
            stream.act(turn, turn_id=turn.turn_id - 1, text="flood")
        time.sleep(0.01)


if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--rate", type=int, default=1000, help="acts per second")
    given = options.parse_args()
    threads: list[threading.Thread] = []

    def sin(stream: raw.Stream, turn: play.Turn) -> None:
        """Begins to flood, once, and answers legally."""
        if not threads:
            threads.append(threading.Thread(target=flood, args=(stream, turn, given.rate), daemon=True))
            threads[0].start()
        stream.act(turn)

    raw.Bot(given, sin).run(raw.Stream(given))
