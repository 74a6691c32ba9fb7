"""The games, by name."""

from difflib import get_close_matches
from typing import Final

from referee.errors import UsageError
from referee.games import block_dominoes, ding_niu, guan_pai, mexican_train
from referee.games.base import Game

REGISTRY: Final[tuple[Game, ...]] = (
    block_dominoes.GAME,
    guan_pai.GAME,
    mexican_train.GAME,
    ding_niu.GAME,
)
"""Every game that can be played, one line each."""


def names() -> tuple[str, ...]:
    """Returns the names of all games in the order of the registry."""
    return tuple(game.info.name for game in REGISTRY)


def find(name: str) -> Game:
    """Returns the game of this name; raises `UsageError` with the names that there are."""
    for game in REGISTRY:
        if game.info.name == name:
            return game
    near = get_close_matches(name, names(), n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names())}"
    raise UsageError(f"no game is called {name[:40]!r}; {hint}")
