"""What the author of a bot needs to know of a match that it played, for one seat: plain values.

Times are in microseconds, actions those of the game, and an `observation` is a serialised message
`Observation` with the public and the private part of that very seat, as it stood in the bot's `Turn`.
"""

from typing import NamedTuple

from referee.games.base import Action
from referee.match import events as ev


class Shown(NamedTuple):
    """A turn as the bot saw it: the whole `observation`, and the legal actions in their order."""

    observation: bytes
    legal: tuple[Action, ...]


class Fault(NamedTuple):
    """One fault of the seat.

    Attributes:
        n: the number of the log record that tells of it.
        t: when it was judged, since the start of the match.
        kind: a `FaultName`, as `FaultKind` has it in lower case.
        reason: what was wrong, for people.
        ply: how many actions had been played by then.
        deal: the deal; 0 before the first one.
        turn: the seat's open turn; 0 when it was not to act.
        answered: the turn that the act named; 0 for a fault that is no act.
        shown: the open turn as the bot saw it; None when the seat was not to act.
        form: how the answer named its action (an `AttemptForm`); empty for a fault that is no act.
        raw: the answer as the referee read it; of unreadable bytes the beginning in hexadecimal.
        answered_at: when the answer arrived, also that of a late one; 0 where none came.
        played: the default action that was played because of it; None when none was.
        strikes: the strikes of the seat after it.
    """

    n: int
    t: int
    kind: ev.FaultName
    reason: str
    ply: int
    deal: int
    turn: int = 0
    answered: int = 0
    shown: Shown | None = None
    form: str = ""
    raw: str = ""
    answered_at: int = 0
    played: Action | None = None
    strikes: int = 0


class Asked(NamedTuple):
    """One turn of the seat, and where its time went.

    Attributes:
        turn: counts the questions to this seat from 1.
        ply: counts the actions of the match up to and with this one.
        deal: the deal, from 1.
        action: what was played.
        cause: why the default action was played (`late`, `illegal`, `malformed`); empty for an answer.
        choices: how many actions were legal.
        budget: the time that the seat had, base and bank together.
        think: the time from the first attempt to write the turn to the answer.
        credit: the lag that was credited; 0 unless the answer would have been late without it. For a
            turn that was late the most that could have been.
        bank: what was left of the bank after the turn.
    """

    turn: int
    ply: int
    deal: int
    action: Action
    cause: str
    choices: int
    budget: int
    think: int
    credit: int
    bank: int

    @property
    def defaulted(self) -> bool:
        """Whether the referee played the default action."""
        return bool(self.cause)


class Deal(NamedTuple):
    """One finished deal: what it added to the totals, by seat, and the totals after it."""

    deal: int
    scores: tuple[int, ...]
    totals: tuple[int, ...]


class Report(NamedTuple):
    """How a match went for one seat.

    Attributes:
        match_id: identifies the match.
        game: names the game.
        seat: the seat that it is about.
        termination: why the match ended; empty for a log without an end record.
        note: the same for people.
        place: the outcome for the seat; None for a match that does not count, or that has not ended.
        strikes: the strikes of the seat.
        faults: in order. A turn that ran out and the answer that came after that are one fault.
        asked: how many turns the seat was asked, also the one in which it forfeited.
        turns: the seat's own questions in order, those that got an answer or the default action.
        deals: the finished deals.
        forfeited_at: when the seat forfeited; None if it did not.
        gone_at: when the process that was launched for the seat was found to have ended; None if it was not.
        played_for: how many actions were played for the seat after it had forfeited.
        dropped: how often its stream ended.
        reproduce: the one command that puts the bot before the same turns again; empty where nobody can,
            as the secret of the match is neither in its log nor beside it.
    """

    match_id: str
    game: str
    seat: int
    termination: str
    note: str
    place: ev.Place | None
    strikes: int
    faults: tuple[Fault, ...]
    asked: int
    turns: tuple[Asked, ...]
    deals: tuple[Deal, ...]
    forfeited_at: int | None
    gone_at: int | None
    played_for: int
    dropped: int
    reproduce: str
