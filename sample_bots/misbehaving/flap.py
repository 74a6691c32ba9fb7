"""Sin: drops its stream in the middle of its turn and comes back, at every third question."""

import raw

from referee.v1 import play_service_pb2 as play

if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--every", type=int, default=3, help="questions from one drop to the next")
    given = options.parse_args()
    questions: set[tuple[str, int]] = set()

    def sin(stream: raw.Stream, turn: play.Turn) -> None:
        """Drops at a question that is new and due; answers it when it is told again."""
        question = (turn.match_id, turn.turn_id)
        new = question not in questions
        questions.add(question)
        if new and len(questions) % given.every == 0:
            stream.drop()
        else:
            stream.act(turn)

    raw.Bot(given, sin).run_on()
