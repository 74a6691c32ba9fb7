"""Sin: plays a tile that it does not hold."""

import raw

from referee.v1 import play_service_pb2 as play
from referee.v1.block_dominoes_pb2 import BLOCK_DOMINOES_END_LEFT, BlockDominoesAction
from referee.v1.game_pb2 import Action

TILES = [16 * low + high for low in range(7) for high in range(low, 7)]


def sin(stream: raw.Stream, turn: play.Turn) -> None:
    """Names the first tile that is not in the hand."""
    hand = turn.observation.block_dominoes.private.hand_tiles
    tile = next(tile for tile in TILES if tile not in hand)
    action = BlockDominoesAction(tile=tile, end=BLOCK_DOMINOES_END_LEFT)
    stream.act(turn, action=Action(block_dominoes=action))


if __name__ == "__main__":
    given = raw.parser(__doc__).parse_args()
    raw.Bot(given, sin, obstinate=True).run(raw.Stream(given))
