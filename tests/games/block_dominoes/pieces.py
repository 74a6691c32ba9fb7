"""Where the pieces of block dominoes are, for the test that none is lost."""

from referee.games import tiles
from referee.games.block_dominoes.line import tiles_of
from referee.games.block_dominoes.rules import State


def pieces(state: State) -> list[int]:
    """Returns all tiles: those in hands and those in the line."""
    laid = [tiles.tile(*tiles.halves(code)) for code in state.line]
    return laid + [tile for hand in state.hands for tile in tiles_of(hand)]
