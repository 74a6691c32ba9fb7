"""Sin: plays a tile or a card that it does not hold."""

import raw

from referee.v1 import play_service_pb2 as play
from referee.v1.game_pb2 import Action

TILES = [16 * low + high for low in range(13) for high in range(low, 13)]
DING_NIU_TILES = [0x11, 0x13, 0x15, 0x16, 0x22, 0x26, 0x33, 0x36, 0x44, 0x46, 0x55, 0x56, 0x66]
CARDS = range(52)


def sin(stream: raw.Stream, turn: play.Turn) -> None:
    """Names the first piece of the game's set that is not in the hand, as a play."""
    game = turn.legal_actions[0].WhichOneof("game") or ""
    private = getattr(turn.observation, game).private
    action = Action()
    named = getattr(action, game)
    if game != "block_dominoes":
        named.kind = 1  # to play is the first kind of action in every game
    if game == "guan_pai":
        named.cards.append(next(card for card in CARDS if card not in private.hand_cards))
    else:
        tiles = DING_NIU_TILES if game == "ding_niu" else TILES
        named.tile = next(tile for tile in tiles if tile not in private.hand_tiles)
    stream.act(turn, action=action)


if __name__ == "__main__":
    given = raw.parser(__doc__).parse_args()
    raw.Bot(given, sin, obstinate=True).run(raw.Stream(given))
