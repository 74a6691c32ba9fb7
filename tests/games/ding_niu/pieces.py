"""Where the pieces of Ding Niu are, for the tests of what is lost and of what is shown."""

from referee.games import tiles
from referee.games.ding_niu.hand import tiles_of
from referee.games.ding_niu.rules import State


def pieces(state: State) -> list[int]:
    """Returns all tiles: those in hands, in the line, and those face down."""
    hands = [tile for hand in state.hands for tile in tiles_of(hand)]
    return laid(state) + hands + [tile for down in state.discards for tile in down]


def seen(state: State, viewer: int) -> set[int]:
    """Returns the tiles that a viewer may know: those in the line, and its own."""
    own = [*tiles_of(state.hands[viewer]), *state.discards[viewer]] if viewer >= 0 else []
    return {*laid(state), *own}


def laid(state: State) -> list[int]:
    """Returns the tiles of the line."""
    return [tiles.tile(*tiles.halves(code)) for code in state.line]
