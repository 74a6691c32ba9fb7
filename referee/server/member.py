"""One instance of a bot, as long as it is connected or has running matches."""

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from referee.match import events as ev
from referee.server.auth import Identity
from referee.server.codec import Wish
from referee.server.hello import Introduction

if TYPE_CHECKING:
    from referee.server.live import LiveMatch
    from referee.server.stream import Connection


_CLOSING: Final[frozenset[type[ev.Record]]] = frozenset({ev.Act, ev.Default, ev.Forfeit})
_ENDED_KEPT: Final = 64
"""Of how many ended matches frames that come too late are excused."""


class Member:
    """Who sits at tables; its stream may come and go.

    Attributes:
        stream: the stream, or None while there is none.
        seats: running matches by id, with the seat.
        open_turns: ids of the open turns by match id.
        takeovers: when new streams took over from live ones, lately.
        returns: when new streams came after a lost one, lately.
        ended: the matches that ended last.
        waiting_since: since when it waits for a match.
        leaving: whether it asked for no new matches.
    """

    def __init__(self, identity: Identity, introduction: Introduction, now: int) -> None:
        self.identity = identity
        self.introduction = introduction
        self.stream: Connection | None = None
        self.seats: dict[str, tuple[LiveMatch, int]] = {}
        self.open_turns: dict[str, int] = {}
        self.takeovers: deque[int] = deque()
        self.returns: deque[int] = deque()
        self.ended: deque[str] = deque(maxlen=_ENDED_KEPT)
        self.waiting_since = now
        self.leaving = False

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from all others: bot and instance."""
        return self.identity.bot_id, self.introduction.instance

    @property
    def wish(self) -> Wish:
        """What its stream asked for."""
        return Wish(self.introduction.delivery, self.introduction.legal_actions)

    def plays(self, game: str) -> bool:
        """Says whether it is here and takes matches of a game that others ask for."""
        return not self.introduction.practice_only and self.practises(game)

    def practises(self, game: str) -> bool:
        """Says whether it is here and takes matches of a game that it asks for itself."""
        return self.stream is not None and not self.leaving and game in self.introduction.games

    def is_free(self, game: str) -> bool:
        """Says whether it can be seated now."""
        return self.plays(game) and self.has_place

    @property
    def has_place(self) -> bool:
        """Says whether it plays fewer matches than it wishes to."""
        return len(self.seats) < self.introduction.matches_at_once

    def sit(self, match_id: str, match: "LiveMatch", seat: int) -> None:
        """Takes a seat."""
        self.seats[match_id] = (match, seat)
        if self.stream:
            self.stream.session.match_started(match_id)

    def rise(self, match_id: str, now: int) -> None:
        """Gives up a seat."""
        self.seats.pop(match_id, None)
        self.open_turns.pop(match_id, None)
        self.ended.append(match_id)
        self.waiting_since = now
        if self.stream:
            self.stream.session.match_ended(match_id)


def keep_turns(members: Sequence[Member], match_id: str, record: ev.Record) -> None:
    """Takes note for the members by seat of a turn that a record opens or closes."""
    kind = type(record)
    if kind is ev.Turn:
        members[record.seat].open_turns[match_id] = record.turn  # type: ignore[union-attr]
    elif kind in _CLOSING:
        members[record.seat].open_turns.pop(match_id, None)  # type: ignore[union-attr]
