"""What became of a match that was asked for, to whoever asked."""

import contextlib
import os
from typing import TYPE_CHECKING, Protocol

from referee.replay.reader import RUNNING
from referee.server.lobby import Absence
from referee.server.request import MatchOutcome, with_names

if TYPE_CHECKING:
    from referee.server.live import LiveMatch


class Owner(Protocol):
    """Who started a match and hears of its end."""

    def match_over(self, live: "LiveMatch") -> None:
        """Takes back a match: it has ended, or failed in a way that stops it for good."""


def outcome(live: "LiveMatch") -> MatchOutcome:
    """Returns what became of a match that is over."""
    match = live.match
    end = None if live.failure == "log" else match.end
    bots = [seat.name for seat in match.setup.seats]
    return MatchOutcome(
        match_id=match.setup.match_id,
        replay=live.writer.path if has_ended(live) else None,
        termination=end.termination if end else "void",
        note=with_names(end.note, bots) if end else live.note,
        end=end,
        missing=tuple(bots[seat] for seat in end.at_fault) if end else (),
    )


def has_ended(live: "LiveMatch") -> bool:
    """Says whether the log of a match has its final name."""
    return not live.writer.path.name.endswith(RUNNING)


def disown(live: "LiveMatch") -> None:
    """Has nobody resume a match that failed and has no end in its log: its bots were told that it is void."""
    if live.failure and not has_ended(live):
        with contextlib.suppress(OSError):
            os.utime(live.writer.path, (0, 0))


def not_made(absence: Absence) -> MatchOutcome:
    """Returns what became of a match that was not made."""
    return MatchOutcome(
        match_id=None,
        replay=None,
        termination="no_show" if absence.missing else "void",
        note=absence.note,
        end=None,
        missing=absence.missing,
    )
