"""One running match: inputs to the machine, records to the log, then frames to the seats."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import structlog

from referee.errors import LogWriteError
from referee.match import events as ev
from referee.match.config import Setup
from referee.match.journal import Sink
from referee.match.machine import Match
from referee.replay.writer import LogWriter
from referee.server import logs, voiding
from referee.server.answers import attempt_of
from referee.server.codec import Codec
from referee.server.guard import Idle, give_up
from referee.server.member import Member, keep_turns
from referee.server.runner import Runner
from referee.v1 import play_service_pb2 as pb

if TYPE_CHECKING:
    from referee.server.outcomes import Owner
    from referee.server.watch.show import Show

_log = structlog.get_logger("referee.match")
_RARE = (ev.Forfeit, ev.Gone, ev.Dropped, ev.Rejoined)
"""What should not often happen to a seat; the operator is told."""


class LiveMatch:
    """A match with its members by seat. Nothing leaves before the log has what it follows from.

    Attributes:
        ended: done when the match is over.
        note: why it ended without its end record; empty otherwise.
        failure: what of the referee failed, if that ended it.
        problem: what was wrong with the log, for the operator only.
        show: what spectators are told; None while nobody watches.
    """

    match: Match

    def __init__(
        self,
        setup: Setup,
        writer: LogWriter,
        codec: Codec,
        members: Sequence[Member],
        runner: Runner,
        owner: "Owner",
    ) -> None:
        self.due: int | None = None
        self.writer = writer
        self.codec = codec
        self.members = list(members)
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.note = ""
        self.problem: LogWriteError | None = None
        self.failure: Literal["log", "bug"] | None = None
        self.show: Show | None = None
        self._match_id = setup.match_id
        self._log = _log.bind(match_id=setup.match_id)
        self._owner, self._runner = owner, runner
        self._asks: deque[tuple[int, int, int, int]] = deque()
        """The clocks that start when what is being fed is done: that may tell of a stall first."""
        self._idle = Idle()
        self._away: set[int] = set()
        self._asked_at = self._away_until = 0
        """When a clock started last; how long the seats of `_away` may take since the match was resumed."""
        self._logging = self._feeding = self._over = False

    def adopt(self, match: Match) -> Sink:
        """Takes the machine and returns its sink; the log takes nothing before `begin` or `resume`."""
        self.match = match
        return self.sink

    def begin(self) -> None:
        """Tells every seat that it is seated, and starts the clock of `Ready`."""
        self._sit()
        self._asked_at = self._runner.now() + 1  # a clock that starts at 0 looks in a record like none
        for seat, member in enumerate(self.members):
            if member.stream:
                member.stream.send(self.codec.started(seat))

    def resume(self, pending: Sequence[ev.Record], outage: int) -> None:
        """Goes on with a machine that was rebuilt from its log, once its members are back.

        `pending` are records that the log lacks, `outage` is the time since the last record that it
        has, in microseconds. The clock of an open turn starts when its seat is back, or when that
        took longer than joining may.
        """
        self.codec.clear()
        for record in pending:
            self.writer.append(record)
        now = self._runner.now()
        self._away = set(range(len(self.members)))
        self._away_until = now + self.match.setup.time_control.join
        self._sit()
        self._feed(self.match.resumed, outage, now)

    # Inputs

    def ready(self, seat: int, entropy: bytes, now: int) -> None:
        """Takes the readiness of a seat; deals that come from a seed take no entropy."""
        given = entropy if self.match.setup.provable else b""
        self._feed(self.match.ready, seat, given, max(now, self._asked_at))

    def act(self, seat: int, act: pb.Act, now: int) -> None:
        """Takes an act that arrived at `now`."""
        attempt = attempt_of(act, self.match.game)
        self._feed(self.match.act, seat, act.turn_id, attempt, max(now, self._asked_at))

    def flooded(self, seat: int, now: int) -> None:
        """Charges acts above the rate limit."""
        self._feed(self.match.flooded, seat, now)

    def dropped(self, seat: int, now: int) -> None:
        """Notes that the stream of a seat ended; an open turn runs on without it."""
        self._feed(self.match.dropped, seat, now)
        if turn := self.match.current_turn(seat):
            self.asked(seat, turn, now)

    def gone(self, seat: int, now: int) -> None:
        """Notes that the process of a seat ended for good; a stall that is not over costs nobody time."""
        self._runner.asking(self, now)
        self._feed(self.match.gone, seat, now)

    def rejoined(self, seat: int, now: int) -> None:
        """Tells a seat the match again on its new stream."""
        member = self.members[seat]
        self._away.discard(seat)
        self.codec.wish(seat, member.wish)
        if member.stream:
            member.stream.session.match_started(self._match_id)
        self._feed(self._rejoin, seat, now)

    def asked(self, seat: int, turn: int, now: int, lag: int = 0) -> None:
        """Starts the clock of a turn: its write is attempted now, or nobody is there to write to."""
        if self._feeding:
            self._asks.append((seat, turn, now, lag))
            return
        self._asked_at = now
        self._runner.asking(self, now)
        self.match.asked(seat, turn, now, lag)
        if not self._over:
            self._runner.watch(self)

    def void(self, note: str, now: int) -> None:
        """Ends the match without a result."""
        self._feed(self.match.void, note, now)

    # For the runner

    def deadline(self) -> int | None:
        """Returns when something runs out."""
        deadline = self.match.deadline()
        return self._away_until if deadline is None and self._away else deadline

    def expire(self, now: int) -> None:
        """Judges what ran out."""
        if self._away and now >= self._away_until:
            away, self._away = self._away, set()
            for seat in away:
                self.asked(seat, self.match.current_turn(seat), now)
        self._feed(self.match.tick, now)

    def stalled(self, duration: int, now: int) -> None:
        """Moves every deadline by the referee's own delay."""
        self._away_until += duration
        self._feed(self.match.stalled, duration, now)

    def chores(self, now: int) -> None:
        """Shows that it runs, and ends it if it would for ever, since nothing in it can run out."""
        self.writer.touch()
        if self._idle.is_over(self.deadline(), now):
            self._feed(give_up, now)

    def suspend(self) -> None:
        """Leaves the match as it is, for a later process to resume."""
        self.note = "suspended; it goes on when the server is started again in time"
        self._stop()
        self.writer.abandon()

    # The way of a record

    def sink(self, record: ev.Record) -> None:
        """Takes a record of the machine, while the state is as it says."""
        if self._logging:
            self.writer.append(record)
        self.codec.record(self.match, record)
        if self.show:
            self.codec.table = self.show.record(self.match, record)
        keep_turns(self.members, self._match_id, record)
        if self._logging and isinstance(record, _RARE):
            bot, what = self.members[record.seat].identity.bot_id, type(record).__name__.lower()
            self._log.info(f"seat {what}", seat=record.seat, bot=bot)

    def _settle(self, now: int) -> None:
        """Brings the log up to date and sends what waited for it."""
        self.codec.settle(self.match, now)
        if self._logging:
            (self.writer.finish if self.match.end else self.writer.flush)()
        try:
            self._send(now)
        finally:
            if self.match.end:
                self._stop()
        if not self._over:
            self._runner.watch(self)

    def _send(self, now: int) -> None:
        if self.show:
            self.show.release(self.match.plies)
        for seat, data, turn in self.codec.take():
            stream = self.members[seat].stream
            if stream is None:
                if turn and seat not in self._away:
                    self.asked(seat, turn, now)
            elif turn:
                stream.ask(data, self, seat, turn)
            else:
                stream.send(data)

    def _feed(self, entry: Callable[..., None], *args: Any) -> None:
        if self._over:
            return
        guard, self._feeding = self._runner.guard, True
        guard.enter()
        try:
            entry(*args)
            self._settle(args[-1])
        except LogWriteError as error:
            self._fail(error)
        except Exception:  # noqa: BLE001  whatever it is, only this match ends by it
            self._fail(logs.incident("the match failed", self._log))
        finally:
            guard.leave()
            self._feeding = False
        while self._asks:
            self.asked(*self._asks.popleft())

    def _sit(self) -> None:
        self._logging = True
        for seat, member in enumerate(self.members):
            member.sit(self._match_id, self, seat)
        self._runner.add(self)

    def _rejoin(self, seat: int, now: int) -> None:
        self.match.rejoined(seat, now)
        self.codec.resync(self.match, seat, now)

    def _fail(self, trouble: LogWriteError | str) -> None:
        """Voids the match; what is not in the log has not happened, so an end that is not is void too."""
        if self._over:
            return  # its end is in the log, and stays
        now = self._runner.now()
        self.failure = "log" if isinstance(trouble, LogWriteError) else "bug"
        self.note = str(trouble)
        self._logging = False
        if isinstance(trouble, LogWriteError):
            self.problem = trouble
            self._log.error("the log cannot be written", problem=self.note)
            self.note = "the referee could not write its log"
        self.codec.clear()
        show, self.show = self.show, None
        try:
            if self.failure == "bug":
                self.writer, self.match = voiding.again(self.writer, self.note)
                if self.match.end:
                    self.codec.record(self.match, self.match.end)
            elif self.match.end:
                self.codec.voided(self.match.end, self.note)
        except LogWriteError as error:
            self._fail(error)
        except Exception:  # noqa: BLE001  its bots have to hear of it all the same
            self._log.exception("the log of the match could not be ended")
        try:
            self.match.void(self.note, now)
            self._settle(now)
        except Exception:  # noqa: BLE001  whatever it is, only this match ends by it
            self._log.exception("the match could not be voided")
        if show:
            show.voided(self.match.end, self.note)
        self.writer.abandon()
        self._stop()

    def _stop(self) -> None:
        if self._over:
            return
        self._over = True
        self._runner.remove(self)
        for member in self.members:
            member.rise(self._match_id, self._runner.now())
        try:
            self._owner.match_over(self)
        finally:
            self.ended.set_result(None)
