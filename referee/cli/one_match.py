"""Plays one match with launched bots, as `match` and `replay branch` do, until its end or an interrupt."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.cli.interrupt import EXIT_INTERRUPTED, Interrupt
from referee.cli.match_result import exit_status, remark
from referee.cli.printing import warn
from referee.cli.runs import new_run
from referee.cli.tables import console
from referee.engine.entrants import Entry
from referee.engine.local import LocalArena, output_folder
from referee.match.config import TimeControl
from referee.server.config import ArenaConfig
from referee.server.launch_report import LaunchReport
from referee.server.request import MatchOutcome, MatchRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """What is played by whom, and where it is kept.

    `kind` begins the name of the run, `doing` is shown while it is played, `again` is the command that
    plays it again.
    """

    request: MatchRequest
    entries: Sequence[Entry]
    data: Path
    store: str | None
    kind: str
    doing: str
    again: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What became of it; `reports` are those of its processes, none after an interrupt."""

    outcome: MatchOutcome
    reports: list[LaunchReport]
    outputs: dict[str, Path]


async def play(sitting: Sitting, tell: Callable[[Played], None], *, quiet: bool) -> int:
    """Plays the match, has its result told, and returns the exit status."""
    interrupt = Interrupt(sitting.again, "to play it again")
    interrupt.install()
    request = sitting.request
    config = ArenaConfig(
        data=sitting.data, store=sitting.store, time_control=request.time_control or TimeControl()
    )
    outputs = output_folder(sitting.data, new_run(sitting.kind))
    progress = console(stderr=True)
    async with LocalArena(config, sitting.entries, request.game, outputs, warn, seed=request.seed) as local:
        if progress.is_terminal and not quiet:
            with progress.status(sitting.doing, spinner="line"):
                outcome = await _outcome(local, request, interrupt)
        else:
            outcome = await _outcome(local, request, interrupt)
        interrupted = interrupt.seen.is_set()
        reports = [] if interrupted else local.reports()
    tell(Played(outcome=outcome, reports=reports, outputs=local.outputs()))
    remark(local.remains())
    if interrupted:
        interrupt.tell_again()
        return EXIT_INTERRUPTED
    return exit_status(outcome)


async def _outcome(local: LocalArena, request: MatchRequest, interrupt: Interrupt) -> MatchOutcome:
    """Plays, or voids the match on an interrupt that comes before its end."""
    playing = asyncio.ensure_future(local.play(request))
    if await interrupt.finished(playing):
        return playing.result()
    playing.cancel()
    await asyncio.wait({playing})
    if not playing.cancelled() and not playing.exception():
        return playing.result()
    return MatchOutcome(
        match_id=None, replay=None, termination="void", note="interrupted", end=None, missing=()
    )
