"""Where the pieces of Ding Niu are, for the test that none is lost."""

from referee.games import tiles
from referee.games.ding_niu.hand import tiles_of
from referee.games.ding_niu.rules import State


def pieces(state: State) -> list[int]:
    """Returns all tiles: those in hands, those face down and those in the line."""
    laid = [tiles.tile(*tiles.halves(code)) for code in state.line]
    held = [tile for hand in state.hands for tile in tiles_of(hand)]
    return laid + held + [tile for down in state.discards for tile in down]
