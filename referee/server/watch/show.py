"""A running match as it is shown to spectators: what has happened, and how far it may be told.

Without I/O and clock. All spectators of a match share the bytes, each has a place in the list, and
the match only appends to it: it wakes nobody and waits for nobody. A thing that happened with ply p
may be told once p + delay actions were played, or when the match is over; so the end of a deal and
the deal after it are told with the action that ended the one, however long it takes until the next.
"""

from referee.match import events as ev
from referee.match.machine import Match
from referee.server import logs
from referee.server.watch.telling import BEGINNING, Group, Position, Teller

_SLACK = 4
"""The share of what is kept that more may be kept before some of it is let go."""


class Show:
    """What is told of one running match, from the moment on at which somebody watches it.

    Attributes:
        ready: whether it knows what happened before it was there.
        end: the end record, once it may be told.
        void: why the match was void, where it has no end record that says so; empty otherwise.
        problem: what of the referee failed to show it, for spectators; empty otherwise.
    """

    def __init__(self, match: Match, event_id: int, delay: int, keep: int) -> None:
        """Begins after event `event_id`; `keep` bytes that were told stay for those who are behind."""
        self.ready = False
        self.end: ev.End | None = None
        self.void = ""
        self.problem = ""
        self._teller = Teller(match.setup, match.game, Position(event_id))
        self._delay = delay
        self._keep = keep
        self._plies = match.plies
        self._start = BEGINNING
        """The position before the first group that is kept."""
        self._groups: list[Group] = []
        self._first = 0
        """How many groups were let go; they count in all places."""
        self._told = 0
        """The place behind the last group that may be told."""
        self._flushed = 0
        """The place behind the last group that is in the log."""
        self._kept = 0
        """The bytes of the kept groups that may be told."""
        self._ending: ev.End | None = None

    # For the match

    def record(self, match: Match, record: ev.Record) -> bytes:
        """Takes a record while the state is as it says; it is told after `release` at the earliest.

        Returns the table as everybody sees it, an `Observation`, or nothing where it is not known.
        Whatever goes wrong with showing it ends the show and not the match.
        """
        if self.problem:
            return b""
        try:
            group = self._teller.tell(record, match.state, match.last_events, match.plies)
        except Exception:  # noqa: BLE001  whatever it is, only the spectators notice
            self.problem = logs.incident("a match cannot be shown")
            return b""
        if group:
            self._groups.append(group)
        elif isinstance(record, ev.End):
            self._ending = record
        return self._teller.position.table

    def release(self, plies: int) -> None:
        """Takes note that all records so far are in the log, `plies` actions with them."""
        self._flushed = self._first + len(self._groups)
        self._plies = plies
        self.end = self._ending
        self._advance()

    def voided(self, end: ev.End | None, note: str) -> None:
        """Ends a match that the referee could not bring to its end, if that is not told yet.

        What is not in the log has not happened.
        """
        while self._first + len(self._groups) > self._flushed:
            self._groups.pop()
        if not self.end:
            self.end, self.void = end, note
            self._advance()

    # For spectators

    @property
    def over(self) -> bool:
        """Says whether the match has ended, and all of it may be told."""
        return bool(self.end or self.void)

    @property
    def telling(self) -> int:
        """The ply up to which things may be told now; below 0 for nothing at all."""
        return self._plies - self._delay

    def begin(self, start: Position, groups: list[Group]) -> None:
        """Takes what happened before the show was there: `groups`, after a position that may be told."""
        self._start = start
        self._groups[:0] = groups
        self._flushed += len(groups)
        self._fill(groups[-1].after.table if groups else start.table, len(groups))
        self.ready = True
        self._advance()

    def place(self, event_id: int = 0) -> tuple[int, Position] | None:
        """Returns where to begin: at what may be told now, or after an event that was told before.

        None where what followed on that event was let go.
        """
        if event_id < self._position(self._told).event_id and event_id:
            if event_id < self._start.event_id:
                return None
            at = self._first
            while self._position(at + 1).event_id <= event_id:
                at += 1
            return at, self._position(at)
        return self._told, self._position(self._told)

    def after(self, place: int) -> list[Group] | None:
        """Returns what may be told from a place on; None for a spectator who is too far behind."""
        if place < self._first:
            return None
        return self._groups[place - self._first : self._told - self._first]

    def _position(self, place: int) -> Position:
        return self._groups[place - self._first - 1].after if place > self._first else self._start

    def _advance(self) -> None:
        """Lets be told what may be."""
        if not self.ready:
            return
        telling, over = self.telling, self.over
        ready = self._flushed - self._first
        at = self._told - self._first
        while at < ready and (over or self._groups[at].ply <= telling):
            self._kept += len(self._groups[at].data)
            at += 1
        self._told = self._first + at
        if self._kept > self._keep + self._keep // _SLACK:
            self._let_go()

    def _let_go(self) -> None:
        """Lets go of what was told long ago."""
        gone = 0
        while self._kept > self._keep and self._first + gone < self._told:
            self._kept -= len(self._groups[gone].data)
            gone += 1
        self._start = self._groups[gone - 1].after
        self._first += gone
        del self._groups[:gone]

    def _fill(self, table: bytes, at: int) -> None:
        """Gives the table before the show to the groups at its beginning that left it as it was."""
        for index in range(at, len(self._groups)):
            group = self._groups[index]
            if group.after.table:
                return
            self._groups[index] = group._replace(after=Position(group.after.event_id, table))
        if not self._teller.position.table:
            self._teller.position = Position(self._teller.position.event_id, table)
