"""The games as environments of PettingZoo, for learning; needs the extra `pettingzoo`."""

try:
    from referee.envs.arena import Arena, Observation
except ModuleNotFoundError as missing:
    if missing.name not in {"gymnasium", "numpy", "pettingzoo"}:
        raise
    raise ModuleNotFoundError(
        f"referee.envs needs {missing.name}; run pip install -e '.[pettingzoo]' in the referee's folder",
        name=missing.name,
    ) from None

from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from referee.games.info import Options

__all__ = ["Arena", "Observation", "env", "raw_env"]


def raw_env(
    game: str, seats: int | None = None, options: Options | None = None, render_mode: str | None = None
) -> Arena:
    """Returns the environment of a game, without wrappers.

    `seats` are as few as the game allows unless given; `options` are the game's, with their defaults
    for those not given.
    """
    return Arena(game, seats, options, render_mode)


def env(
    game: str, seats: int | None = None, options: Options | None = None, render_mode: str | None = None
) -> OrderEnforcingWrapper[str, Any, Any]:
    """Returns the environment of a game, wrapped so that calls in a wrong order are named."""
    return OrderEnforcingWrapper(Arena(game, seats, options, render_mode))
