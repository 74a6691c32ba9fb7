"""Matches in two worlds that a spectator cannot tell apart, and all that it is told in them."""

from functools import cache

import pytest

from referee.games.base import Action, Game
from referee.match.attempt import Chosen, Index
from referee.match.events import Record
from referee.replay.reader import Log
from referee.server.codec import Wish
from referee.server.watch import message
from referee.server.watch.past import past
from referee.server.watch.show import Show
from tests.games.helpers import sittings
from tests.games.worlds import Pair, pairs
from tests.match.harness import SECRET
from tests.server.worlds import World

KEEP = 1 << 20
_LATE_COMERS = 17
"""How many inputs lie between two late comers: each has the log read anew."""
_KINDS = 4
_PAIRS = 16


class WatchedWorld(World):
    """A match of one of the two deals, shown from its beginning and looked at by late comers.

    Attributes:
        told: what a spectator of the first hour is sent, input by input.
        joined: what one is sent who comes after each input: the first message, and what follows at once.
    """

    def __init__(self, pair: Pair, number: int, delay: int, patch: pytest.MonkeyPatch) -> None:
        self.told: list[bytes] = []
        self.joined: list[bytes] = []
        self.delay = delay
        self.records: list[Record] = []
        self.show: Show | None = None
        self._at = 0
        super().__init__(pair, number, Wish(), patch)

    def take(self, record: Record) -> None:
        """Shows a record as a running match does."""
        super().take(record)
        self.records.append(record)
        if self.show is None:
            self.show = Show(self.match, 0, self.delay, KEEP)
            self.show.begin(*past(self._log()))
        self.codec.table = self.show.record(self.match, record)

    def play(self, action: Action) -> None:
        """Has the seat refused once, then plays the action."""
        question = self.match.open_turn
        assert question
        self.feed(self.match.act, question.seat, question.turn, Index(999))
        self.feed(self.match.act, question.seat, question.turn, Chosen(action))

    def _settle(self) -> None:
        super()._settle()
        if self.show is None:
            return
        self.show.release(self.match.plies)
        groups = self.show.after(self._at) or []
        self._at += len(groups)
        self.told.append(b"".join(message.joined(groups, KEEP)))
        if len(self.told) % _LATE_COMERS == 0:
            self.join()

    def join(self) -> None:
        """Lets some come late: into a show that runs, into one that is begun for them, and back."""
        assert self.show
        self.joined += [self._from_memory(self.show), self._from_log(0), self._from_log(5)]

    def _from_memory(self, show: Show) -> bytes:
        place = show.place()
        assert place
        return message.started(self.match.setup, place[1], self.delay)

    def _from_log(self, event_id: int) -> bytes:
        telling = self.match.plies - self.delay
        found = past(self._log(), telling, event_id)
        groups = [group for group in found.groups if group.ply <= telling]
        start = message.started(self.match.setup, found.start, self.delay)
        return start + b"".join(message.joined(message.after(groups, event_id), KEEP))

    def _log(self) -> Log:
        return Log(self.match.setup, tuple(self.records), False, None, "", 0, SECRET)  # noqa: FBT003


def watched(pair: Pair, number: int, delay: int, patch: pytest.MonkeyPatch) -> WatchedWorld:
    """Returns one of the two worlds, played up to the last common position."""
    world = WatchedWorld(pair, number, delay, patch)
    for action in pair.worlds[number].actions:
        world.play(action)
    world.join()
    return world


@cache
def tables(game: Game) -> tuple[Pair, ...]:
    """Returns pairs of worlds that the table cannot tell apart, at some kinds of tables of a game."""
    kinds = [sitting for sitting in sittings() if sitting.game is game]
    some = kinds[:: 1 + len(kinds) // _KINDS]
    return tuple(pair for sitting in some for pair in pairs(sitting, 7, _PAIRS // len(some), table_only=True))
