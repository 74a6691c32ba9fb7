"""What a bot says of itself when it opens a stream."""

from typing import Final

import msgspec

from referee.errors import MalformedActionError
from referee.tournament.names import LONGEST, is_tag
from referee.v1 import play_service_pb2 as pb

MAX_NAME: Final = LONGEST
"""The longest version, instance id and name of a game, in characters."""
_MOST_GAMES: Final = 64


class Introduction(msgspec.Struct, frozen=True):
    """A valid `Hello`, defaults filled in."""

    version: str
    instance: str
    games: tuple[str, ...]
    matches_at_once: int
    delivery: int
    legal_actions: bool

    def of_instance(self, instance: str) -> "Introduction":
        """Returns the same of an instance that the referee has named; empty leaves it as it is."""
        return msgspec.structs.replace(self, instance=instance) if instance else self

    practice_only: bool = False


def introduce(hello: pb.Hello) -> Introduction:
    """Returns what a `Hello` says, or raises `MalformedActionError` with what is wrong in it."""
    if hello.protocol_version != 1:
        raise MalformedActionError("Hello.protocol_version: this server speaks version 1")
    instance = hello.instance_id or "default"
    for field, text in (("bot_version", hello.bot_version), ("instance_id", instance)):
        if not is_tag(text):
            raise MalformedActionError(
                f"Hello.{field}: up to {MAX_NAME} printable characters, without outer or repeated spaces"
            )
    games = tuple(dict.fromkeys(hello.games))
    if not 1 <= len(games) <= _MOST_GAMES or not all(0 < len(game) <= MAX_NAME for game in games):
        raise MalformedActionError("Hello.games: names at least one game")
    if not 0 <= hello.matches_at_once <= 256:
        raise MalformedActionError("Hello.matches_at_once: 1..256")
    if not 0 <= hello.max_hosts <= 64:
        raise MalformedActionError("Hello.max_hosts: 1..64")
    if hello.event_delivery not in pb.EventDelivery.values():
        raise MalformedActionError("Hello.event_delivery: no value of EventDelivery")
    return Introduction(
        hello.bot_version,
        instance,
        games,
        hello.matches_at_once or 1,
        hello.event_delivery or pb.EVENT_DELIVERY_WITH_TURN,
        not hello.omit_legal_actions,
        hello.practice_only,
    )
