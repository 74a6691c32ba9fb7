"""Turns the records of a match into what a spectator is told of them, without the delay.

Pure: the same records give the same bytes, live and from a log. Only `game.view` shows anything of
the state, and it is asked for what the table sees and for nothing else.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from referee.games.base import TABLE, Event, Game, State
from referee.games.encode import length_tag, prefixed, varint
from referee.match import events as ev
from referee.match.config import Setup
from referee.v1 import arena_service_pb2 as pb
from referee.v1 import event_pb2
from referee.v1 import play_service_pb2 as play

_FRAMES: Final = length_tag(pb.WatchMatchResponse, "frames")
_ARMS: Final = {
    field.name: length_tag(pb.WatchMatchFrame, field.name) for field in pb.WatchMatchFrame.DESCRIPTOR.fields
}
_MATCH_ID: Final = length_tag(event_pb2.Event, "match_id")
_GAME: Final = length_tag(event_pb2.Event, "game")
_FORFEITED: Final = length_tag(event_pb2.Event, "forfeited") + b"\0"
_MOST_KEPT: Final = 20_000
"""Of so many events of a game the bytes are kept; then they are built anew."""

_seen: dict[str, dict[Event, bytes]] = {}
"""By game, the arm of an `Event` for what everybody may know of an event."""


class Position(NamedTuple):
    """A point from which a match can be told: the number of the last event, and the table after it.

    `table` is an `Observation`, empty before the first deal.
    """

    event_id: int = 0
    table: bytes = b""


BEGINNING: Final = Position()
"""The position before the first deal."""


class Group(NamedTuple):
    """What belongs together: frames that happened with ply `ply`, and the position after them."""

    ply: int
    data: bytes
    after: Position


def frame(arm: str, body: bytes) -> bytes:
    """Returns the frame with this arm; frames put one behind the other are a `WatchMatchResponse`."""
    return prefixed(_FRAMES, prefixed(_ARMS[arm], body))


class Teller:
    """Tells one match, record after record.

    Attributes:
        position: where the telling is.
    """

    def __init__(self, setup: Setup, game: Game, position: Position = BEGINNING) -> None:
        self.position = position
        self._game = game
        self._match_id = setup.match_id
        self._head = prefixed(_MATCH_ID, setup.match_id.encode())
        self._seen = _seen.setdefault(game.info.name, {})

    def tell(self, record: ev.Record, state: State, events: Sequence[Event], plies: int) -> Group | None:
        """Returns what is told of a record, or None; `state` is as it says, after `plies` actions.

        `events` are what a deal or an action brought. The end of a match is told by somebody else.
        """
        if isinstance(record, ev.Act | ev.Default | ev.Deal):
            return self._happened(state, events, plies)
        if isinstance(record, ev.Forfeit):
            number = self.position.event_id + 1
            self.position = Position(number, self.position.table)
            return Group(plies, self._event(number, plies, record.seat, _FORFEITED), self.position)
        if isinstance(record, ev.DealResult):
            return Group(plies, self._deal_ended(state, record), self.position)
        return None

    def look(self, state: State) -> bytes:
        """Returns the table as everybody sees it, an `Observation` with the public part only."""
        return self._game.wire.public(self._game.view.public(state))

    def _happened(self, state: State, events: Sequence[Event], plies: int) -> Group:
        number = self.position.event_id
        parts = [
            self._event(at, plies, event.seat, self._seen.get(event) or self._see(event))
            for at, event in enumerate(events, number + 1)
        ]
        self.position = Position(number + len(events), self.look(state))
        parts.append(frame("observation", self.position.table))
        return Group(plies, b"".join(parts), self.position)

    def _see(self, event: Event) -> bytes:
        if len(self._seen) >= _MOST_KEPT:
            self._seen.clear()
        told = self._game.wire.event(self._game.view.redact(event, TABLE))
        detail = self._seen[event] = prefixed(_GAME, told)
        return detail

    def _event(self, number: int, ply: int, about: int, detail: bytes) -> bytes:
        """Returns event `number`: `ply` actions were played with it, and it is about a seat or -1."""
        body = self._head + b"\x10" + varint(number)
        if ply:
            body += b"\x18" + varint(ply)
        if about:
            body += b"\x20" + varint(about)
        return frame("event", body + detail)

    def _deal_ended(self, state: State, record: ev.DealResult) -> bytes:
        message = play.DealEnded(
            match_id=self._match_id, deal=record.deal, scores=record.scores, totals=record.totals
        )
        message.detail.ParseFromString(self._game.wire.deal_end(self._game.view.deal_end(state)))
        return frame("deal_ended", message.SerializeToString())
