"""What a comparison has come to, for people and for programs, while it runs and at its end."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from referee.cli.printing import json_of
from referee.cli.tables import fitting, say
from referee.organiser.compare import Duel, as_values, interval
from referee.tournament import duel
from referee.tournament.sequential import Comparison, Verdict

EVERY = 10.0
"""Seconds between two lines of progress where no terminal is."""


@contextmanager
def progress(console: Console, *, quiet: bool) -> Iterator[Callable[[Comparison], None]]:
    """Shows what it is told: on a terminal all the time, elsewhere a line now and then."""
    if quiet:
        yield lambda _: None
    elif console.is_terminal:
        with console.status("comparing", spinner="line") as status:
            yield lambda comparison: status.update(Text(fitting(line(comparison), console)))
    else:
        due = time.monotonic() + EVERY

        def told(comparison: Comparison) -> None:
            nonlocal due
            if time.monotonic() >= due:
                due = time.monotonic() + EVERY
                say(console, line(comparison))

        yield told


def line(comparison: Comparison) -> str:
    """Returns in one line how far a comparison is."""
    low, high = comparison.hypotheses.bounds
    return (
        f"{comparison.blocks} blocks, {_difference(comparison)};"
        f" evidence {comparison.evidence:+.2f} (ends at {low:.2f} or {high:+.2f})"
    )


def show(plan: Duel, comparison: Comparison, console: Console) -> None:
    """Prints the answer, and what it stands on."""
    old, new = (entry.name for entry in plan.bots()[:2])
    told = {
        Verdict.BETTER: f"{new} is better than {old}",
        Verdict.NOT_BETTER: f"{new} is not better than {old} by {plan.gain:g} points",
        Verdict.GO_ON: f"whether {new} is better than {old} is not known yet",
    }
    say(console, f"{told[comparison.verdict]}: {_difference(comparison)}")
    each = duel.matches(plan.seats)
    say(
        console,
        f"{comparison.blocks} blocks of {each} matches with the same deals; {plan.game}, {plan.seats} seats",
    )
    say(console, line(comparison).rpartition("; ")[2])
    say(console, "points: mean placement points of a match, 1 always first, 0 always last.")


def as_json(plan: Duel, comparison: Comparison) -> str:
    """Returns the same as JSON."""
    return json_of(as_values(plan, comparison))


def _difference(comparison: Comparison) -> str:
    low, high = interval(comparison)
    if low is None or high is None:
        return f"{comparison.mean:+.3f} points"
    return f"{comparison.mean:+.3f} points [{low:+.3f}, {high:+.3f}]"
