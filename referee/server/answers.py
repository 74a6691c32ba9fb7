"""What a bot's act answers, as the machine takes it."""

from typing import Final

from referee.errors import MalformedActionError
from referee.games.base import Game
from referee.match.attempt import Attempt, Chosen, Index, Texted, Unreadable
from referee.v1 import play_service_pb2 as pb

_LONGEST_RAW: Final = 200
"""How many digits of an action that cannot be read are kept."""


def attempt_of(act: pb.Act, game: Game) -> Attempt:
    """Returns what an act answers, as the machine takes it."""
    form = act.WhichOneof("answer")
    if form == "index":
        return Index(act.index)
    if form == "text":
        return Texted(act.text)
    if form is None:
        return Unreadable("", "the act holds no answer")
    try:
        return Chosen(game.wire.parse_action(act.action))
    except MalformedActionError as error:
        return Unreadable(act.action.SerializeToString().hex()[:_LONGEST_RAW], str(error))
