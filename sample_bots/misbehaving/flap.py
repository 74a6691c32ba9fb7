"""Sin: drops its stream in the middle of its turn and comes back, at every third question."""

import raw

from referee.v1 import play_service_pb2 as play

if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--every", type=int, default=3, help="questions from one drop to the next")
    given = options.parse_args()
    drops_left, given.times = given.times or -1, 0
    questions = 0

    def sin(stream: raw.Stream, turn: play.Turn) -> None:
        """Drops at a question that is due; the question is answered when it is told again."""
        global drops_left, questions  # noqa: PLW0603 -- a script of one function
        questions += 1
        if drops_left and questions % given.every == 0:
            drops_left -= 1
            stream.drop()
        else:
            stream.act(turn)

    raw.Bot(given, sin).run_on()
