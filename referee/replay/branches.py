"""Matches that go on from a position of another one, their parent.

The log of such a match begins with the parent's deals and actions up to that position, played anew with
no time used, so it can be checked by itself. With the parent at hand more can be: that they are indeed
its deals and actions, and that its log is still the one that was gone on from.
"""

from collections.abc import Iterator

from referee.errors import RecordError
from referee.match import events as ev
from referee.match.machine import Match
from referee.replay.reader import Log

_CONDUCT = ev.Rejected | ev.Strike | ev.Default | ev.Forfeit


def problem(match: Match, record: ev.Record) -> str:
    """Returns what no branch may have among the actions of its parent; nothing for any other match.

    `match` is as the record, or what follows from the same input, left it.
    """
    branch = match.setup.branch
    if not branch:
        return ""
    if isinstance(record, ev.Act) and record.ply <= branch.ply and record.think:
        return f"ply {record.ply} comes from the parent, and took {record.think} microseconds"
    if isinstance(record, _CONDUCT) and match.plies < branch.ply:
        return f"a fault before ply {branch.ply}, where the actions of the parent end"
    if isinstance(record, ev.End) and record.termination == "completed" and record.plies < branch.ply:
        return f"it ended after {record.plies} actions, and goes on from ply {branch.ply}"
    return ""


def actions(log: Log, ply: int) -> tuple[str, ...]:
    """Returns the first `ply` actions of a log; raises `RecordError` for one that has fewer."""
    found = tuple(record.action for record in log.records if isinstance(record, ev.Act | ev.Default))
    if len(found) < ply:
        raise RecordError(f"it has {len(found)} actions, and no position after {ply}")
    return found[:ply]


def differs(log: Log, parent: Log) -> str:
    """Returns how the beginning of a branch is not that of its parent; nothing where all agrees."""
    branch = log.setup.branch
    if not branch:
        return "it goes on from no other match"
    if parent.setup.match_id != branch.match_id:
        return f"its parent is {branch.match_id}, and not {parent.setup.match_id}"
    if parent.last_hash != branch.last_hash:
        return f"its parent's log is another one now: its last line hashes to {parent.last_hash[:12]!r}"
    for member in ("game", "rules_version", "options", "deal_group", "commitment"):
        if getattr(log.setup, member) != getattr(parent.setup, member):
            return f"{member} is not that of its parent"
    for own, other in zip(_table(log, branch.ply), _table(parent, branch.ply), strict=False):
        if own != other:
            return f"{own} is not what its parent has: {other}"
    return ""


def _table(log: Log, ply: int) -> Iterator[str]:
    """Yields what was dealt and played up to a ply."""
    for record in log.records:
        match record:
            case ev.Deal(deal=deal, draws=draws, order=order):
                yield f"deal {deal} ({' '.join(map(str, (*draws, *order)))})"
            case ev.Act(ply=at, seat=seat, action=action) | ev.Default(ply=at, seat=seat, action=action):
                if at > ply:
                    return
                yield f"ply {at}, seat {seat}: {action}"
