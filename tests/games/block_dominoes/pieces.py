"""Where the pieces of block dominoes are, for the tests of what is lost and of what is shown."""

from referee.games import tiles
from referee.games.block_dominoes.line import HIGHEST_DOUBLE, OPEN_HIGHEST, tiles_of
from referee.games.block_dominoes.rules import State


def pieces(state: State) -> list[int]:
    """Returns all tiles: those in hands and those in the line, and its own."""
    laid = [tiles.tile(*tiles.halves(code)) for code in state.line]
    return laid + [tile for hand in state.hands for tile in tiles_of(hand)]


def seen(state: State, viewer: int) -> set[int]:
    """Returns the tiles that a viewer may know: those in the line, its own, and 6-6 where it has to open."""
    laid = {tiles.tile(*tiles.halves(code)) for code in state.line}
    own = tiles_of(state.hands[viewer]) if viewer >= 0 else ()
    due = [HIGHEST_DOUBLE] if state.ends == OPEN_HIGHEST else []
    return {*laid, *own, *due}
