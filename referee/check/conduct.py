"""What a bot did that nobody asked for, over all scenarios; and what its processes printed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from referee.check.journal import Journal, times
from referee.check.notes import Offence
from referee.check.scenario import GUIDE, Result, Scenario
from referee.server.launch_report import LaunchReport

CONDUCT: Final = "conduct"
OUTPUT: Final = "output"
MOST_OUTPUT: Final = 8 * 1024 * 1024
"""Bytes that one process may print beside those that are kept."""
EXTRA: Final = {
    CONDUCT: (
        (
            "each turn is answered once and by its turn_id, nothing else is sent that was not asked for,"
            " and one stream at a time stays open"
        ),
        f"{GUIDE}#faults-and-what-follows",
    ),
    OUTPUT: ("it prints no more than somebody can read", f"{GUIDE}#leaving"),
}
"""What is judged over all scenarios: what is expected, and where the guide says so."""
_JUDGED: Final = frozenset({"LATE", "ILLEGAL", "MALFORMED", "NO_SHOW"})
"""What each scenario judges itself."""


def conduct(journals: Sequence[tuple[Scenario, Journal]], stopped: str) -> Result:
    """Returns what the offences of all scenarios come to; `stopped` is why most were skipped, if so."""
    found = [
        (scenario, journal, offence)
        for scenario, journal in journals
        for offence in journal.offences
        if offence.kind not in _JUDGED | scenario.own
    ]
    expected, guide = EXTRA[CONDUCT]
    turns = sum(journal.answered for _, journal in journals)
    if not found and not turns:
        asked = stopped or any(True for _, journal in journals for _ in journal.questions())
        return Result(
            name=CONDUCT,
            verdict="skipped" if asked else "not applicable",
            happened=stopped or ("no turn was answered" if asked else "no turn was asked"),
            expected=expected,
            guide=guide,
        )
    if not found:
        answered = "1 turn" if turns == 1 else f"{turns} turns"
        happened = f"{answered} answered, and no fault that no scenario provoked"
        return Result(name=CONDUCT, verdict="ok", happened=happened, expected=expected, guide=guide)
    counts = Counter(offence.kind for _, _, offence in found)
    told = ", ".join(f"{kind} {times(n)}" for kind, n in counts.most_common())
    scenario, journal, first = found[0]
    where = ", ".join(filter(None, (scenario.name, _game(journal, first))))
    happened = f"{told}; first {first.kind} in {where}: {first.text}"
    return Result(name=CONDUCT, verdict="failed", happened=happened, expected=expected, guide=guide)


def output(reports: Iterable[LaunchReport]) -> Result:
    """Returns what the processes printed."""
    expected, guide = EXTRA[OUTPUT]
    most = max(reports, key=lambda report: report.dropped, default=None)
    dropped = most.dropped if most else 0
    if most is None or dropped <= MOST_OUTPUT:
        what = f"{dropped // 1024} KiB more than is kept" if dropped else "no more than is kept, 128 KiB"
        return Result(
            name=OUTPUT, verdict="ok", happened=f"it printed {what}", expected=expected, guide=guide
        )
    happened = f"one process printed {dropped // 1024**2} MiB more than is kept, in {most.bot}"
    return Result(
        name=OUTPUT, verdict="failed", happened=happened, expected=expected, guide=guide, output=most.output
    )


def _game(journal: Journal, offence: Offence) -> str:
    match = journal.matches.get(offence.match_id)
    return match.game if match else ""
