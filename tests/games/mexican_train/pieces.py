"""Where the pieces of Mexican Train are, for the tests of what is lost and of what is shown."""

from referee.games import tiles
from referee.games.mexican_train.rules import State
from referee.games.mexican_train.table import tiles_of


def pieces(state: State) -> list[int]:
    """Returns all tiles: those in hands, in the boneyard, on the trains, and the engine."""
    return (
        sorted(seen(state, -1))
        + [tile for hand in state.hands for tile in tiles_of(hand)]
        + [*state.boneyard]
    )


def seen(state: State, viewer: int) -> set[int]:
    """Returns the tiles that a viewer may know: those on the table, and its own."""
    laid = {tiles.tile(*tiles.halves(code)) for train in state.trains for code in train}
    own = tiles_of(state.hands[viewer]) if viewer >= 0 else ()
    return {state.centre, *laid, *own}
