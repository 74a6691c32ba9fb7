"""Why a play or a discard is not legal, from what its seat may know."""

from referee.games import tiles
from referee.games.base import Action
from referee.games.ding_niu.hand import BIT
from referee.games.ding_niu.line import DEFAULT, DISCARD, FIT, OPEN, barred
from referee.games.line import LEFT, NO_END, name_the_end


def why_illegal(action: Action, hand: int, ends: int, lead_limit: str) -> str:
    """Says why a normalised play or discard is not legal with this hand and these open ends."""
    if action not in DEFAULT:
        return "there is no such action"
    tile = action >> 2 if action < DISCARD else action - DISCARD
    name = tiles.text(tile)
    if not hand & BIT[tile]:
        return f"you do not hold {name}"
    if ends == OPEN:
        return _no_lead(action, hand, lead_limit, name)
    left, right = divmod(ends, 7)
    if action >= DISCARD:
        return f"{name} may not be discarded while a tile of yours fits an end ({left} and {right})"
    if not FIT[ends] & BIT[tile]:
        return f"{name} fits neither end ({left} and {right})"
    if action & 3 == NO_END:
        return name_the_end(tile, left, right)
    return f"{name} does not fit the " + (
        f"left end ({left})" if action & 3 == LEFT else f"right end ({right})"
    )


def _no_lead(action: Action, hand: int, lead_limit: str, name: str) -> str:
    """Says why a tile of the hand does not open the line so."""
    if action >= DISCARD:
        return "the line is empty: lead with a tile"
    if action & 3 == NO_END and barred(hand, lead_limit) & BIT[action >> 2]:
        held = "every" if lead_limit == "definition" else "a"
        return f"{name} may not be led while you hold {held} tile with a {name[0]} that is no double"
    return f"the line is empty: lead with play {name}, without an end"
