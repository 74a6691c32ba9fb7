"""One match as a pure state machine: inputs with the time they happened, records out.

Theory of operation. A match is `starting` until every seat is ready, `running` while turns are
asked, `ended` after its one end record. Inputs that a phase does not know are ignored or refused,
never raised. The caller passes `now`, its monotonic clock in whole microseconds, and feeds inputs
in the order of their times. Each record goes to the sink at the moment when `state` is as the
record says; whatever follows from a record may leave the process only after it is in the log.
"""

from typing import Literal

from referee.errors import MalformedActionError, RulesError
from referee.games.base import Action
from referee.match import events as ev
from referee.match.attempt import Attempt, Unreadable, comparable, resolve
from referee.match.attempt import raw as raw_of
from referee.match.flow import Flow
from referee.match.turns import OpenTurn


class Match(Flow):
    """The machine. Feed it from one place; all its methods return at once."""

    _stood_still: int = 0
    """When the last stall or outage was over, in the time of the match."""

    # What comes in

    def ready(self, seat: int, entropy: bytes, now: int) -> None:
        """Takes the readiness of a seat; the last one starts the first deal.

        Past the limit it is not taken: `tick` ends the match.
        """
        t = self._journal.time(now)
        if self.phase != "starting" or self._entropy[seat] is not None or t >= self._start_limit:
            return
        self._entropy[seat] = entropy
        self._journal.emit(ev.Ready, t, seat=seat, entropy=entropy.hex())
        if None not in self._entropy:
            self.phase = "running"
            self._advance(t)

    def asked(self, seat: int, turn: int, now: int, lag: int = 0) -> None:
        """Starts the clock of an open turn: its write was first attempted. Later calls do nothing.

        `lag` is the measured round trip of the seat's stream, in microseconds.
        """
        question = self.open_turn
        if question and question.seat == seat and question.turn == turn and question.start is None:
            question.begin(self._journal.exact(now))
            question.credit = self._clocks[seat].credit(lag)

    def act(self, seat: int, turn: int, attempt: Attempt, now: int) -> None:
        """Judges an answer by the time `now` at which it arrived."""
        if self.phase == "ended":
            return
        t = self._journal.time(now)
        question = self.open_turn
        if question is None or question.seat != seat or question.turn != turn:
            self._stray(seat, turn, attempt, t)
            return
        if question.start is None:
            question.begin(t)
        if question.is_late(t):
            self._late(question, t)
            return
        try:
            action = resolve(attempt, self.state, self.game.text)
        except RulesError as error:
            self._refuse(question, attempt, error, t)
            return
        self._accept(question, attempt, action, t)

    def flooded(self, seat: int, now: int) -> None:
        """Charges acts above the rate limit; the caller tells it once a second at most."""
        if self.phase != "running":
            return
        t = self._journal.time(now)
        self.conduct.note(seat, "rate_limited")
        self._reject(seat, 0, "rate_limited", Unreadable("", "too many acts a second"), t)
        self._strike(seat, "rate_limited", t)
        self._settle(seat, t)

    def dropped(self, seat: int, now: int) -> None:
        """Notes that the stream of a seat ended. Only the seat to act loses time by it."""
        if self.phase != "ended":
            self.conduct.note(seat, "dropped")
            self._journal.emit(ev.Dropped, self._journal.time(now), seat=seat)

    def rejoined(self, seat: int, now: int) -> None:
        """Notes that a new stream took over a seat."""
        if self.phase != "ended":
            self._journal.emit(ev.Rejoined, self._journal.time(now), seat=seat)

    def gone(self, seat: int, now: int) -> None:
        """Takes note that a seat can never answer again: the process launched for it has ended."""
        if self.phase == "ended" or seat in self.conduct.forfeits:
            return
        t = self._journal.time(now)
        self._journal.emit(ev.Gone, t, seat=seat)
        if self.phase == "starting":
            self._no_show(f"ended before the start: seat {seat}", (seat,), t)
            return
        self._forfeit(seat, t)
        self._settle(seat, t)

    def stalled(self, duration: int, now: int) -> None:
        """Moves every deadline by the time in which the referee stood still.

        It cannot have stood still for longer than since the start, or the last time that this was told.
        """
        if self.phase != "ended":
            t = self._journal.time(now)
            duration = max(0, min(duration, t - self._stood_still))
            self._stood_still = t
            self._journal.emit(ev.Stall, t, duration=duration)
            self._postpone(duration, t)

    def resumed(self, duration: int, now: int) -> None:
        """Goes on in a new process with a new clock, `duration` after the last record.

        No stream has outlived the old process. The clock of an open turn starts when that is asked
        again, and seats that were not ready get the time to come back and to say so.
        """
        if self.phase != "ended":
            self._journal.rebase(now, duration)
            self._stood_still = t = self._journal.time(now)
            self._journal.emit(ev.Resumed, t, duration=duration)
            self._start_limit = t + self.setup.time_control.join + self.setup.time_control.start
            if self.open_turn:
                self.open_turn.interrupt(t - duration)

    def tick(self, now: int) -> None:
        """Judges whatever ran out. Answers that arrived before have to be fed before."""
        deadline = self.deadline()
        if deadline is None or now < deadline:
            return
        t = self._journal.time(now)
        if self.open_turn:
            self._late(self.open_turn, t)
            return
        missing = tuple(seat for seat, entropy in enumerate(self._entropy) if entropy is None)
        self._no_show(f"not ready in time: seat {', '.join(map(str, missing))}", missing, t)

    def void(self, note: str, now: int, at_fault: tuple[int, ...] = ()) -> None:
        """Ends the match without a result, for a cause outside its rules."""
        if self.phase != "ended":
            self._finish("void", note, self._journal.time(now), at_fault)

    # What happens

    def _accept(self, question: OpenTurn, attempt: Attempt, action: Action, t: int) -> None:
        seat, start = question.seat, question.start or 0
        think = max(0, t - start)
        self._turns[seat].accepted(question.turn, attempt, action, self.state.legal_actions())
        self.open_turn = None
        self._table.play(
            ev.Act,
            action,
            t,
            seat=seat,
            turn=question.turn,
            start=start,
            think=think,
            credit=max(0, think - question.budget),
            bank=self._clocks[seat].charge(think),
        )
        self._advance(t)

    def _refuse(self, question: OpenTurn, attempt: Attempt, error: RulesError, t: int) -> None:
        fault: Literal["malformed", "illegal"]
        fault = "malformed" if isinstance(error, MalformedActionError) else "illegal"
        self.conduct.note(question.seat, fault)
        question.retries -= 1
        self._reject(question.seat, question.turn, fault, attempt, t, str(error))
        if question.retries < 0:
            self._strike(question.seat, fault, t)
            self._default(question, fault, t)

    def _late(self, question: OpenTurn, t: int) -> None:
        self.conduct.note(question.seat, "late")
        self._turns[question.seat].late.add(question.turn)
        self._strike(question.seat, "late", t, start=question.start or 0, credit=question.credit)
        self._default(question, "late", t)

    def _default(self, question: OpenTurn, cause: Literal["late", "illegal", "malformed"], t: int) -> None:
        if self.phase == "ended":
            return
        clock = self._clocks[question.seat]
        start = t if question.start is None else question.start
        think = max(0, t - start)
        if cause == "late":
            clock.run_out()
        else:
            clock.charge(think)
        self.open_turn = None
        self._table.play(
            ev.Default,
            self.state.default_action(),
            t,
            seat=question.seat,
            turn=question.turn,
            cause=cause,
            start=start,
            think=think,
            budget=question.budget,
            credit=question.credit,
            bank=clock.bank,
        )
        self._advance(t)

    def _stray(self, seat: int, turn: int, attempt: Attempt, t: int) -> None:
        turns = self._turns[seat]
        if turns.repeats(turn, comparable(attempt, self.game.text)):
            return
        if turn in turns.late:
            turns.late.remove(turn)
            reason = f"turn {turn} is over: it was late, and the default action was played"
            self._reject(seat, turn, "late", attempt, t, reason)
            return
        fault, reason = turns.stray(turn, open_turn=self.current_turn(seat))
        counted = self.conduct.note(seat, fault)
        self._reject(seat, turn, fault, attempt, t, reason)
        if counted and self.phase == "running":
            self._strike(seat, fault, t)
            self._settle(seat, t)

    def _strike(self, seat: int, fault: ev.FaultName, t: int, **clock: int) -> None:
        forfeits = self.conduct.strike(seat)
        strikes = self.conduct.strikes[seat]
        self._journal.emit(ev.Strike, t, seat=seat, fault=fault, strikes=strikes, **clock)
        if forfeits:
            self._forfeit(seat, t)

    def _forfeit(self, seat: int, t: int) -> None:
        self.conduct.forfeits.append(seat)
        self._journal.emit(ev.Forfeit, t, seat=seat)
        standing = self.conduct.standing()
        if len(standing) == 1:
            self._finish("forfeited", f"only seat {standing[0]} has not forfeited", t)

    def _no_show(self, note: str, missing: tuple[int, ...], t: int) -> None:
        for seat in missing:
            self.conduct.note(seat, "no_show")
        self._finish("no_show", note, t, missing)

    def _settle(self, seat: int, t: int) -> None:
        """Plays on for a seat that forfeited while its own turn was open."""
        if self.phase == "running" and self.current_turn(seat) and seat in self.conduct.forfeits:
            self.open_turn = None
            self._advance(t)

    def _reject(
        self, seat: int, turn: int, fault: ev.FaultName, attempt: Attempt, t: int, reason: str = ""
    ) -> None:
        form, raw = raw_of(attempt, self.game.text)
        question = self.open_turn if self.current_turn(seat) else None
        self._journal.emit(
            ev.Rejected,
            t,
            seat=seat,
            turn=turn,
            fault=fault,
            form=form,
            raw=raw,
            reason=reason or (attempt.reason if isinstance(attempt, Unreadable) else ""),
            retries=question.retries if question else 0,
            start=(question.start or 0) if question else 0,
            credit=question.credit if question else 0,
        )
