"""Where the pieces of Guan Pai are, for the tests of what is lost and of what is shown."""

from referee.games.guan_pai.hand import D3, codes_of
from referee.games.guan_pai.rules import State


def pieces(state: State) -> list[int]:
    """Returns all cards: those in hands, and those that were played."""
    return [card for held in (*state.hands, *state.played) for card in codes_of(held)]


def seen(state: State, viewer: int) -> set[int]:
    """Returns the cards that a viewer may know: those that were played, its own, and 3D, by who leads."""
    own = codes_of(state.hands[viewer]) if viewer >= 0 else b""
    return {codes_of(D3)[0], *own, *(card for held in state.played for card in codes_of(held))}
