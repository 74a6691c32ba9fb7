"""Plays up to 64 matches at once and answers all turns that came together in one go.

That is what a neural net wants: one evaluation of a whole batch, and the cost of a message shared.
"""

from referee.bot import Turn, main
from referee.bot.tiles import pips


def choose_batch(turns: list[Turn]) -> list[int]:
    """Returns one answer for each turn: the heaviest tile that fits, by its index."""
    weights = [[pips(play.block_dominoes.tile) for play in turn.legal_actions] for turn in turns]
    return [options.index(max(options)) for options in weights]


if __name__ == "__main__":
    main(choose_batch=choose_batch, games=["block_dominoes"], version="1", matches_at_once=64)
