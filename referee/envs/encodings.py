"""The encoding of each game, by its name."""

from typing import Final, Protocol

from referee.envs.block_dominoes import BlockDominoes
from referee.envs.ding_niu import DingNiu
from referee.envs.encoding import Encoding
from referee.envs.guan_pai import GuanPai
from referee.envs.mexican_train import MexicanTrain
from referee.games.info import Options


class Encode(Protocol):
    """Makes the encoding of a game."""

    def __call__(self, seats: int, options: Options) -> Encoding:
        """Returns the encoding for a number of seats and resolved options."""


ENCODINGS: Final[dict[str, Encode]] = {
    "block_dominoes": BlockDominoes,
    "guan_pai": GuanPai,
    "mexican_train": MexicanTrain,
    "ding_niu": DingNiu,
}


def encoding_of(game: str, seats: int, options: Options) -> Encoding:
    """Returns the encoding of a game of the registry, for a number of seats and resolved options."""
    return ENCODINGS[game](seats, options)
