"""Where the pieces of Mexican Train are."""

from referee.games.mexican_train.rules import State
from referee.games.mexican_train.table import TILES


def pieces(state: State) -> list[int]:
    """Returns every tile that is in a hand, in the boneyard, on a train or in the centre."""
    held = [tile for hand in state.hands for piece, tile in enumerate(TILES) if hand >> piece & 1]
    laid = [min(lies, 16 * (lies & 15) + (lies >> 4)) for train in state.trains for lies in train]
    return [*held, *state.boneyard, *laid, state.centre]
