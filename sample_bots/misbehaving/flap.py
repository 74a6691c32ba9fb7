"""Sin: drops its stream in the middle of its turn and comes back, at every third question."""

import sys

import raw

from referee.v1 import play_service_pb2 as play

if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--every", type=int, default=3, help="questions from one drop to the next")
    given = options.parse_args()
    drops_left, given.times = given.times or sys.maxsize, 0
    questions: set[tuple[str, int]] = set()

    def sin(stream: raw.Stream, turn: play.Turn) -> None:
        """Drops at a question that is new and due; answers it when it is told again."""
        global drops_left  # noqa: PLW0603 -- a script of one function
        question = (turn.match_id, turn.turn_id)
        new = question not in questions
        questions.add(question)
        if new and drops_left and len(questions) % given.every == 0:
            drops_left -= 1
            stream.drop()
        else:
            stream.act(turn)

    raw.Bot(given, sin).run_on()
