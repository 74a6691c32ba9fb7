"""How a match goes on by itself: it deals, plays for forfeited seats, asks, and ends.

`machine.Match` adds what comes in from outside and how it is judged.
"""

from typing import Literal, TypeAlias

from referee.games.base import CHANCE, TERMINAL, Event, Game, State
from referee.match import events as ev
from referee.match.clock import Clock
from referee.match.conduct import Conduct
from referee.match.config import Setup
from referee.match.journal import Journal, Sink
from referee.match.result import outcome
from referee.match.table import Table
from referee.match.turns import OpenTurn, SeatTurns

COUNTING: frozenset[ev.TerminationName] = frozenset(("completed", "forfeited", "adjudicated"))
"""The terminations that give a result; the others are unrated and have no places."""

Phase: TypeAlias = Literal["starting", "running", "ended"]


class Flow:
    """The part of a match that needs nobody: what happens next."""

    def __init__(self, setup: Setup, game: Game, secret: bytes, now: int, sink: Sink) -> None:
        seats = len(setup.seats)
        self.setup = setup
        self.game = game
        self.phase: Phase = "starting"
        self.end: ev.End | None = None
        self.open_turn: OpenTurn | None = None
        self.conduct = Conduct(seats, setup.penalties)
        self._secret = secret
        self._journal = Journal(now, sink)
        self._table = Table(setup, game, secret, self._journal)
        self._start_limit = setup.time_control.start
        self._entropy: list[bytes | None] = [None] * seats
        self._given = _given(setup)
        self._clocks = [Clock(setup.time_control) for _ in range(seats)]
        self._turns = [SeatTurns() for _ in range(seats)]

    @property
    def state(self) -> State:
        """The game's state; to be read only."""
        return self._table.state

    @property
    def plies(self) -> int:
        """Counts the actions played, over all deals."""
        return self._table.plies

    @property
    def last_events(self) -> list[Event]:
        """What the last deal or action brought, with the whole truth."""
        return self._table.events

    def deadline(self) -> int | None:
        """Returns when `tick` has something to judge, on the clock of `now`; None if nothing."""
        if self.phase == "starting":
            return self._journal.clock(self._start_limit)
        question = self.open_turn
        if question is None or question.start is None:
            return None
        return self._journal.clock(question.start + question.budget + question.credit + 1)

    def remaining(self, now: int) -> tuple[int, int]:
        """Returns the time to the deadline of the open turn, and the bank that is part of it."""
        question = self.open_turn
        if question is None:
            return 0, 0
        used = question.used if question.start is None else self._journal.exact(now) - question.start
        left = min(question.budget, max(0, question.budget - used))
        return left, min(left, question.bank)

    def current_turn(self, seat: int) -> int:
        """Returns the id of the turn that is open for the seat, 0 if none is."""
        return self.open_turn.turn if self.open_turn and self.open_turn.seat == seat else 0

    def _advance(self, t: int) -> None:
        """Deals, plays for forfeited seats, and asks the next seat or ends the match."""
        while self.phase == "running":
            seat = self.state.to_act()
            if seat == TERMINAL:
                self._finish("adjudicated" if self.state.adjudicated() else "completed", "", t)
            elif self.plies >= self.setup.penalties.max_plies:
                self._finish("adjudicated", f"{self.plies} actions were played", t)
            elif seat == CHANCE:
                self._deal(t)
            elif seat in self.conduct.forfeits:
                self._play_forfeited(seat, t)
            else:
                self._ask(seat, t)
                return

    def _contributions(self) -> tuple[bytes, ...]:
        """Returns the entropy in the deals: that of its own seats, or what was fixed before."""
        return tuple(entropy or b"" for entropy in self._entropy) if self._given is None else self._given

    def _deal(self, t: int) -> None:
        if self._table.deal(self._contributions(), t) > 1:
            for clock in self._clocks:
                clock.deal_started()

    def _play_forfeited(self, seat: int, t: int) -> None:
        bank = self._clocks[seat].bank
        action = self.state.default_action()
        self._table.play(ev.Default, action, t, seat=seat, turn=0, cause="forfeited", bank=bank)

    def _ask(self, seat: int, t: int) -> None:
        clock = self._clocks[seat]
        turn = self._turns[seat].ask()
        budget = clock.budget()
        self.open_turn = OpenTurn(seat, turn, t, budget, clock.bank, self.setup.penalties.retries)
        self._journal.emit(ev.Turn, t, seat=seat, turn=turn, budget=budget, bank=clock.bank)

    def _finish(
        self, termination: ev.TerminationName, note: str, t: int, at_fault: tuple[int, ...] = ()
    ) -> None:
        self.phase = "ended"
        self.open_turn = None
        lower = self.game.info.lower_is_better
        counts = termination in COUNTING
        places = outcome(self.state.totals(), self.conduct, lower_is_better=lower, counts=counts)
        self.end = self._journal.emit(
            ev.End,
            t,
            termination=termination,
            note=note,
            at_fault=at_fault,
            places=places,
            plies=self.plies,
            secret=self._secret.hex(),
            contributions=tuple(entropy.hex() for entropy in self._contributions()),
        )

    def _postpone(self, duration: int, t: int) -> None:
        """Moves every deadline by what it ran of the `duration` before `t`."""
        began = t - duration
        self._start_limit += t - max(0, began)
        question = self.open_turn
        if question and question.start is not None:
            question.start += max(0, t - max(question.start, began))


def _given(setup: Setup) -> tuple[bytes, ...] | None:
    """Returns the entropy that was fixed before the match; None where its seats give it."""
    fixed = setup.block.contributions if setup.block else None
    return tuple(map(bytes.fromhex, fixed)) if fixed else None
