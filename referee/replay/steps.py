"""Brings a table to where the records of a log say it is, without the match around it."""

from referee.errors import RecordError, RefereeError, in_one_line
from referee.games.base import Event, Game, Outcome, State
from referee.match import events as ev


def play(game: Game, state: State, record: ev.Record) -> list[Event]:
    """Brings the table to where a record says it is; returns what followed, the action itself first.

    Raises `RecordError` for an action that is not legal, or a deal that cannot be.
    """
    try:
        if isinstance(record, ev.Deal):
            return state.start_deal(Outcome(record.draws, record.order))
        if isinstance(record, ev.Act | ev.Default):
            action = game.text.parse_action(record.action)
            if state.to_act() != record.seat or state.normalise(action) not in state.legal_actions():
                raise RecordError(f"{record.action!r} is not legal for seat {record.seat}", record.n + 1)
            return state.apply(action)
    except RecordError:
        raise
    except Exception as error:  # noqa: BLE001  whatever a forged record breaks, it is the log that is bad
        raise unplayable(error, record.n + 1) from None
    return []


def unplayable(error: Exception, line: int) -> RecordError:
    """Returns what is said of a line of a log that breaks the rules of its game."""
    return RecordError(str(error) if isinstance(error, RefereeError) else in_one_line(error), line)
