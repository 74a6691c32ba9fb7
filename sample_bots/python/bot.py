"""A bot with the kit: a small strategy for each game. Put your own idea into `choose`."""

import secrets

from referee.bot import Answer, Turn, cards, main
from referee.bot.tiles import is_double, pips
from referee.v1.block_dominoes_pb2 import BlockDominoesAction
from referee.v1.ding_niu_pb2 import (
    DING_NIU_ACTION_KIND_DISCARD,
    DING_NIU_ACTION_KIND_PLAY,
    DING_NIU_ACTION_KIND_SETTLE,
    DingNiuAction,
)
from referee.v1.game_pb2 import Action
from referee.v1.guan_pai_pb2 import GUAN_PAI_ACTION_KIND_PLAY, GuanPaiAction, GuanPaiObservation
from referee.v1.mexican_train_pb2 import (
    MEXICAN_TRAIN_ACTION_KIND_PLAY,
    MexicanTrainAction,
    MexicanTrainPublic,
)
from referee.v1.play_service_pb2 import MatchStarted

GAMES = ("block_dominoes", "guan_pai", "mexican_train", "ding_niu")
ACE = 11
"""The rank of aces; `referee.bot.cards` tells how cards are numbered."""


def prepare() -> None:
    """Runs once before the bot connects: the place to load a model. No clock runs yet."""


def on_match(started: MatchStarted) -> None:
    """Runs before the bot is ready for a match, whose options and opponents are told."""


def choose(turn: Turn) -> Answer:
    """Returns the action that is worth most; `turn.observation` holds all that the seat may know."""
    if turn.rejected is not None:
        return 0  # something is wrong with its choice: the first legal action is never refused
    return max(turn.legal_actions, key=lambda action: value(turn, action))


def value(turn: Turn, action: Action) -> float:
    """Returns what an action is worth, by the rule of thumb of its game."""
    match action.WhichOneof("game"):
        case "block_dominoes":
            return block_dominoes(action.block_dominoes)
        case "guan_pai":
            return guan_pai(turn.observation.guan_pai, action.guan_pai)
        case "mexican_train":
            return mexican_train(turn.observation.mexican_train.public, action.mexican_train)
        case "ding_niu":
            return ding_niu(action.ding_niu)
    return 0  # a game that is newer than this bot


def block_dominoes(play: BlockDominoesAction) -> int:
    """Gets rid of doubles first, as they fit one number only; then of the heaviest tile."""
    return pips(play.tile) + 13 * is_double(play.tile)


def mexican_train(table: MexicanTrainPublic, action: MexicanTrainAction) -> float:
    """Plays the heaviest tile, on the own train rather than on one that is open to all."""
    if action.kind != MEXICAN_TRAIN_ACTION_KIND_PLAY:
        return -1
    return pips(action.tile) + 0.5 * (action.train == table.to_act_seat)


def ding_niu(action: DingNiuAction) -> int:
    """Plays the heaviest tile that fits, or puts the lightest down; never settles of its own will."""
    if action.kind == DING_NIU_ACTION_KIND_PLAY:
        return 100 + pips(action.tile)
    if action.kind == DING_NIU_ACTION_KIND_DISCARD:
        return 50 - pips(action.tile)
    return -1 if action.kind == DING_NIU_ACTION_KIND_SETTLE else 0


def guan_pai(seen: GuanPaiObservation, action: GuanPaiAction) -> float:
    """Leads many cards, low ones first; beats with the lowest; keeps its bombs for the end."""
    table, played = seen.public, action.cards
    if action.kind != GUAN_PAI_ACTION_KIND_PLAY:
        return 0
    if len(played) == len(seen.private.hand_cards):
        return 1000
    if is_bomb([cards.rank(card) for card in played]):
        return 1 if min(table.hand_counts) <= 3 else -1
    if len(played) == 1 and table.hand_counts[(table.to_act_seat + 1) % len(table.hand_counts)] == 1:
        return 1 + cards.rank(played[0])  # the highest one: the next seat must not win by it
    height = sum(map(cards.rank, played)) / len(played)
    return 100 - height + (0 if table.HasField("top_play") else 13 * len(played))


def is_bomb(ranks: list[int]) -> bool:
    """Says whether these are four of a rank or three aces, alone or with one more card."""
    four = len(ranks) <= 5 and max(map(ranks.count, ranks)) == 4
    return four or (len(ranks) <= 4 and ranks.count(ACE) == 3)


if __name__ == "__main__":
    main(
        choose,
        games=GAMES,
        version="1",
        instance=secrets.token_hex(8),
        matches_at_once=8,
        events="none",
        on_start=prepare,
        on_match=on_match,
        verbose=True,
    )
