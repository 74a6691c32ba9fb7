"""Which pieces an action is about: the link between a click and a legal action."""

from collections.abc import Collection, Iterable

from referee.games import cards, tiles
from referee.v1 import block_dominoes_pb2, ding_niu_pb2, game_pb2, guan_pai_pb2, mexican_train_pb2

_DING_NIU_PIECE = (ding_niu_pb2.DING_NIU_ACTION_KIND_PLAY, ding_niu_pb2.DING_NIU_ACTION_KIND_DISCARD)


def upright(code: int) -> int:
    """Returns the code of a tile with its lower number first, however it lies."""
    return tiles.tile(*tiles.halves(code))


def piece_of(action: game_pb2.Action) -> tuple[int, ...]:
    """Returns the codes of the pieces that an action plays or puts down; none for a pass and the like."""
    match action.WhichOneof("game"):
        case "block_dominoes":
            return (upright(action.block_dominoes.tile),)
        case "guan_pai":
            return tuple(sorted(action.guan_pai.cards))
        case "mexican_train":
            train = action.mexican_train
            plays = train.kind == mexican_train_pb2.MEXICAN_TRAIN_ACTION_KIND_PLAY
            return (upright(train.tile),) if plays else ()
        case "ding_niu":
            return (upright(action.ding_niu.tile),) if action.ding_niu.kind in _DING_NIU_PIECE else ()
    return ()


def fits(action: game_pb2.Action, pieces: Iterable[int]) -> bool:
    """Says whether these pieces of the hand are what an action takes.

    In Guan Pai the legal list names one choice of suits, and any cards of the same ranks do.
    """
    wanted, given = piece_of(action), sorted(pieces)
    if action.WhichOneof("game") == "guan_pai":
        return sorted(map(cards.rank, wanted)) == sorted(map(cards.rank, given))
    return [*wanted] == [*map(upright, given)]


def playable(choices: Iterable[game_pb2.Action], hand: Iterable[int]) -> frozenset[int]:
    """Returns the pieces of a hand that occur in one of the choices."""
    ranks: set[int] = set()
    exact: set[int] = set()
    for action in choices:
        if action.WhichOneof("game") == "guan_pai":
            ranks.update(map(cards.rank, action.guan_pai.cards))
        else:
            exact.update(piece_of(action))
    return frozenset(piece for piece in hand if piece in exact or (ranks and cards.rank(piece) in ranks))


def ends(choices: Iterable[game_pb2.Action], piece: int | None = None) -> frozenset[int]:
    """Returns at which ends of the line (1 left, 2 right) the choices join, those with one tile or all."""
    found: set[int] = set()
    for action in choices:
        arm = action.WhichOneof("game")
        if arm in {"block_dominoes", "ding_niu"} and piece in {None, *piece_of(action)}:
            found.add(getattr(action, arm).end)
    return frozenset(found - {0})


def trains(choices: Collection[game_pb2.Action]) -> frozenset[int]:
    """Returns the trains of Mexican Train that the choices play on."""
    return frozenset(
        action.mexican_train.train
        for action in choices
        if action.WhichOneof("game") == "mexican_train" and piece_of(action)
    )


def passes(action: game_pb2.Action | None) -> bool:
    """Says whether an action is a pass of Guan Pai."""
    return action is not None and action.guan_pai.kind == guan_pai_pb2.GUAN_PAI_ACTION_KIND_PASS


def opening_index(actions: Iterable[game_pb2.Action]) -> int | None:
    """Returns where in the line its first tile lies after these plays of one deal of block dominoes."""
    index: int | None = None
    for action in actions:
        end = action.block_dominoes.end
        if end == block_dominoes_pb2.BLOCK_DOMINOES_END_UNSPECIFIED:
            index = 0
        elif end == block_dominoes_pb2.BLOCK_DOMINOES_END_LEFT and index is not None:
            index += 1
    return index
