"""A first bot: plays the first legal action. Put your own idea into `choose`."""

from referee.bot import Answer, Turn, main

GAMES = ["block_dominoes", "guan_pai", "mexican_train", "ding_niu"]


def choose(turn: Turn) -> Answer:
    """Returns an action; `turn.observation` holds all that the seat may know."""
    return turn.legal_actions[0]


if __name__ == "__main__":
    main(choose, games=GAMES, version="1")
