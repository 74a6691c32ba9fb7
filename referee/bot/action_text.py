"""Actions in canonical text, as the referee writes and reads them: `play 2-5 left`; events with them."""

from collections.abc import Callable
from typing import Any

from referee.bot import cards, tiles
from referee.bot.wording import only, told, train, value_name
from referee.v1.game_pb2 import Action, GameEvent


def text(action: Action) -> str:
    """Returns the canonical text of an action; of a game that is newer than this kit, words."""
    write = _WRITERS.get(action.WhichOneof("game") or "", told)
    return write(only(action))


def happened(event: GameEvent) -> str:
    """Returns an event of a game in words; an action as the game writes it."""
    game = event.WhichOneof("game")
    detail = only(only(event))
    if game is not None and detail.DESCRIPTOR.name.endswith("Action"):
        return text(Action(**{game: detail}))
    return told(only(event))


def _block_dominoes(action: Any) -> str:
    return _words("play", tiles.text(action.tile), _value(action, "end"))


def _ding_niu(action: Any) -> str:
    kind = _value(action, "kind")
    if kind in {"play", "discard"}:
        return _words(kind, tiles.text(action.tile), _value(action, "end"))
    return kind


def _guan_pai(action: Any) -> str:
    meant = _value(action, "combination")
    return _words(_value(action, "kind"), *map(cards.text, action.cards), f"as {meant}" if meant else "")


def _mexican_train(action: Any) -> str:
    kind = _value(action, "kind")
    return f"play {tiles.text(action.tile)} on {train(action.train)}" if kind == "play" else kind


def _value(action: Any, name: str) -> str:
    """Returns the name of the value that an enum field has; empty where it is unset."""
    number = getattr(action, name)
    return value_name(action.DESCRIPTOR.fields_by_name[name].enum_type, number) if number else ""


def _words(*words: str) -> str:
    return " ".join(filter(None, words))


_WRITERS: dict[str, Callable[[Any], str]] = {
    "block_dominoes": _block_dominoes,
    "ding_niu": _ding_niu,
    "guan_pai": _guan_pai,
    "mexican_train": _mexican_train,
}
