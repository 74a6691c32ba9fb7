"""Works out the report of one seat from the log of its match.

Nothing here reads a clock or a file: a log in, the values of `referee.replay.reported` out.
"""

import shlex

from referee.errors import UsageError
from referee.games import find
from referee.games.base import Action, Game, State
from referee.match import events as ev
from referee.replay.reader import Log
from referee.replay.reported import Asked, Deal, Fault, Report, Shown
from referee.replay.steps import play, unplayable


def report(log: Log, seat: int, command: str = "") -> Report:
    """Returns the report of a seat.

    Raises `UsageError` for a seat that there is not, `RecordError` for a log that does not fit its game.
    `command` is what starts the bot, as far as that is known; it goes into `reproduce` only.
    """
    setup, end = log.setup, log.end
    if not 0 <= seat < len(setup.seats):
        raise UsageError(f"seat {seat}: the match has the seats 0 to {len(setup.seats) - 1}")
    try:
        game = find(setup.game)
        state = game.new(len(setup.seats), game.info.resolve(setup.options))
    except Exception as error:  # noqa: BLE001  whatever a forged header breaks, it is the log that is bad
        raise unplayable(error, 1) from None
    walk = _Walk(game, state, seat)
    for record in log.records:
        walk.take(record)
    place = end.places[seat] if end and end.places else None
    return Report(
        match_id=setup.match_id,
        game=setup.game,
        seat=seat,
        termination=end.termination if end else "",
        note=end.note if end else "",
        place=place if place and place.rank else None,
        strikes=walk.strikes,
        faults=tuple(walk.faults),
        asked=walk.asked,
        turns=tuple(walk.turns),
        deals=tuple(walk.deals),
        forfeited_at=walk.forfeited_at,
        gone_at=walk.gone_at,
        played_for=walk.played_for,
        dropped=walk.dropped,
        reproduce="" if log.secret is None else reproduce_command(f"{setup.match_id}.jsonl", seat, command),
    )


def reproduce_command(file: str, seat: int, command: str = "") -> str:
    """Returns the command that puts a bot before the turns of a seat; `COMMAND` stands for an unknown bot."""
    return f"referee replay drill {shlex.quote(file)} --seat {seat} -- {command or 'COMMAND'}"


def shown(game: Game, state: State, seat: int) -> Shown:
    """Returns the turn of the seat that is to act, as its bot sees it."""
    view, wire = game.view, game.wire
    whole = wire.public(view.public(state)) + wire.private(view.private(state, seat))
    return Shown(whole, state.legal_actions())


class _Walk:
    """Goes through the records of a log and keeps what is about one seat."""

    def __init__(self, game: Game, state: State, seat: int) -> None:
        self.faults: list[Fault] = []
        self.turns: list[Asked] = []
        self.deals: list[Deal] = []
        self.strikes = self.asked = self.played_for = self.dropped = 0
        self.forfeited_at: int | None = None
        self.gone_at: int | None = None
        self._game, self._state, self._seat = game, state, seat
        self._ply = self._deal = 0
        self._open: ev.Turn | None = None
        self._choices = 0

    def take(self, record: ev.Record) -> None:
        """Takes the next record, before the table is brought to where it says that it is."""
        match record:
            case ev.Deal(deal=deal):
                self._deal = deal
            case ev.DealResult(deal=deal, scores=scores, totals=totals):
                self.deals.append(Deal(deal, scores, totals))
            case ev.Act(ply=ply) | ev.Default(ply=ply):
                self._ply = ply
            case ev.End(termination="no_show", note=note, at_fault=at_fault) if self._seat in at_fault:
                self._fault(record, "no_show", note)
        if getattr(record, "seat", None) == self._seat:
            self._own(record)
        play(self._game, self._state, record)

    def _own(self, record: ev.Record) -> None:
        match record:
            case ev.Turn():
                self.asked = record.turn
                self._open, self._choices = record, len(self._state.legal_actions())
            case ev.Act() | ev.Default():
                self._played(record)
            case ev.Rejected():
                self._rejected(record)
            case ev.Strike():
                self._struck(record)
            case ev.Dropped():
                self.dropped += 1
                self._fault(record, "dropped", "its stream ended")
            case ev.Forfeit(t=t):
                self.forfeited_at = t
            case ev.Gone(t=t):
                self.gone_at = t

    def _fault(self, record: ev.Record, kind: ev.FaultName, reason: str) -> None:
        """Notes a fault, with the turn that is open for the seat."""
        asked = self._open
        self.faults.append(
            Fault(
                n=record.n,
                t=record.t,
                kind=kind,
                reason=reason,
                ply=self._ply,
                deal=self._deal,
                turn=asked.turn if asked else 0,
                shown=shown(self._game, self._state, self._seat) if asked else None,
                strikes=self.strikes,
            )
        )

    def _rejected(self, record: ev.Rejected) -> None:
        """Notes an answer that was refused; one to a turn that ran out belongs to the fault of that turn."""
        ran_out = (
            at
            for at, fault in enumerate(self.faults)
            if record.fault == fault.kind == "late" and fault.turn == record.turn
        )
        at = next(ran_out, len(self.faults))
        if at == len(self.faults):
            self._fault(record, record.fault, record.reason)
        self.faults[at] = self.faults[at]._replace(
            form=record.form, raw=record.raw, answered_at=record.t, answered=record.turn
        )

    def _struck(self, record: ev.Strike) -> None:
        self.strikes = record.strikes
        if record.fault == "late":
            self._fault(record, "late", "no answer before the deadline")
        elif self.faults:
            self.faults[-1] = self.faults[-1]._replace(strikes=record.strikes)

    def _played(self, record: ev.Act | ev.Default) -> None:
        asked, self._open = self._open, None
        if isinstance(record, ev.Default) and record.cause == "forfeited":
            self.played_for += 1
            return
        action = self._action(record)
        cause = record.cause if isinstance(record, ev.Default) else ""
        if cause and self.faults:
            self.faults[-1] = self.faults[-1]._replace(played=action)
        self.turns.append(
            Asked(
                turn=record.turn,
                ply=record.ply,
                deal=self._deal,
                action=action,
                cause=cause,
                choices=self._choices,
                budget=asked.budget if asked else 0,
                think=record.think,
                credit=record.credit,
                bank=record.bank,
            )
        )

    def _action(self, record: ev.Act | ev.Default) -> Action:
        try:
            return self._game.text.parse_action(record.action)
        except Exception as error:  # noqa: BLE001  whatever a forged record breaks, it is the log that is bad
            raise unplayable(error, record.n + 1) from None
