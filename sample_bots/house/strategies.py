"""How the house bots play each game, by level.

Each strategy is a function from a turn to the index of a legal action, and looks at nothing but the
turn: it needs no memory, so a match may be joined, left and joined again at any point.
"""

import random
from collections.abc import Callable
from importlib import import_module

from referee.bot import Turn

_PARENT = f"{__package__}." if __package__ else ""
"""Empty where a script beside this file runs it."""
_NAMES = ("block_dominoes", "guan_pai", "mexican_train", "ding_niu")
GAMES = {name: import_module(_PARENT + name) for name in _NAMES}
"""The games that the house bots play; each module has the functions `normal` and `expert`."""


def easy(generator: random.Random) -> Callable[[Turn], int]:
    """Returns a player that plays any legal action of any game, each as likely as the others."""
    return lambda turn: generator.randrange(len(turn.legal_actions))


def normal(turn: Turn) -> int:
    """Plays by a simple rule of thumb."""
    return int(GAMES[turn.game].normal(turn))


def expert(turn: Turn) -> int:
    """Plays by what can be told from all that was played."""
    return int(GAMES[turn.game].expert(turn))
