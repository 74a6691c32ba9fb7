"""The Python bot kit: a bot is one function from a turn to an action.

    from referee.bot import Turn, run

    def choose(turn: Turn):
        return turn.legal_actions[0]

    if __name__ == "__main__":
        run(choose, games=["block_dominoes"], version="1")

Imports gRPC, the standard library and `referee.v1` only.
"""

import os

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # gRPC tells its trouble by statuses, which the kit prints

try:
    import grpc  # noqa: F401 -- asked for before anything that needs it
except ModuleNotFoundError as error:
    error.add_note("start the bot with a Python that has the referee; in a clone that is .venv/bin/python")
    raise

from referee.bot.run import main, run
from referee.bot.session import About
from referee.bot.turn import Answer, Turn

__all__ = ["About", "Answer", "Turn", "main", "run"]
