"""What happened in a match before somebody watched it, from its log."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from math import inf
from typing import NamedTuple

from referee.games import find
from referee.games.base import Event, State
from referee.match import events as ev
from referee.replay.reader import Log
from referee.replay.steps import play
from referee.server.watch.telling import BEGINNING, Group, Position, Teller


class Past(NamedTuple):
    """A match from a position on, up to where its log goes."""

    start: Position
    groups: list[Group]


class _Step(NamedTuple):
    """A record of which something is told; `state` is as it says only until the next step is taken."""

    record: ev.Record
    state: State
    events: Sequence[Event]
    plies: int


def past(log: Log, ply: float = inf, event_id: int = 0) -> Past:
    """Returns what happened after the last position that may be told.

    That is the one after all that happened with the actions up to `ply`, or an earlier one that is not
    after event `event_id`, if that is not 0. What lies before is played through and not told, so it
    costs little. Raises `RecordError` for a log that breaks the rules.
    """
    number, marks = 0, []
    for step in _steps(log):
        number += 1 if isinstance(step.record, ev.Forfeit) else len(step.events)
        marks.append((step.plies, number))
    before = list(takewhile(lambda mark: mark[0] <= ply and (not event_id or mark[1] <= event_id), marks))
    teller, start = Teller(log.setup, find(log.setup.game)), BEGINNING
    groups: list[Group] = []
    for at, step in enumerate(_steps(log), start=1):
        if at == len(before):
            teller.position = start = Position(before[-1][1], teller.look(step.state))
        if at > len(before):
            group = teller.tell(step.record, step.state, step.events, step.plies)
            groups += [group] if group else []
    return Past(start, groups)


def _steps(log: Log) -> Iterator[_Step]:
    game = find(log.setup.game)
    state, plies = game.new(len(log.setup.seats), log.setup.options), 0
    for record in log.records:
        events = play(game, state, record)
        if isinstance(record, ev.Act | ev.Default):
            plies = record.ply
        if isinstance(record, ev.Act | ev.Default | ev.Deal | ev.Forfeit | ev.DealResult):
            yield _Step(record, state, events, plies)
