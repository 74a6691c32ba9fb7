"""Prints what a drill came to."""

from typing import Final

from rich.console import Console

from referee.cli.replay_table import say_folded
from referee.cli.tables import NONE, Column, say
from referee.cli.tables import show as show_table
from referee.cli.words import many
from referee.engine.drill.values import Drill, Row
from referee.match.config import SECOND

_ROWS: Final = (
    Column("turn", number=True),
    Column("deal", number=True, drop=2),
    Column("ply", number=True, drop=1),
    Column("in the log", least=16),
    Column("answer", least=16),
    Column("verdict"),
    Column("think", number=True),
    Column("of budget", number=True, drop=3),
    Column("reason", least=16, folds=True, most=60),
)
_STYLES: Final = {"differs": "cyan", "unknown": "cyan", "same": None}


def show(drill: Drill, out: Console, *, whole: bool) -> None:
    """Prints a drill for people: the turns to look at, or all, and a line that counts."""
    rows = [row for row in drill.rows if whole or row.verdict != "same" or row.slow]
    if rows:
        styles = [_STYLES.get(row.verdict, "yellow") for row in rows]
        show_table(out, _ROWS, [_cells(row) for row in rows], styles)
    say(out, _summary(drill), "bold")
    if drill.ended:
        say_folded(out, f"{many(drill.turns - len(drill.rows), 'turn')} not asked: {drill.ended}", "yellow")
        for line in drill.stderr:
            say(out, f"  | {line}")
    say_folded(out, f"what it printed: {drill.output}")


def _summary(drill: Drill) -> str:
    counts = [f"{count} {verdict}" for verdict, count in drill.counts.items() if count]
    slow = [f"{drill.slow} slow"] if drill.slow else []
    stray = [f"{many(drill.stray, 'act')} to no open turn"] if drill.stray else []
    asked = f"{len(drill.rows)} of {many(drill.turns, 'turn')} asked"
    return f"seat {drill.seat} of {drill.game}: {', '.join([asked, *counts, *slow, *stray])}"


def _cells(row: Row) -> tuple[str, ...]:
    logged = f"{row.logged or NONE} (default: {row.cause})" if row.cause else row.logged
    reason = "; ".join(filter(None, (_time(row), row.reason)))
    think = NONE if row.verdict == "missing" else _seconds(row.think)
    verdict = row.verdict if row.verdict != "same" else "slow" if row.slow else "same"
    counts = str(row.turn), str(row.deal), str(row.ply)
    return (*counts, logged, row.answer, verdict, think, _seconds(row.budget), reason)


def _time(row: Row) -> str:
    """Says what is to be said of the time that an answer took."""
    if row.verdict == "late":
        return f"{_seconds(row.think - row.budget)} past the deadline"
    return "longer than the base, from the bank" if row.slow else ""


def _seconds(microseconds: int) -> str:
    return f"{microseconds / SECOND:.3f} s"
